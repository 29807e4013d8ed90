import {
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { CampaignMessage } from '../../sdk.ts';
import { texts } from './texts.ts';

const CHANNELS = ['whatsapp', 'email', 'sms', 'rcs', 'push', 'instagram'] as const;

interface MessageProps {
  readonly message: CampaignMessage;
  readonly onChange: (message: CampaignMessage) => void;
}

/** The message with a field, or without it. */
const withField = <K extends keyof CampaignMessage>(
  message: CampaignMessage,
  field: K,
  value: CampaignMessage[K] | undefined,
): CampaignMessage => {
  const { [field]: _, ...rest } = message;
  return (value === undefined ? rest : { ...rest, [field]: value }) as CampaignMessage;
};

const useTemplates = (isEmail: boolean): readonly { readonly value: string; readonly label: string }[] => {
  const { data } = useQuery({
    queryKey: ['campaign-choices', 'templates', isEmail],
    queryFn: async ({ signal }) => {
      if (isEmail) {
        const { items } = await api.emailTemplates.list({ limit: 200 }, { signal });
        return items.map(({ id, name }) => ({ value: id, label: name }));
      }
      const { items } = await api.templates.list({ status: 'approved', limit: 200 }, { signal });
      return items.map(({ id, name, language }) => ({ value: id, label: `${name} · ${language}` }));
    },
  });
  return data ?? [];
};

const TemplateFields = ({ message, onChange }: MessageProps) => {
  const t = useTexts(texts);
  const templates = useTemplates(message.channel === 'email');
  const { template = '', variables = {} } = message;
  const known = template === '' || templates.some(({ value }) => value === template);
  const [written, setWritten] = useState(() =>
    Object.entries(variables)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('\n'),
  );
  const write = (text: string) => {
    setWritten(text);
    const pairs = text.split('\n').flatMap((line) => {
      const [name = '', ...value] = line.split(':');
      return name.trim() === '' ? [] : [[name.trim(), value.join(':').trim()] as const];
    });
    onChange(withField(message, 'variables', pairs.length > 0 ? Object.fromEntries(pairs) : undefined));
  };
  return (
    <>
      <NativeSelect
        label={t.template}
        value={template}
        data={[{ value: '', label: t.choose }, ...(known ? [] : [{ value: template, label: template }]), ...templates]}
        onChange={({ currentTarget }) => onChange({ ...message, template: currentTarget.value })}
      />
      <Textarea
        autosize
        minRows={2}
        label={t.variables}
        value={written}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
    </>
  );
};

const ContentFields = (props: MessageProps) => {
  const { message, onChange } = props;
  const t = useTexts(texts);
  const isTemplate = message.template !== undefined;
  const choose = (kind: string) => {
    const { text: _text, template: _template, variables: _variables, ...rest } = message;
    onChange(kind === 'template' ? { ...rest, template: '' } : { ...rest, text: '' });
  };
  return (
    <>
      <SegmentedControl
        aria-label={t.content}
        value={isTemplate ? 'template' : 'text'}
        data={[
          { value: 'text', label: t.text },
          { value: 'template', label: t.template },
        ]}
        onChange={choose}
      />
      {isTemplate ? (
        <TemplateFields {...props} />
      ) : (
        <Textarea
          autosize
          minRows={3}
          label={t.text}
          description={t.messageHint}
          value={message.text ?? ''}
          onChange={({ currentTarget }) => onChange({ ...message, text: currentTarget.value })}
        />
      )}
    </>
  );
};

const FallbackFields = ({ message, onChange }: MessageProps) => {
  const t = useTexts(texts);
  const { fallback = [], fallback_after: after = '' } = message;
  const plain = fallback.filter((each) => typeof each === 'string');
  // Fallbacks with texts of their own stay as they are: they are written by the API.
  const own = fallback.filter((each) => typeof each !== 'string');
  return (
    <>
      <Checkbox.Group
        label={t.fallback}
        value={plain}
        onChange={(next) => {
          const all = [...(next as typeof plain), ...own];
          onChange(withField(message, 'fallback', all.length > 0 ? all : undefined));
        }}
      >
        <Group gap="sm" mt={4}>
          {CHANNELS.map((channel) => (
            <Checkbox key={channel} value={channel} label={channel} />
          ))}
        </Group>
      </Checkbox.Group>
      {fallback.length > 0 ? (
        <TextInput
          label={t.fallbackAfter}
          value={after}
          onChange={({ currentTarget: { value } }) =>
            onChange(withField(message, 'fallback_after', value || undefined))
          }
        />
      ) : null}
    </>
  );
};

/** A message, in the fields that it can have. */
export const MessageFields = (props: MessageProps) => {
  const { message, onChange } = props;
  const t = useTexts(texts);
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t.channel}
        value={message.channel}
        data={[...CHANNELS]}
        onChange={({ currentTarget }) =>
          onChange({ ...message, channel: currentTarget.value as CampaignMessage['channel'] })
        }
      />
      <ContentFields {...props} />
      <FallbackFields {...props} />
      <NumberInput
        hideControls
        label={t.messageMaxCoins}
        value={message.maxCoins ?? ''}
        onChange={(value) => onChange(withField(message, 'maxCoins', typeof value === 'number' ? value : undefined))}
      />
    </Stack>
  );
};
