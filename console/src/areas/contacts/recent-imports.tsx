import { Text } from '@mantine/core';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactImport } from '../../sdk.ts';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { Section } from '../../ui/page.tsx';
import { AppLink, StateOf, Time, type Tone } from '../../ui/values.tsx';
import { importTexts } from './import-texts.ts';

export const IMPORT_TONES: Readonly<Record<ContactImport['status'], Tone>> = {
  awaiting_upload: 'neutral',
  running: 'pending',
  cancelling: 'pending',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** The imports of the last 30 days. */
export const RecentImports = () => {
  const t = useTexts(importTexts);
  const format = useFormat();
  const imports = useCursorList<ContactImport>({
    queryKey: ['imports'],
    read: async (paging, signal) => api.contactImports.list({ limit: 20, ...paging }, { signal }),
  });
  return (
    <Section title={t.recent}>
      <CursorList
        query={imports}
        caption={t.recent}
        keyOf={({ id }) => id}
        empty={<Text c="dimmed">{t.none}</Text>}
        columns={[
          {
            key: 'createdAt',
            title: t.createdAt,
            cell: ({ id, createdAt }) => (
              <AppLink to={`/contacts/import/${id}`}>
                <Time at={createdAt} />
              </AppLink>
            ),
          },
          {
            key: 'status',
            title: t.status,
            cell: ({ status }) => <StateOf state={status} tones={IMPORT_TONES} words={t.statuses} />,
          },
          {
            key: 'rows',
            title: t.rows,
            alignEnd: true,
            cell: ({ progress }) => format.number(progress.rows),
          },
        ]}
      />
    </Section>
  );
};
