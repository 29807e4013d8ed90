import { Button, Code, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Activity, Archive } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { OperatorListSetAsideQuery, RetryWork, SetAsideWork, StuckWork } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { useAge } from './ages.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 15_000;
const LIMIT = 50;

/** Asks before work that was set aside is made due again. */
const RetryDialog = ({ work, onClose }: { readonly work: RetryWork; readonly onClose: () => void }) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={t.work.retry}
      hint={work.row ? t.work.retryRowHint(work.row.pk) : t.work.retryKindHint(work.kind)}
      act={() => api.operator.retryWork(work)}
      invalidates={[['operator', 'work']]}
      onClose={onClose}
    />
  );
};

const useStuckColumns = (onRetry: (work: RetryWork) => void): readonly Column<StuckWork>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const age = useAge();
  return [
    { key: 'kind', title: t.work.kind, cell: ({ kind }) => <Code>{kind}</Code> },
    {
      key: 'queue',
      title: t.queue.name,
      cell: ({ queue }) => <AppLink to={`/operator/queues/${queue}`}>{queue}</AppLink>,
    },
    {
      key: 'overdue',
      title: t.work.overdue,
      alignEnd: true,
      cell: ({ overdue, more }) => `${format.number(overdue)}${more ? '+' : ''}`,
    },
    { key: 'oldest', title: t.queue.oldest, cell: ({ oldestDueSeconds }) => age(oldestDueSeconds) },
    {
      key: 'leases',
      title: t.work.expiredLeases,
      alignEnd: true,
      cell: ({ shards }) => format.number(shards.filter(({ leaseExpired }) => leaseExpired).length),
    },
    {
      key: 'setAside',
      title: t.work.setAside,
      alignEnd: true,
      cell: ({ setAside }) => format.number(setAside),
    },
    {
      key: 'actions',
      title: t.letter.actions,
      alignEnd: true,
      cell: ({ kind, setAside }) =>
        setAside === 0 ? null : (
          <Button size="xs" variant="default" aria-label={t.work.retryFor(kind)} onClick={() => onRetry({ kind })}>
            {t.work.retry}
          </Button>
        ),
    },
  ];
};

const Stuck = ({ onRetry }: { readonly onRetry: (work: RetryWork) => void }) => {
  const t = useTexts(texts);
  const columns = useStuckColumns(onRetry);
  const stuck = useQuery({
    queryKey: ['operator', 'work', 'stuck'],
    queryFn: ({ signal }) => api.operator.listWork({ signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <QueryView query={stuck}>
      {({ items }) =>
        items.length > 0 ? (
          <DataTable caption={t.tabs.work} columns={columns} rows={items} keyOf={({ kind }) => kind} />
        ) : (
          <EmptyState icon={Activity} title={t.work.emptyTitle}>
            {t.work.empty}
          </EmptyState>
        )
      }
    </QueryView>
  );
};

const useAsideColumns = (onRetry: (work: RetryWork) => void): readonly Column<SetAsideWork>[] => {
  const t = useTexts(texts);
  return [
    { key: 'kind', title: t.work.kind, cell: ({ kind }) => <Code>{kind}</Code> },
    {
      key: 'row',
      title: t.work.row,
      cell: ({ pk, sk }) => (
        <span className="breakable">
          {pk} · {sk}
        </span>
      ),
    },
    { key: 'setAsideAt', title: t.work.setAsideAt, cell: ({ setAsideAt }) => <Time at={setAsideAt} /> },
    {
      key: 'actions',
      title: t.letter.actions,
      alignEnd: true,
      cell: ({ kind, pk, sk }) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.work.retryFor(pk)}
          onClick={() => onRetry({ kind, row: { pk, sk } })}
        >
          {t.work.retry}
        </Button>
      ),
    },
  ];
};

const KINDS = (items: readonly StuckWork[]) =>
  items.filter(({ setAside }) => setAside > 0).map(({ kind }) => ({ value: kind, label: kind }));

const SetAside = ({ onRetry }: { readonly onRetry: (work: RetryWork) => void }) => {
  const t = useTexts(texts);
  const columns = useAsideColumns(onRetry);
  const stuck = useQuery({
    queryKey: ['operator', 'work', 'stuck'],
    queryFn: ({ signal }) => api.operator.listWork({ signal }),
  });
  const fields = useMemo(
    (): readonly FilterField[] => [
      { name: 'kind', label: t.work.kind, kind: 'choice', choices: KINDS(stuck.data?.items ?? []) },
    ],
    [t, stuck.data],
  );
  const filters = useFilterValues(fields) as OperatorListSetAsideQuery;
  const list = useQuery({
    queryKey: ['operator', 'work', 'set-aside', filters],
    queryFn: ({ signal }) => api.operator.listSetAside({ ...filters, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={t.work.setAside}>
      <Text size="sm" c="dimmed">
        {t.work.setAsideHint}
      </Text>
      <Filters fields={fields} label={t.work.filters} />
      <QueryView query={list} loadingRows={2}>
        {({ items }) =>
          items.length > 0 ? (
            <DataTable
              caption={t.work.setAside}
              columns={columns}
              rows={items}
              keyOf={({ kind, pk, sk }) => `${kind} ${pk} ${sk}`}
            />
          ) : (
            <EmptyState icon={Archive} title={t.work.asideEmptyTitle}>
              {t.work.asideEmpty}
            </EmptyState>
          )
        }
      </QueryView>
    </Section>
  );
};

/** Work that is overdue or was set aside, and the latter made due again. */
export const Work = () => {
  const t = useTexts(texts);
  const [retried, setRetried] = useState<RetryWork>();
  return (
    <Stack gap="xl">
      <Section title={t.tabs.work}>
        <Text size="sm" c="dimmed">
          {t.work.hint}
        </Text>
        <Stuck onRetry={setRetried} />
      </Section>
      <SetAside onRetry={setRetried} />
      {retried ? <RetryDialog work={retried} onClose={() => setRetried(undefined)} /> : null}
    </Stack>
  );
};
