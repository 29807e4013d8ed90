import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Id } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import type { Table } from '../shared/storage/client/table.ts';
import type { Client } from '../test/support/api.ts';
import { messageSizeIn, unitsByPartition } from './capacity-model.ts';
import type { Consumed } from './counting-proxy.ts';
import { type Service, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';

/** Messages of one bulk call, and of the single sends compared with it. */
const COUNT = 5_000;
const SINGLES = 2_000;
const CONNECTIONS = 16;
/** The sandbox reports nothing for this recipient, so that only the sends are measured. */
const SILENT = '+5511999990099';
const POLL_MS = 100;

/** Goal: a partition key takes 1,000 write units per second; a wallet may use this many of them at this rate of messages. */
const GOAL = { messagesPerSecond: 2_500, unitsPerSecond: 800 };

const message = { channel: 'sms', to: SILENT, text: 'Your order is on its way.' };

const bulk = async (client: Client, count: number): Promise<Id<'batch'>> => {
  const messages = Array.from({ length: count }, () => message);
  const { status, body, text } = await client.post('/v1/messages/bulk', { messages, mode: 'permissive' });
  if (status !== 202 || body.accepted !== count) throw new Error(`a bulk send was answered ${status}: ${text}`);
  return body.batchId;
};
const single = async (client: Client): Promise<void> => {
  const { status, text } = await client.post('/v1/messages', message, { 'idempotency-key': randomUUID() });
  if (status !== 202) throw new Error(`a send was answered ${status}: ${text}`);
};

/** Waits until a batch is sent and settled. Polls the table directly, so that polling does not load the service. */
const batchSent = async (store: Table, batchId: Id<'batch'>): Promise<void> => {
  const { chunks } = z.object({ chunks: z.int() }).parse(await store.get(KEYS.batch(batchId)));
  const keys = Array.from({ length: chunks }, (_, chunk) => KEYS.batchChunk(batchId, chunk));
  while (!(await store.getMany(keys)).every((row) => row?.state === 'closed')) await pause(POLL_MS);
};
/** Waits until this many messages of the channel are sent. */
const listSent = async (client: Client, count: number): Promise<void> => {
  const sent = async () => (await client.get('/v2/sms/messages', { status: 'sent', limit: 1 })).body.total as number;
  while ((await sent()) < count) await pause(POLL_MS);
};

interface Run {
  /** Messages per second: accepted, and sent. */
  readonly accepted: number;
  readonly sent: number;
}
const timed = async (count: number, accept: () => Promise<() => Promise<void>>): Promise<Run> => {
  const from = performance.now();
  const untilSent = await accept();
  const accepted = performance.now() - from;
  await untilSent();
  return { accepted: (count * 1000) / accepted, sent: (count * 1000) / (performance.now() - from) };
};

const bulkRun = ({ client, table: store }: Service): Promise<Run> =>
  timed(COUNT, async () => {
    const batchId = await bulk(client, COUNT);
    return () => batchSent(store, batchId);
  });
const singleRun = ({ client }: Service): Promise<Run> =>
  timed(SINGLES, async () => {
    await mapConcurrently(Array.from({ length: SINGLES }), CONNECTIONS, () => single(client));
    return () => listSent(client, SINGLES);
  });

/** What a comparison times: how its service is warmed up, and the messages. */
interface Timed {
  readonly warm?: (service: Service) => Promise<unknown>;
  readonly run: (service: Service) => Promise<Run>;
}

/** One run on an engine of its own, so that earlier writes have no effect. */
const freshRun = async (what: string, { warm, run }: Timed): Promise<Run> => {
  const service = await startService();
  try {
    await warm?.(service);
    const result = await run(service);
    console.log(`bulk: ${what}: accepted ${figure(result.accepted)}/s, sent ${figure(result.sent)}/s`);
    return result;
  } finally {
    await service.stop();
  }
};

const medians = (runs: readonly Run[]): Run => ({
  accepted: median(runs.map((run) => run.accepted)),
  sent: median(runs.map((run) => run.sent)),
});

/** Medians of both, whose runs alternate: a machine that becomes slower meanwhile does so for both. */
const alternately = async (ofBulk: Timed, ofSingle: Timed): Promise<{ bulk: Run; single: Run }> => {
  const [bulks, singles]: [Run[], Run[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    bulks.push(await freshRun(`round ${round}, bulk`, ofBulk));
    singles.push(await freshRun(`round ${round}, single`, ofSingle));
  }
  return { bulk: medians(bulks), single: medians(singles) };
};

interface Units {
  /** Modelled write units per message: in the wallet's partition, in the busiest other one, and in total. */
  readonly wallet: number;
  readonly all: number;
  readonly trips: number;
}

/** Table usage per message of one bulk call, or of single sends, until all are sent. */
const unitsOf = (consumed: Consumed, count: number): Units => {
  const size = consumed.calls.map(messageSizeIn).find((bytes) => bytes !== undefined) ?? 1;
  let [wallet, all] = [0, 0];
  for (const call of consumed.calls)
    for (const [pk, units] of unitsByPartition(call, size)) {
      all += units;
      if (pk.startsWith('WALLET#')) wallet += units;
    }
  return { wallet: wallet / count, all: all / count, trips: consumed.trips / count };
};

const countUnits = async (count: number, send: (service: Service) => Promise<unknown>): Promise<Units> => {
  const service = await startService({ counted: true });
  try {
    await single(service.client);
    await listSent(service.client, 1);
    service.proxy.reset();
    await send(service);
    return unitsOf(service.proxy.taken(), count);
  } finally {
    await service.stop();
  }
};

const verdictsOf = (bulkRuns: Run, singles: Run, units: Units): Verdict[] => {
  const perSecond = units.wallet * GOAL.messagesPerSecond;
  const relation = (of: string) => `Messages per second ${of} in bulk, relative to single sends`;
  return [
    verdict(
      `Modelled write units per second on a wallet's key at ${GOAL.messagesPerSecond} bulk messages per second`,
      perSecond,
      '<',
      GOAL.unitsPerSecond,
    ),
    verdict(relation('accepted'), bulkRuns.accepted / singles.accepted, '≥', 2, '×'),
    verdict(relation('sent'), bulkRuns.sent / singles.sent, '≥', 1, '×'),
  ];
};

const HOW = `The local stack, run by \`npm start\`, serves one \`POST /v1/messages/bulk\` of ${COUNT} messages, compared with ${SINGLES} single
\`POST /v1/messages\` over ${CONNECTIONS} connections; both send to a recipient without an outcome. Accepted: until the response; sent: until
the last message is sent; each over the whole time from the first request. The local stack does all of it in one process; deployed, requests and
consumers are functions of their own. Runs alternate; medians of ${ROUNDS} rounds, each on an engine and a process of its own. Units are modelled from the calls by DynamoDB's
documented rules, index entries included, until everything is sent and its money is settled; a wallet's key holds its balance, its ledger and its counters.`;

/** Bulk sends compared with single ones: throughput, and load on the wallet's key. */
export const benchBulk = async (): Promise<Section> => {
  const { bulk: bulkRuns, single: singles } = await alternately(
    { warm: async ({ client, table: store }) => batchSent(store, await bulk(client, 200)), run: bulkRun },
    { run: singleRun },
  );
  const bulkUnits = await countUnits(COUNT, async ({ client, table: store }) =>
    batchSent(store, await bulk(client, COUNT)),
  );
  const few = 100;
  const singleUnits = await countUnits(few, async ({ client }) => {
    for (let at = 0; at < few; at++) await single(client);
    await listSent(client, few + 1);
  });
  const row = (name: string, runs: Run, units: Units) => ({
    What: name,
    'Accepted/s': figure(runs.accepted),
    'Sent/s': figure(runs.sent),
    'Round trips a message': figure(units.trips),
    'WRU a message': figure(units.all),
    "Of them on the wallet's key": units.wallet.toFixed(3),
    [`On that key at ${GOAL.messagesPerSecond}/s`]: figure(units.wallet * GOAL.messagesPerSecond),
  });
  const rows = [row('bulk', bulkRuns, bulkUnits), row('single', singles, singleUnits)];
  return {
    title: 'Bulk sends',
    verdicts: verdictsOf(bulkRuns, singles, bulkUnits),
    text: `${HOW}\n\n${columns(rows)}`,
  };
};
