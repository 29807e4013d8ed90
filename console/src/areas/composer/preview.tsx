import { Alert, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { LOCALES, useLanguage, useTexts } from '../../app/texts.ts';
import type { SendPlan, V1Send } from '../../sdk.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Coins, Fact, Facts, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

type PlannedHop = SendPlan['hops'][number];

const UNITS = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A wait of the plan, `600s`, in the largest unit that it is a whole number of. */
const waitIn = (locale: string, after: string): string => {
  const seconds = Number.parseInt(after, 10);
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[2];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
};

/** A text as it would be sent by SMS. */
const SmsParts = ({ text }: { readonly text: string }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const parts = useQuery({
    queryKey: ['sms-preview', text],
    queryFn: ({ signal }) => api.sms.preview({ body: text }, { signal }),
    placeholderData: keepPreviousData,
  });
  if (!parts.data) return <ProblemView error={parts.error} />;
  const { body, encoding, length, segments } = parts.data;
  return (
    <>
      <Facts>
        <Fact name={t.parts}>{format.number(segments)}</Fact>
        <Fact name={t.encoding}>{encoding}</Fact>
        <Fact name={t.characters}>{format.number(length)}</Fact>
      </Facts>
      {body === text ? null : (
        <div>
          <Text size="sm" c="dimmed">
            {t.reaches}
          </Text>
          <Text size="sm" className="breakable">
            {body}
          </Text>
        </div>
      )}
    </>
  );
};

interface HopViewProps {
  readonly hop: PlannedHop;
  readonly isFirst: boolean;
  /** The content, if it is not a template. */
  readonly text: string | undefined;
}

const HopView = ({ hop, isFirst, text }: HopViewProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const may = useMay();
  const { language } = useLanguage();
  const { channel, route, to, after, units, price, volumeBand, leavesAt, provider, refusal } = hop;
  // An SMS of a text is counted below, by its encoding.
  const counts = channel === 'sms' && text !== undefined && may('sms:send');
  return (
    <Paper withBorder p="sm" component="li" data-hop={channel}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>{t.channels[channel]}</Text>
          <Text size="sm" c="dimmed">
            {isFirst ? t.first : t.afterHop(waitIn(LOCALES[language], after))}
          </Text>
        </Group>
        <Facts>
          {to ? <Fact name={t.to}>{to}</Fact> : null}
          {price ? (
            <Fact name={t.price}>
              <Coins coins={price.coins} />
            </Fact>
          ) : null}
          {units === undefined || counts ? null : <Fact name={t.parts}>{format.number(units)}</Fact>}
          {volumeBand ? <Fact name={t.band}>{t.bandFrom(format.number(volumeBand.from))}</Fact> : null}
          {leavesAt ? (
            <Fact name={t.leavesAt}>
              <Time at={leavesAt} />
            </Fact>
          ) : null}
          {route ? <Fact name={t.route}>{route}</Fact> : null}
          {provider ? <Fact name={t.provider}>{provider}</Fact> : null}
        </Facts>
        {counts ? <SmsParts text={text} /> : null}
        {refusal ? (
          <Alert color="red" variant="outline" icon={<Ban aria-hidden />} title={isFirst ? t.refused : t.skipped}>
            <Text size="sm">{refusal.detail}</Text>
            <Text size="sm">{refusal.action}</Text>
          </Alert>
        ) : null}
      </Stack>
    </Paper>
  );
};

interface PreviewProps {
  /** The send; undefined while it says too little. */
  readonly body: V1Send | undefined;
  readonly textOf: (hop: number) => string | undefined;
}

/** The effect and cost of a send, hop by hop, while it is being typed. Nothing is stored or charged. */
export const Preview = ({ body, textOf }: PreviewProps) => {
  const t = useTexts(texts);
  const plan = useQuery({
    queryKey: ['preview', body],
    queryFn: ({ signal }) => api.v1.preview(body as V1Send, { signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
  });
  const shown = body && !plan.error ? plan.data : undefined;
  return (
    <Stack component="section" gap="sm" aria-label={t.preview}>
      <Group gap="sm">
        <Title order={2} size="h4">
          {t.preview}
        </Title>
        {plan.isFetching ? <Loader size="xs" role="status" aria-label={t.updating} /> : null}
      </Group>
      {body ? <ProblemView error={plan.error} /> : <Text c="dimmed">{t.previewHint}</Text>}
      {shown ? (
        <>
          <Stack component="ol" gap="sm" p={0} m={0}>
            {shown.hops.map((hop, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a hop is its place in the plan.
              <HopView key={at} hop={hop} isFirst={at === 0} text={textOf(at)} />
            ))}
          </Stack>
          <Facts>
            <Fact name={t.total}>
              <Coins coins={shown.price.coins} />
            </Fact>
            {shown.hops.length > 1 ? (
              <Fact name={t.atMost}>
                <Coins coins={shown.price.atMostCoins} />
              </Fact>
            ) : null}
            <Fact name={t.balance}>
              <Coins coins={shown.wallet.balanceCoins} />
            </Fact>
          </Facts>
        </>
      ) : null}
    </Stack>
  );
};
