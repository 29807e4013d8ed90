import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Queue } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { AppLink, Status } from '../../ui/values.tsx';
import { useAge } from './ages.ts';
import { texts } from './texts.ts';

/** Each reading queries the whole index of due work: not more often than an operator can act on it. */
const REFRESH_MS = 15_000;

/** The queues of the stage, read again every 15 s. */
export const useQueues = () =>
  useQuery({
    queryKey: ['operator', 'queues'],
    queryFn: ({ signal }) => api.operator.listQueues({ signal }),
    refetchInterval: REFRESH_MS,
  });

const DeadLetters = ({ queue: { queue, deadLetters } }: { readonly queue: Queue }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return deadLetters === 0 ? (
    <Status tone="good">{t.queue.noneDead}</Status>
  ) : (
    <AppLink to={`/operator/queues/${queue}`}>
      <Status tone="bad">{t.queue.dead(format.number(deadLetters))}</Status>
    </AppLink>
  );
};

const useColumns = (): readonly Column<Queue>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const age = useAge();
  return [
    {
      key: 'queue',
      title: t.queue.name,
      cell: ({ queue }) => (
        <div>
          <AppLink to={`/operator/queues/${queue}`}>{queue}</AppLink>
          <Text size="sm" c="dimmed">
            {t.purposes[queue]}
          </Text>
        </div>
      ),
    },
    {
      key: 'waiting',
      title: t.queue.waiting,
      alignEnd: true,
      cell: ({ waiting, delayed }) => format.number(waiting + delayed),
    },
    { key: 'inFlight', title: t.queue.inFlight, alignEnd: true, cell: ({ inFlight }) => format.number(inFlight) },
    { key: 'oldest', title: t.queue.oldest, cell: ({ oldestDueSeconds }) => age(oldestDueSeconds) },
    { key: 'deadLetters', title: t.queue.deadLetters, cell: (queue) => <DeadLetters queue={queue} /> },
  ];
};

/** Every queue with its depth, the age of its oldest work, and its dead letters. */
export const Queues = () => {
  const t = useTexts(texts);
  const queues = useQueues();
  const columns = useColumns();
  return (
    <QueryView query={queues} loadingRows={9}>
      {({ items }) => (
        <Stack>
          <Text size="sm" c="dimmed">
            {t.queue.hint}
          </Text>
          <DataTable caption={t.tabs.queues} columns={columns} rows={items} keyOf={({ queue }) => queue} />
        </Stack>
      )}
    </QueryView>
  );
};
