import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from '../infra/local/engines.ts';
import { ensureTable } from '../infra/local/resources.ts';
import { tableName } from '../infra/local/stages.ts';
import { newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { depthOf } from '../shared/queues/dead-letters.ts';
import { makePublisher } from '../shared/queues/publisher.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { Table } from '../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../shared/storage/index-patterns.ts';
import { makeDispatcher } from '../test/support/dispatch.ts';
import { startStore } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

const ROWS = Number(process.env.ROWS ?? 50_000);
/** Rows of one put, and puts at once. */
const PUT = 25;
const CONCURRENT_PUTS = 8;
/** What a million rows in ten minutes are, a second. */
const GOAL = 1_000_000 / 600;
const KIND = 'send_message';

/** Messages that are due at one moment, as large as an SMS's row. */
const putRows = async (table: Table, at: number): Promise<void> => {
  const puts = Array.from({ length: ROWS / PUT }, () => newId('organization'));
  await mapConcurrently(puts, CONCURRENT_PUTS, (org) =>
    table.putMany(
      Array.from({ length: PUT }, () => {
        const id = newId('message');
        return { ...KEYS.message(id), ...INDEX_KEYS.due(KIND, id, at), org, content: 'x'.repeat(1_200) };
      }),
    ),
  );
};

interface Round {
  readonly handedOver: number;
  readonly perSecond: number;
  /** Messages in the queue afterwards, for a row. */
  readonly messages: number;
  readonly again: number;
  readonly idleMs: number;
}

/** One dispatcher's run over what is due at one moment, another run later, and one that finds nothing. */
const round = async (): Promise<Round> => {
  const store = await startStore();
  const queue = await startFauxqs();
  const client = tableClient(store.endpoint);
  await ensureTable(client, tableName('live'));
  const table = new Table(client, tableName('live'));
  const sqs = new SQSClient({ endpoint: queue.endpoint, maxAttempts: 2 });
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'send' }));
  const url = new URL(new URL(QueueUrl).pathname, queue.endpoint).href;
  const { handOver } = makePublisher(sqs, { send: url }, () => undefined);
  const now = Date.now();
  try {
    await putRows(table, now);
    const published = makeDispatcher(table, now + 6_000, {
      handOver: ({ kind }, rows) => handOver(rows.map(({ pk, sk }) => ({ kind, pk, sk, owner: 'stage' }))),
    });
    published.depth = ROWS;
    const from = performance.now();
    const { handedOver } = await published.run(KIND);
    const ms = performance.now() - from;
    published.now += 120_000;
    const again = await published.run(KIND);
    const { waiting } = await depthOf(sqs, url);
    const idle = makeDispatcher(table, now - 60_000);
    const idleFrom = performance.now();
    await idle.run(KIND);
    return {
      handedOver,
      perSecond: (handedOver * 1_000) / ms,
      messages: waiting / ROWS,
      again: again.handedOver + again.repeated,
      idleMs: performance.now() - idleFrom,
    };
  } finally {
    await queue.stop();
    await store.stop();
  }
};

const rows = ROWS.toLocaleString('en-US');
const HOW = `${rows} messages that are due at one moment, by one dispatcher of those that share the shards (four in a deployment), to a local queue. Again: handed over by a run two
minutes later, while all of them wait in the queue. Idle: a run that finds nothing.`;

/** How fast one dispatcher hands over what is due at one moment, and what another run hands over again. */
export const benchDispatch = async (): Promise<Section> => {
  const rounds: Round[] = [];
  for (let at = 0; at < ROUNDS; at++) rounds.push(await round());
  const perSecond = median(rounds.map((each) => each.perSecond));
  return {
    title: 'Handing over what is due',
    verdicts: [
      verdict('rows handed over a second by one dispatcher', perSecond, '≥', Math.ceil(GOAL)),
      verdict('messages for a row, while they wait', Math.max(...rounds.map(({ messages }) => messages)), '≤', 1),
    ],
    text: `${HOW}\n\n${columns(
      rounds.map((each, at) => ({
        Round: at + 1,
        Rows: each.handedOver,
        'Rows/s': figure(each.perSecond),
        'Messages a row': figure(each.messages),
        Again: each.again,
        'Idle, ms': figure(each.idleMs),
      })),
    )}`,
  };
};
