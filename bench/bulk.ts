import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { KEYS } from '../shared/storage/access-patterns.ts';
import type { Table } from '../shared/storage/table.ts';
import { apiClient, type Client } from '../test/support/api.ts';
import { messageSizeIn, unitsByPartition } from './capacity-model.ts';
import { type Consumed, startCountingProxy } from './counting-proxy.ts';
import { fundedOrganization, startPlatformProcess, startStore, tablesAt } from './processes.ts';
import { circumstances, figure, loadNow, median, type Section, table, type Verdict } from './report.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Messages of one bulk call, and of the single sends beside it. */
const COUNT = 5_000;
const SINGLES = 2_000;
const CONNECTIONS = 16;
/** Nothing is reported of it: what is measured is the sends alone. */
const SILENT = '+5511999990099';
const LOOK_MS = 100;

/** A partition key takes 1,000 write units a second; what a wallet may use of them at this rate of messages. */
const GOAL = { messagesPerSecond: 2_500, unitsPerSecond: 800 };

const message = { channel: 'sms', to: SILENT, text: 'Your order is on its way.' };

interface Platform {
  readonly client: Client;
  /** Its table of the test stage, past the proxy. */
  readonly store: Table;
  readonly taken: () => Consumed;
  readonly reset: () => void;
  stop(): Promise<void>;
}

/** The local platform on an engine of its own; `counted`: behind a proxy that counts its calls. */
const start = async (counted: boolean): Promise<Platform> => {
  const store = await startStore();
  const proxy = counted ? await startCountingProxy(store.endpoint) : undefined;
  const dynamodbEndpoint = proxy?.endpoint ?? store.endpoint;
  const running = await startPlatformProcess({ dataDir: store.folder, dynamodbEndpoint });
  const { keys } = await fundedOrganization(store.endpoint);
  return {
    store: tablesAt(store.endpoint).test,
    client: apiClient(`http://127.0.0.1:${running.port}`, keys.test),
    taken: () => proxy?.taken() ?? { trips: 0, readUnits: 0, writeUnits: 0, actions: {}, calls: [] },
    reset: () => proxy?.reset(),
    async stop() {
      await running.stop();
      await proxy?.close();
      await store.stop();
    },
  };
};

const bulk = async (client: Client, count: number): Promise<string> => {
  const messages = Array.from({ length: count }, () => message);
  const { status, body, text } = await client.post('/v1/messages/bulk', { messages, mode: 'permissive' });
  if (status !== 202 || body.accepted !== count) throw new Error(`a bulk send was answered ${status}: ${text}`);
  return body.batchId;
};
const single = async (client: Client): Promise<void> => {
  const { status, text } = await client.post('/v1/messages', message, { 'idempotency-key': randomUUID() });
  if (status !== 202) throw new Error(`a send was answered ${status}: ${text}`);
};

/** Waits until a batch is sent and its money settled; looks at its chunks in the table, so that looking costs the platform nothing. */
const batchSent = async (store: Table, batchId: string): Promise<void> => {
  const { chunks } = z.object({ chunks: z.int() }).parse(await store.get(KEYS.batch(batchId)));
  const keys = Array.from({ length: chunks }, (_, chunk) => KEYS.batchChunk(batchId, chunk));
  while (!(await store.getMany(keys)).every((row) => row?.state === 'closed')) await pause(LOOK_MS);
};
/** Waits until so many messages of the channel are sent. */
const listSent = async (client: Client, count: number): Promise<void> => {
  const sent = async () => (await client.get('/v2/sms/messages', { status: 'sent', limit: 1 })).body.total as number;
  while ((await sent()) < count) await pause(LOOK_MS);
};

interface Run {
  /** Messages accepted, and sent, per second of the whole. */
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

const bulkRun = ({ client, store }: Platform): Promise<Run> =>
  timed(COUNT, async () => {
    const batchId = await bulk(client, COUNT);
    return () => batchSent(store, batchId);
  });
const singleRun = ({ client }: Platform): Promise<Run> =>
  timed(SINGLES, async () => {
    let left = SINGLES;
    const walk = async () => {
      while (left-- > 0) await single(client);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, walk));
    return () => listSent(client, SINGLES);
  });

/** Engines start anew for every run: none pays for what another wrote. */
const fresh = async (
  what: string,
  warm: (platform: Platform) => Promise<unknown>,
  run: (platform: Platform) => Promise<Run>,
) => {
  const runs: Run[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const platform = await start(false);
    try {
      await warm(platform);
      const result = await run(platform);
      runs.push(result);
      console.log(
        `bulk: round ${round}, ${what}: accepted ${figure(result.accepted)}/s, sent ${figure(result.sent)}/s`,
      );
    } finally {
      await platform.stop();
    }
  }
  return { accepted: median(runs.map((run) => run.accepted)), sent: median(runs.map((run) => run.sent)) };
};

interface Units {
  /** Modelled write units per message: of the wallet's partition, of the busiest other one in all, and of everything. */
  readonly wallet: number;
  readonly all: number;
  readonly trips: number;
}

/** What one bulk call, or single sends, ask of the table until all is sent, per message. */
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

const countUnits = async (count: number, send: (platform: Platform) => Promise<unknown>): Promise<Units> => {
  const platform = await start(true);
  try {
    await single(platform.client);
    await listSent(platform.client, 1);
    platform.reset();
    await send(platform);
    return unitsOf(platform.taken(), count);
  } finally {
    await platform.stop();
  }
};

const verdictsOf = (bulkRuns: Run, singles: Run, units: Units): Verdict[] => {
  const perSecond = units.wallet * GOAL.messagesPerSecond;
  return [
    {
      what: `Modelled write units a second on a wallet's key at ${GOAL.messagesPerSecond} bulk messages a second`,
      measured: figure(perSecond),
      goal: `< ${GOAL.unitsPerSecond}`,
      holds: perSecond < GOAL.unitsPerSecond,
    },
    {
      what: 'Messages a second accepted by bulk, beside single sends',
      measured: `${figure(bulkRuns.accepted / singles.accepted)}×`,
      goal: '≥ 2×',
      holds: bulkRuns.accepted >= 2 * singles.accepted,
    },
    {
      what: 'Messages a second sent by bulk, beside single sends',
      measured: `${figure(bulkRuns.sent / singles.sent)}×`,
      goal: '≥ 1×',
      holds: bulkRuns.sent >= singles.sent,
    },
  ];
};

const HOW = `The local platform as \`npm start\` runs it takes one \`POST /v1/messages/bulk\` of ${COUNT} messages, beside ${SINGLES} single
\`POST /v1/messages\` over ${CONNECTIONS} connections; both send to a recipient of whom no outcome comes. Accepted is until the answer, sent is until
the last message left, each over the whole time from the first request. The platform does all of it in one process; deployed, requests and
consumers are functions of their own. Medians of ${ROUNDS} rounds, each on an engine and a process of its own. Units are modelled from the calls by DynamoDB's
documented rules, index entries included, until everything is sent and its money is settled; a wallet's key holds its balance, its ledger and its counters.`;

/** Bulk sends beside single ones: their pace, and what they ask of a wallet's key. */
export const benchBulk = async (): Promise<Section> => {
  const loadBefore = loadNow();
  const bulkRuns = await fresh('bulk', async ({ client, store }) => batchSent(store, await bulk(client, 200)), bulkRun);
  const singles = await fresh('single', async () => {}, singleRun);
  const bulkUnits = await countUnits(COUNT, async ({ client, store }) => batchSent(store, await bulk(client, COUNT)));
  const few = 100;
  const singleUnits = await countUnits(few, async ({ client }) => {
    for (let at = 0; at < few; at++) await single(client);
    await listSent(client, few + 1);
  });
  const row = (name: string, runs: Run, units: Units) => [
    name,
    figure(runs.accepted),
    figure(runs.sent),
    figure(units.trips),
    figure(units.all),
    units.wallet.toFixed(3),
    figure(units.wallet * GOAL.messagesPerSecond),
  ];
  const head = [
    'What',
    'Accepted/s',
    'Sent/s',
    'Round trips a message',
    'WRU a message',
    "Of them on the wallet's key",
    `On that key at ${GOAL.messagesPerSecond}/s`,
  ];
  const rows = [row('bulk', bulkRuns, bulkUnits), row('single', singles, singleUnits)];
  return {
    title: 'Bulk sends',
    verdicts: verdictsOf(bulkRuns, singles, bulkUnits),
    text: `${circumstances('bulk', loadBefore)}\n\n${HOW}\n\n${table(head, rows)}`,
  };
};
