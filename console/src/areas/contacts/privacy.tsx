import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactExport, ContactRead } from '../../sdk.ts';
import { DeleteDialog } from '../../ui/action-dialog.tsx';
import { saveAs } from '../../ui/download.ts';
import { Section } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Fact, Facts } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';

const NAMES = ['cpf', 'cnpj', 'nascimento'] as const;

/** The documents, masked, until somebody who may asks to see them. What was revealed is kept in memory while the part is shown, and nowhere else. */
const Documents = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(pageTexts).privacy;
  const may = useMay();
  const revealing = useMutation({ mutationFn: () => api.contacts.revealDocuments(contact.id), gcTime: 0 });
  const masked = contact.documentos ?? {};
  const kept = NAMES.filter((name) => masked[name] !== undefined);
  if (kept.length === 0) return <Text c="dimmed">{t.noDocuments}</Text>;
  return (
    <Stack align="flex-start" gap="sm">
      <Facts>
        {kept.map((name) => (
          <Fact key={name} name={t.names[name]}>
            {revealing.data?.[name] ?? masked[name]}
          </Fact>
        ))}
      </Facts>
      <ProblemView error={revealing.error} />
      {may('contacts:pii') ? (
        <Group>
          {revealing.data ? (
            <Button variant="default" onClick={() => revealing.reset()}>
              {t.hide}
            </Button>
          ) : (
            <Button variant="default" loading={revealing.isPending} onClick={() => revealing.mutate()}>
              {t.reveal}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            {t.revealHint}
          </Text>
        </Group>
      ) : null}
    </Stack>
  );
};

/** Reads every page, and saves them as one file. */
const Export = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).privacy;
  const format = useFormat();
  const [read, setRead] = useState(0);
  const exporting = useMutation({
    mutationFn: async () => {
      setRead(0);
      const items: ContactExport['items'] = [];
      let first: ContactExport | undefined;
      for await (const page of api.contacts.export(id, { limit: 200 }).pages()) {
        first ??= page;
        items.push(...page.items);
        setRead(items.length);
      }
      const { nextCursor: _, ...rest } = first ?? {};
      saveAs(`${id}.json`, 'application/json', JSON.stringify({ ...rest, items }, null, 2));
      return items.length;
    },
  });
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">{t.exportHint}</Text>
      <ProblemView error={exporting.error} />
      <Group>
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          {t.download}
        </Button>
        <Text size="sm" role="status">
          {exporting.isPending ? t.exporting(format.number(read)) : null}
          {exporting.data === undefined ? null : t.exported(format.number(exporting.data))}
        </Text>
      </Group>
    </Stack>
  );
};

const EraseDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useTexts(pageTexts).privacy;
  const [understood, setUnderstood] = useState(false);
  return (
    <DeleteDialog
      title={t.erase}
      hint={t.eraseHint}
      remove={() => api.contacts.delete(id)}
      leadsTo="/contacts"
      invalidates={[['contacts'], ['lists'], ['list']]}
      onClose={onClose}
    >
      <Checkbox
        required
        label={t.understood}
        checked={understood}
        onChange={({ currentTarget }) => setUnderstood(currentTarget.checked)}
      />
    </DeleteDialog>
  );
};

/** The data of a person: documents, an export of everything, and erasure. */
export const Privacy = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(pageTexts).privacy;
  const may = useMay();
  const [erasing, setErasing] = useState(false);
  return (
    <Stack gap="xl">
      <Section title={t.documents}>
        <Documents key={contact.id} contact={contact} />
      </Section>
      {may('pii:full') ? (
        <Section title={t.export}>
          <Export id={contact.id} />
        </Section>
      ) : null}
      {may('contacts:write') ? (
        <Section title={t.erase}>
          <Text size="sm">{t.eraseHint}</Text>
          <Button color="red" style={{ alignSelf: 'flex-start' }} onClick={() => setErasing(true)}>
            {t.erase}
          </Button>
        </Section>
      ) : null}
      {erasing ? <EraseDialog id={contact.id} onClose={() => setErasing(false)} /> : null}
    </Stack>
  );
};
