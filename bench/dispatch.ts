import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from '../infra/local/engines.ts';
import { ensureTable } from '../infra/local/resources.ts';
import { tableName } from '../infra/local/stages.ts';
import { depthOf } from '../infra/operator/queue-actions.ts';
import { newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { makePublisher } from '../shared/queues/publisher.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { Table } from '../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../shared/storage/index-patterns.ts';
import { makeDispatcher } from '../test/support/dispatch.ts';
import { startStore } from './processes.ts';
import { columns, figure, type Section, verdict } from './report.ts';

const ROWS = Number(process.env.ROWS ?? 50_000);
/** Rows of one put, and puts at once. */
const PUT = 25;
const PUTS_AT_ONCE = 8;
/** What a million rows in ten minutes are, a second. */
const GOAL = 1_000_000 / 600;
const KIND = 'send_message';

/** Messages that are due at one moment, as large as an SMS's row. */
const putRows = async (table: Table, at: number): Promise<void> => {
  const puts = Array.from({ length: ROWS / PUT }, () => newId('organization'));
  await mapConcurrently(puts, PUTS_AT_ONCE, (org) =>
    table.putMany(
      Array.from({ length: PUT }, () => {
        const id = newId('message');
        return { ...KEYS.message(id), ...INDEX_KEYS.due(KIND, id, at), org, content: 'x'.repeat(1_200) };
      }),
    ),
  );
};

const measured = (what: string, handedOver: number, ms: number) => ({
  'handed over': what,
  rows: handedOver,
  'rows/s': figure((handedOver * 1_000) / ms),
});

/** How fast one dispatcher hands over what is due at one moment, with and without a queue, and what another run hands over again. */
export const benchDispatch = async (): Promise<Section> => {
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
      handOver: ({ kind }, rows) => handOver(rows.map(({ pk, sk }) => ({ kind, pk, sk }))),
    });
    published.depth = ROWS;
    const from = performance.now();
    const first = await published.run(KIND);
    const ms = performance.now() - from;
    published.now += 120_000;
    const again = await published.run(KIND);
    const { waiting } = await depthOf(sqs, url);
    const idle = makeDispatcher(table, now - 60_000);
    const idleFrom = performance.now();
    await idle.run(KIND);
    const rows = [measured('to the local queue, by one dispatcher', first.handedOver, ms)];
    const text = `${ROWS.toLocaleString('en-US')} messages that are due at one moment, by one dispatcher of those that share the shards (four in a deployment). Afterwards ${waiting.toLocaleString('en-US')} messages are in the queue; a run two minutes later, while they wait, hands over ${again.handedOver + again.repeated} again. A run that finds nothing takes ${figure(performance.now() - idleFrom)} ms.

${columns(rows)}`;
    return {
      title: 'Handing over what is due',
      verdicts: [
        verdict('rows handed over a second by one dispatcher', (first.handedOver * 1_000) / ms, '≥', Math.ceil(GOAL)),
        verdict('messages for a row, while they wait', waiting / ROWS, '≤', 1),
      ],
      text,
    };
  } finally {
    await queue.stop();
    await store.stop();
  }
};
