import { Button, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { useAction, useIdempotencyKey } from '../../ui/action.ts';
import { ContactField } from '../../ui/contact-field.tsx';
import { ChoiceField, choicesOf, FieldErrors, TextField } from '../../ui/fields.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { useSettled } from '../../ui/search-field.tsx';
import { bodyOf, type Draft, type Hop, isComplete, MAX_FALLBACKS, newHop, startDraft, textOfHop } from './draft.ts';
import { FallbackFields, HopFields } from './hop-fields.tsx';
import { Preview } from './preview.tsx';
import { useVariableNames } from './templates.ts';
import { texts } from './texts.ts';

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

const Fallbacks = ({ draft, onChange }: DraftProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const [message, ...fallbacks] = draft.hops;
  const set = (changed: readonly Hop[]) => onChange({ ...draft, hops: [message, ...changed] });
  const move = (at: number, by: number) => {
    const hop = fallbacks[at];
    if (hop) set(fallbacks.toSpliced(at, 1).toSpliced(at + by, 0, hop));
  };
  return (
    <Section title={t.fallbacks}>
      {fallbacks.map((hop, at) => {
        const number = format.number(at + 1);
        return (
          <FallbackFields
            key={hop.key}
            hop={hop}
            path={`fallback.${at}.`}
            title={t.fallback(number)}
            onChange={(changed) => set(fallbacks.with(at, changed))}
            actions={
              <>
                <IconButton label={t.earlier(number)} disabled={at === 0} onClick={() => move(at, -1)}>
                  <ArrowUp size={16} aria-hidden />
                </IconButton>
                <IconButton label={t.later(number)} disabled={at === fallbacks.length - 1} onClick={() => move(at, 1)}>
                  <ArrowDown size={16} aria-hidden />
                </IconButton>
                <IconButton label={t.removeFallback(number)} onClick={() => set(fallbacks.toSpliced(at, 1))}>
                  <Trash2 size={16} aria-hidden />
                </IconButton>
              </>
            }
          />
        );
      })}
      {fallbacks.length < MAX_FALLBACKS ? (
        <Group>
          <Button variant="default" onClick={() => set([...fallbacks, newHop('sms', 'same')])}>
            {t.addFallback}
          </Button>
        </Group>
      ) : null}
    </Section>
  );
};

const Variables = ({ draft, onChange, names }: DraftProps & { readonly names: readonly string[] }) => {
  const t = useTexts(texts);
  if (names.length === 0) return null;
  return (
    <Section title={t.variables}>
      {names.map((name) => (
        <TextField
          key={name}
          name={`variables.${name}`}
          label={name}
          value={draft.variables[name] ?? ''}
          onChange={(value) => onChange({ ...draft, variables: { ...draft.variables, [name]: value } })}
        />
      ))}
    </Section>
  );
};

const Options = ({ draft, onChange }: DraftProps) => {
  const t = useTexts(texts);
  return (
    <Section title={t.options}>
      <TextField
        name="scheduledAt"
        label={t.scheduledAt}
        description={t.scheduledHint}
        type="datetime-local"
        value={draft.scheduledAt}
        onChange={(scheduledAt) => onChange({ ...draft, scheduledAt })}
      />
      <Group grow align="flex-start">
        <ChoiceField<Draft['priority']>
          name="priority"
          label={t.priority}
          value={draft.priority}
          onChange={(priority) => onChange({ ...draft, priority })}
          choices={choicesOf(t.priorities)}
        />
        <TextField
          name="campaignId"
          label={t.campaignId}
          value={draft.campaignId}
          onChange={(campaignId) => onChange({ ...draft, campaignId })}
        />
        <TextField
          name="maxCoins"
          label={t.maxCoins}
          type="number"
          value={draft.maxCoins}
          onChange={(maxCoins) => onChange({ ...draft, maxCoins })}
        />
      </Group>
    </Section>
  );
};

/** Sends what is drafted. */
const useSend = (draft: Draft, names: readonly string[]) => {
  const navigate = useNavigate();
  const body = bodyOf(draft, names);
  const idempotencyKey = useIdempotencyKey(body);
  return useAction(() => api.v1.send(body, { idempotencyKey }), {
    invalidates: [['messages']],
    onDone: ({ id }) => navigate({ to: `/messages/${id}` }),
  });
};

/** Writes a message on any of the channels, with what would become of it beside it. */
export default function ComposerPage() {
  const t = useTexts(texts);
  const [search] = useSearchValues();
  const [draft, setDraft] = useState(() => startDraft(search));
  const settled = useSettled(draft);
  const names = useVariableNames(draft);
  const sending = useSend(draft, names);
  const [message] = draft.hops;
  return (
    <Page title={t.title} description={t.description}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack
          component="form"
          gap="xl"
          onSubmit={(event) => {
            event.preventDefault();
            sending.mutate();
          }}
        >
          <FieldErrors value={sending.error}>
            <Stack component="section" gap="sm" aria-label={t.message}>
              <Title order={2} size="h4">
                {t.message}
              </Title>
              <ContactField
                label={t.contact}
                description={t.contactHint}
                value={draft.contactId}
                onChange={(contactId) => setDraft({ ...draft, contactId })}
              />
              <HopFields
                hop={message}
                path=""
                onChange={(hop) => setDraft({ ...draft, hops: [hop, ...draft.hops.slice(1)] })}
              />
            </Stack>
            <Variables draft={draft} onChange={setDraft} names={names} />
            <Fallbacks draft={draft} onChange={setDraft} />
            <Options draft={draft} onChange={setDraft} />
          </FieldErrors>
          <ProblemView error={sending.error} />
          <Group>
            <Button type="submit" loading={sending.isPending} disabled={!isComplete(draft)}>
              {draft.scheduledAt === '' ? t.send : t.schedule}
            </Button>
          </Group>
        </Stack>
        <Preview
          body={isComplete(settled) ? bodyOf(settled, names) : undefined}
          textOf={(at) => textOfHop(settled, at)}
        />
      </SimpleGrid>
    </Page>
  );
}
