import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { SessionList } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { Section } from './section.tsx';
import { texts } from './texts.ts';

type OpenSession = SessionList['items'][number];

/** The sessions of the person who is signed in. The one that is in use ends by signing out. */
export const Sessions = () => {
  const t = useTexts(texts);
  const format = useFormat();
  const queries = useQueryClient();
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => api.sessions.list({}, { signal }) });
  const ending = useMutation({
    mutationFn: (id: string) => api.sessions.delete(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const columns: readonly Column<OpenSession>[] = [
    { key: 'begun', title: t.columns.begun, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'ends', title: t.columns.ends, cell: ({ expiresAt }) => <Time at={expiresAt} relative /> },
    {
      key: 'which',
      title: t.columns.which,
      cell: ({ id, createdAt, current }) =>
        current ? (
          t.current
        ) : (
          <Button
            size="xs"
            variant="default"
            aria-label={t.endOf(format.dateTime(createdAt))}
            loading={ending.isPending && ending.variables === id}
            onClick={() => ending.mutate(id)}
          >
            {t.end}
          </Button>
        ),
    },
  ];
  return (
    <Section title={t.sessions} hint={t.sessionsHint}>
      <ProblemView error={sessions.error ?? ending.error} onRetry={() => void sessions.refetch()} />
      {sessions.isPending && !sessions.error ? <Loading rows={2} /> : null}
      {sessions.data ? (
        <DataTable caption={t.sessions} columns={columns} rows={sessions.data.items} keyOf={({ id }) => id} />
      ) : null}
    </Section>
  );
};
