import { Fieldset, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../app/texts.ts';
import { ChoiceField, choicesOf, TextAreaField, TextField } from '../../ui/fields.tsx';
import { CHANNELS, type Channel, type Content, type Hop, takesPhone } from './draft.ts';
import { useTemplates } from './templates.ts';
import { texts } from './texts.ts';

interface HopProps {
  readonly hop: Hop;
  readonly onChange: (hop: Hop) => void;
  /** Where it stands in the body: empty for the message, `fallback.0.` and on. */
  readonly path: string;
}

const TemplateField = ({ hop, onChange, path }: HopProps) => {
  const t = useTexts(texts);
  const templates = useTemplates(hop.channel, true);
  const choices = (templates.data ?? []).map(({ id, label }) => ({ value: id, label }));
  return (
    <>
      <ChoiceField
        name={`${path}template`}
        label={t.template}
        required
        value={hop.template}
        onChange={(template) => onChange({ ...hop, template })}
        choices={[{ value: '', label: t.choose }, ...choices]}
      />
      {templates.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.noTemplates}
        </Text>
      ) : null}
    </>
  );
};

/** Where a hop goes, and what it says. */
export const HopFields = ({ hop, onChange, path }: HopProps) => {
  const t = useTexts(texts);
  const { channel, to, content, text } = hop;
  const isFallback = path !== '';
  const hint = takesPhone(channel) ? t.toHints.phone : t.toHints[channel as 'email' | 'push' | 'instagram'];
  const contents: readonly Content[] = isFallback ? ['same', 'text', 'template'] : ['text', 'template'];
  const change = (changes: Partial<Hop>) => onChange({ ...hop, ...changes });
  return (
    <Stack gap="sm">
      <Group grow align="flex-start">
        <ChoiceField<Channel>
          name={`${path}channel`}
          label={t.channel}
          value={channel}
          onChange={(chosen) => change({ channel: chosen, template: '' })}
          choices={CHANNELS.map((value) => ({ value, label: t.channels[value] }))}
        />
        <ChoiceField<Content>
          name={`${path}content`}
          label={t.content}
          value={content}
          onChange={(chosen) => change({ content: chosen })}
          choices={contents.map((value) => ({ value, label: t.contents[value] }))}
        />
      </Group>
      <TextField
        name={`${path}to`}
        label={t.to}
        description={isFallback ? `${t.sameTo} ${hint}` : hint}
        required={!isFallback}
        value={to}
        onChange={(value) => change({ to: value })}
      />
      {content === 'text' ? (
        <TextAreaField
          name={`${path}text`}
          label={t.text}
          description={t.textHints[channel]}
          required
          value={text}
          onChange={(value) => change({ text: value })}
        />
      ) : null}
      {content === 'template' ? <TemplateField hop={hop} onChange={onChange} path={path} /> : null}
    </Stack>
  );
};

interface FallbackFieldsProps extends HopProps {
  readonly title: string;
  /** Moves it, or takes it away. */
  readonly actions: ReactNode;
}

/** A fallback: what waits for what, and for how long. */
export const FallbackFields = ({ hop, onChange, path, title, actions }: FallbackFieldsProps) => {
  const t = useTexts(texts);
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        <Group align="flex-end" justify="space-between">
          <Group align="flex-end" gap="xs">
            <TextField
              name={`${path}after`}
              label={t.after}
              description={t.afterHint}
              type="number"
              value={hop.after}
              onChange={(after) => onChange({ ...hop, after })}
            />
            <ChoiceField<Hop['unit']>
              name={`${path}unit`}
              label={t.unit}
              value={hop.unit}
              onChange={(unit) => onChange({ ...hop, unit })}
              choices={choicesOf(t.units)}
            />
          </Group>
          <Group gap={2}>{actions}</Group>
        </Group>
        <HopFields hop={hop} onChange={onChange} path={path} />
      </Stack>
    </Fieldset>
  );
};
