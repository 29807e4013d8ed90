import { setTimeout as pause } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { keyFileOf } from '../infra/local/stages.ts';
import { saveProvider } from '../infra/operator/provider-settings.ts';
import { rootKeysOf } from '../infra/operator/root-keys.ts';
import { localKeyProvider } from '../shared/providers/keys/local-key-provider.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Client } from '../test/support/api.ts';
import { type InfobipStandIn, startInfobipStandIn } from '../test/support/providers/infobip-stand-in.ts';
import { deliver } from '../test/support/providers/stand-in.ts';
import { messageSizeIn, modelledWriteUnits } from './capacity-model.ts';
import type { Consumed, CountingProxy } from './counting-proxy.ts';
import { startService, tablesAt } from './processes.ts';
import { columns, figure, type Section, verdict } from './report.ts';

const REPEATS = 20;
const SILENT = '+5511999990099';
const DELIVERED = '+5511999990005';
/** A sandbox outcome comes 3 s after its send, its event right after it. */
const OUTCOME_MS = 5_000;

interface Callers extends Readonly<Record<'live' | 'test', Client>> {
  readonly provider: InfobipStandIn;
}
interface Work {
  readonly what: string;
  readonly run: (callers: Callers, turn: number) => Promise<unknown>;
  /** What comes before each run, and is not counted. */
  readonly first?: (callers: Callers, turn: number) => Promise<unknown>;
  /** Wait after each run, in ms, to count asynchronous work as well. */
  readonly thenMs?: number;
  readonly repeats?: number;
}

let sent = { id: '' };
const send =
  (env: 'live' | 'test', route: string, to: string): Work['run'] =>
  async (callers, turn) => {
    const { status, body, text } = await callers[env].send({ to, route }, `${env}-${route}-${to}-${turn}`);
    if (status !== 201) throw new Error(`a send was answered ${status}: ${text}`);
    if (env === 'test') sent = body;
  };
const get =
  (path: () => string): Work['run'] =>
  async ({ test }) => {
    const { status, text } = await test.get(path());
    if (status !== 200) throw new Error(`${path()} was answered ${status}: ${text}`);
  };

/** Delivers the provider's receipt of the last live send. */
const receive: Work['run'] = async ({ provider }) => {
  const message = provider.messages.at(-1);
  if (!message) throw new Error('the provider accepted nothing');
  const { status } = await deliver(provider.receipt(message, 'delivered'));
  if (status !== 200) throw new Error(`a receipt was answered ${status}`);
};

const LIVE_SEND = 'Send, live, otp';
const RECEIPT = 'Receipt of a live send, applied';
/** Goal: write units of the two together. */
const WRITE_UNITS = 24;
/** A receipt's consumer is done within this time, in ms. */
const APPLIED_MS = 500;
/** Everything that is counted, in this order: later work reads what earlier work wrote. */
const WORKS: readonly Work[] = [
  { what: 'Send, test, otp', run: send('test', 'otp', SILENT) },
  { what: 'Send, test, premium', run: send('test', 'premium', SILENT) },
  { what: LIVE_SEND, run: send('live', 'otp', '+5511987654321') },
  { what: RECEIPT, run: receive, first: send('live', 'otp', '+5511987654323'), thenMs: APPLIED_MS },
  { what: 'Send, live, premium', run: send('live', 'premium', '+5511987654322') },
  {
    what: 'Send, test, otp, with its outcome and its event',
    run: send('test', 'otp', DELIVERED),
    thenMs: OUTCOME_MS,
    repeats: 2,
  },
  { what: 'Replay of a key', run: async ({ test }) => test.send({ to: SILENT, route: 'otp' }, `test-otp-${SILENT}-0`) },
  { what: 'Read a message', run: get(() => `/v2/sms/messages/${sent.id}`) },
  { what: 'List, first page of 50', run: get(() => '/v2/sms/messages?limit=50') },
  { what: 'Read the wallet', run: get(() => '/v2/wallet') },
  { what: 'Ledger, first page', run: get(() => '/v2/wallet/entries') },
];

interface Counted {
  readonly what: string;
  readonly perRun: Consumed;
  readonly modelled: number;
  /** Size of the message row in bytes, if one was written. */
  readonly messageBytes: number | undefined;
}

/** Counts a work's runs after one that fills the caches. Takes the minimum: background work can only add to it. */
const count = async (proxy: CountingProxy, callers: Callers, work: Work): Promise<Counted> => {
  const { what, run, first, thenMs = 0, repeats = REPEATS } = work;
  const runs: Consumed[] = [];
  for (let turn = 0; turn <= repeats; turn++) {
    await first?.(callers, turn);
    proxy.reset();
    await run(callers, turn);
    await pause(thenMs);
    if (turn > 0) runs.push(proxy.taken());
  }
  runs.sort((a, b) => a.trips - b.trips);
  const [least] = runs;
  if (!least) throw new Error(`${what} was not run`);
  const messageBytes = least.calls.map(messageSizeIn).find((size) => size !== undefined);
  const modelled = least.calls.reduce((sum, call) => sum + modelledWriteUnits(call, messageBytes ?? 1), 0);
  return { what, perRun: least, modelled, messageBytes };
};

/** Whether the engine's figures include index writes: writes the same row with and without index attributes. */
const countsIndexes = async (proxy: CountingProxy, tableName: string): Promise<boolean> => {
  const client = tableClient(proxy.endpoint);
  const put = async (more: Record<string, { S: string }>) => {
    proxy.reset();
    await client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: { pk: { S: 'PROBE' }, sk: { S: JSON.stringify(more) }, ...more },
      }),
    );
    return proxy.taken().writeUnits;
  };
  const [bare, indexed] = [await put({}), await put({ gsi1pk: { S: 'PROBE' }, gsi1sk: { S: 'PROBE' } })];
  client.destroy();
  return indexed > bare;
};

const measure = async () => {
  const { store, proxy, keys, clientOf, stop } = await startService({
    counted: true,
    env: { DISPATCH_SECONDS: '60000' },
  });
  const provider = await startInfobipStandIn();
  try {
    const { live } = tablesAt(store.endpoint);
    const wrapping = localKeyProvider(keyFileOf(store.folder));
    const tables = tablesAt(store.endpoint);
    const target = { tables, ...rootKeysOf(tables, async () => () => wrapping) };
    await saveProvider(target, 'live', { channel: 'sms', name: 'infobip', settings: provider.settings });
    const callers = { live: clientOf(keys.live), test: clientOf(keys.test), provider };
    const counted: Counted[] = [];
    for (const work of WORKS) counted.push(await count(proxy, callers, work));
    return { counted, indexed: await countsIndexes(proxy, live.name) };
  } finally {
    await stop();
    await provider.close();
  }
};

const actionsText = (actions: Consumed['actions']) =>
  Object.entries(actions)
    .map(([name, times]) => `${times} ${name}`)
    .join(', ');

/** Request units and round trips of each operation. */
export const benchCapacity = async (): Promise<Section> => {
  const { counted, indexed } = await measure();
  const rows = counted.map(({ what, perRun, modelled, messageBytes }) => ({
    What: what,
    'Round trips': perRun.trips,
    Calls: actionsText(perRun.actions),
    'WRU measured (engine)': figure(perRun.writeUnits),
    'WRU modelled (DynamoDB)': figure(modelled),
    'RRU measured': figure(perRun.readUnits),
    'Message row, bytes': messageBytes ?? '',
  }));
  const text = [
    `A proxy in front of the engine adds \`ReturnConsumedCapacity: TOTAL\` to each call and sums the results. Measured: the units of the embedded engine (Dynoxide), whose figures ${indexed ? 'include' : 'do **not** include'} writes of index entries. Modelled: the units of the same calls by DynamoDB's documented rules, including index entries. Each is the minimum of ${REPEATS} runs in a process with filled caches (prices, settings, routes and breakers are read every few seconds). A live send includes the draw from its key's rate limit.`,
    columns(rows),
  ];
  // Measured, not modelled: the model cannot know that a receipt's message has no due entry left to remove.
  const units = counted
    .filter(({ what }) => what === LIVE_SEND || what === RECEIPT)
    .reduce((sum, { perRun }) => sum + perRun.writeUnits, 0);
  const verdicts = [verdict('write units of a live send (otp) with its receipt', units, '≤', WRITE_UNITS)];
  return { title: 'Request units and round trips', rounds: REPEATS, verdicts, text: text.join('\n\n') };
};
