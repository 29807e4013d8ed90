import './devices.css';
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Coins } from '../../ui/values.tsx';
import { buttonsIn, type Components, fill, payloadOf, textIn } from './components.ts';
import { MarkedText } from './marked-text.tsx';
import { texts } from './texts.ts';

export const DEVICES = ['whatsapp', 'sms', 'rcs', 'push', 'instagram'] as const;
export type Device = (typeof DEVICES)[number];

interface DeviceProps {
  readonly components: Components;
  readonly values: Readonly<Record<string, string>>;
}

const WhatsApp = ({ components, values }: DeviceProps) => {
  const t = useTexts(texts);
  const { format } = payloadOf(components, 'HEADER');
  const header = textIn(components, 'HEADER');
  const footer = textIn(components, 'FOOTER');
  const isCarousel = components.some(({ type }) => type.toUpperCase() === 'CAROUSEL');
  return (
    <>
      <div className="bubble">
        {typeof format === 'string' && format !== 'TEXT' ? <div className="bubble-media">{t.media(format)}</div> : null}
        {header ? (
          <div>
            <strong>{fill(header, values)}</strong>
          </div>
        ) : null}
        <MarkedText text={fill(textIn(components, 'BODY'), values) || t.noBody} />
        {footer ? <div className="bubble-footer">{footer}</div> : null}
        {isCarousel ? <div className="bubble-footer">{t.carousel}</div> : null}
      </div>
      {buttonsIn(components).map(({ type, text, url }) => (
        // The target of a button is shown, and not followed.
        <div key={`${type} ${text}`} className="bubble-button" title={url}>
          {text}
        </div>
      ))}
    </>
  );
};

/** Counted and priced by the service, as the send would be. */
const SmsCount = ({ body }: { readonly body: string }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const sms = useQuery({
    queryKey: ['sms-preview', body],
    queryFn: ({ signal }) => api.sms.preview({ body }, { signal }),
    enabled: body !== '',
    retry: false,
  });
  if (!sms.data) return <ProblemView error={sms.error} />;
  const { segments, length, encoding, billing } = sms.data;
  return (
    <Text size="xs" mt="xs" role="status">
      {t.parts(format.number(segments), format.number(length), encoding)}
      {billing ? (
        <>
          {' · '}
          <Coins coins={billing.coins} />
        </>
      ) : null}
    </Text>
  );
};

const Plain = ({ components, values }: DeviceProps) => (
  <div className="bubble" data-bubble>
    {fill(textIn(components, 'BODY'), values)}
  </div>
);

const Sms = (props: DeviceProps) => {
  const mayCount = useMay()('sms:send');
  return (
    <>
      <Plain {...props} />
      {mayCount ? <SmsCount body={fill(textIn(props.components, 'BODY'), props.values)} /> : null}
    </>
  );
};

const Push = ({ components, values }: DeviceProps) => {
  const t = useTexts(texts);
  return (
    <div className="bubble">
      <Group gap="xs" wrap="nowrap">
        <Bell size={16} aria-hidden />
        <strong>{t.appName}</strong>
        <span>{t.now}</span>
      </Group>
      {fill(textIn(components, 'BODY'), values)}
    </div>
  );
};

const SHOWN = { whatsapp: WhatsApp, sms: Sms, rcs: Plain, push: Push, instagram: Plain } as const;

/** A template as it stands on a device of a channel. On all but WhatsApp its body is sent, as text. */
export const DeviceView = ({ device, ...props }: DeviceProps & { readonly device: Device }) => {
  const t = useTexts(texts);
  const Shown = SHOWN[device];
  return (
    <section className="device" data-channel={device} aria-label={`${t.preview}: ${t.channels[device]}`}>
      <Shown {...props} />
    </section>
  );
};
