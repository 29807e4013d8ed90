import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { DeadLetter, Queue, Redrive } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Fact, Facts, Status, Time } from '../../ui/values.tsx';
import { useAge } from './ages.ts';
import { useQueues } from './queues.tsx';
import { RedriveDialog, RedriveProgress } from './redrive.tsx';
import { texts } from './texts.ts';

/** As many as one reading shows. */
const LIMIT = 50;

const QueueFacts = ({ queue }: { readonly queue: Queue }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const age = useAge();
  return (
    <Facts>
      <Fact name={t.queue.waiting}>{format.number(queue.waiting + queue.delayed)}</Fact>
      <Fact name={t.queue.inFlight}>{format.number(queue.inFlight)}</Fact>
      <Fact name={t.queue.oldest}>{age(queue.oldestDueSeconds)}</Fact>
      <Fact name={t.queue.deadLetters}>{format.number(queue.deadLetters)}</Fact>
    </Facts>
  );
};

const Work = ({ letter: { work } }: { readonly letter: DeadLetter }) => {
  const t = useTexts(texts);
  if (!work)
    return (
      <Stack gap={2} align="flex-start">
        <Status tone="neutral">{t.letter.unreadable}</Status>
        <Text size="sm">{t.letter.unreadableHint}</Text>
      </Stack>
    );
  return (
    <Stack gap={2}>
      <Code className="breakable">{work.kind}</Code>
      <Text>
        {work.pk} · {work.sk}
      </Text>
      {work.organizationId ? (
        <AppLink to={`/operator/organizations/${work.organizationId}`}>{work.organizationId}</AppLink>
      ) : null}
    </Stack>
  );
};

const WhyItDied = ({ letter: { lastFailure } }: { readonly letter: DeadLetter }) => {
  const t = useTexts(texts);
  if (!lastFailure) return <Text size="sm">{t.letter.unknown}</Text>;
  return (
    <Stack gap={2}>
      <Text fw={600} className="breakable">
        {lastFailure.fault}
      </Text>
      <Text>{lastFailure.reason}</Text>
      <Text size="sm" c="dimmed">
        <Time at={lastFailure.at} />
      </Text>
    </Stack>
  );
};

const useColumns = (onRedrive: (letter: DeadLetter) => void): readonly Column<DeadLetter>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    { key: 'why', title: t.letter.why, cell: (letter) => <WhyItDied letter={letter} /> },
    { key: 'work', title: t.letter.work, cell: (letter) => <Work letter={letter} /> },
    { key: 'sentAt', title: t.letter.sentAt, cell: ({ sentAt }) => <Time at={sentAt} /> },
    { key: 'receives', title: t.letter.receives, alignEnd: true, cell: ({ receives }) => format.number(receives) },
    { key: 'isDue', title: t.letter.due, cell: ({ isDue }) => (isDue ? t.letter.isDue : t.letter.isNotDue) },
    {
      key: 'redrive',
      title: t.letter.actions,
      alignEnd: true,
      cell: (letter) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.redrive.oneFor(letter.work?.kind ?? letter.id)}
          onClick={() => onRedrive(letter)}
        >
          {t.redrive.one}
        </Button>
      ),
    },
  ];
};

/** Each reading counts as a receive and is audited: only opening the page, a redrive, and the button read again. */
const useDeadLetters = (queue: string) =>
  useQuery({
    queryKey: ['operator', 'dead-letters', queue],
    queryFn: ({ signal }) => api.operator.peekDeadLetters(queue, { limit: LIMIT }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

const Outcome = ({ redrive, before }: { readonly redrive: Redrive; readonly before: number }) => {
  const t = useTexts(texts);
  const format = useFormat();
  if (redrive.state === 'running') return <RedriveProgress queue={redrive.queue} before={before} />;
  return (
    <Alert variant="outline" role="status">
      {t.redrive.moved(format.number(redrive.moved))}
      {redrive.notFound.length > 0 ? ` ${t.redrive.notFound(format.number(redrive.notFound.length))}` : ''}
    </Alert>
  );
};

/** The dead letters to redrive: one, or all of the queue. */
type Chosen = DeadLetter | 'all';

/** A queue and its dead letters: why each died, and back to the queue with one or all. */
export default function QueuePage() {
  const { queue = '' }: { queue?: string } = useParams({ strict: false });
  const t = useTexts(texts);
  const [chosen, setChosen] = useState<Chosen>();
  const [done, setDone] = useState<{ readonly redrive: Redrive; readonly before: number }>();
  const shown = useQueues().data?.items.find((each) => each.queue === queue);
  const letters = useDeadLetters(queue);
  const columns = useColumns(setChosen);
  const found = letters.data?.items ?? [];
  const count = Math.max(shown?.deadLetters ?? 0, found.length);
  const actions = (
    <>
      <Button variant="default" loading={letters.isFetching} onClick={() => void letters.refetch()}>
        {t.letter.again}
      </Button>
      {found.length > 0 ? <Button onClick={() => setChosen('all')}>{t.redrive.all}</Button> : null}
    </>
  );
  return (
    <Page title={t.queue.title(queue)} description={shown ? t.purposes[shown.queue] : undefined} actions={actions}>
      {shown ? <QueueFacts queue={shown} /> : null}
      {done ? <Outcome {...done} /> : null}
      <Section title={t.queue.deadLetters}>
        <Text size="sm" c="dimmed">
          {t.letter.hint}
        </Text>
        <QueryView query={letters}>
          {({ items }) =>
            items.length > 0 ? (
              <DataTable caption={t.queue.deadLetters} columns={columns} rows={items} keyOf={({ id }) => id} />
            ) : (
              <EmptyState icon={MailCheck} title={t.letter.emptyTitle}>
                {t.letter.empty}
              </EmptyState>
            )
          }
        </QueryView>
      </Section>
      {chosen ? (
        <RedriveDialog
          queue={queue}
          {...(chosen === 'all' ? {} : { ids: [chosen.id] })}
          count={chosen === 'all' ? count : 1}
          onClose={() => setChosen(undefined)}
          onDone={(redrive) => setDone({ redrive, before: count })}
        />
      ) : null}
    </Page>
  );
}
