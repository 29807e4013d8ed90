import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../infra/local/stages.ts';
import type { Channel } from '../shared/domain/message/channel.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Row } from '../shared/storage/client/row.ts';
import type { RecordedRequest } from '../test/support/providers/stand-in.ts';
import type { CountedCall } from './counting-proxy.ts';
import { type Live, type LiveSend, startLive } from './live.ts';
import { batchesOf } from './raw-calls.ts';

/** What one live send does until its answer: its calls of the table, and its provider's request. */
export interface Recording {
  readonly calls: ReturnType<typeof batchesOf>;
  /** Parts of keys and ids that belong to this send alone; a repetition needs others. */
  readonly own: readonly string[];
  readonly provider: Pick<RecordedRequest, 'path' | 'headers' | 'body'> | undefined;
  /** Whether the answer comes once the message is queued, and the provider is called later. */
  readonly queued: boolean;
  /** What the table held before: the organization, its wallet and settings. */
  readonly rows: readonly Row[];
}

/** Sends before the one that counts, so that prices, settings and routes are cached; and how many of them are compared. */
const WARM_UP = 5;
const COMPARED = 8;
/** Between two sends, in ms: by then the key's bucket is full again, as a replay finds its own. */
const APART_MS = 400;

const IDS = /\b[a-z]{3}_[0-9A-Za-z]{21}\b/g;
const PARTITIONS = /"pk":\{"S":"([^"]+)"/g;
/** Ids, and the last parts of partition keys: what differs between sends. */
const namesIn = (calls: readonly CountedCall[]): Set<string> => {
  const text = calls.map(({ body }) => body).join('\n');
  const parts = [...text.matchAll(PARTITIONS)].map(([, key = '']) => key.split('#').at(-1) ?? '');
  return new Set([...(text.match(IDS) ?? []), ...parts.filter((part) => part.length > 20)]);
};

const callsOf = async (live: Live, { path, status, body }: LiveSend): Promise<readonly CountedCall[]> => {
  live.proxy.reset();
  const filled: unknown = JSON.parse(JSON.stringify(body).replaceAll('{nnn}', '123'));
  const answer = await live.clientOf(live.keys.live).post(path, filled, { 'idempotency-key': randomUUID() });
  if (String(answer.status) !== status) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  const { calls } = live.proxy.taken();
  await pause(APART_MS);
  return calls;
};

/**
 * Records one send of each kind, on a service of its own without consumers: of several the one with the fewest calls, since some also refresh
 * what is cached.
 */
export const record = async (
  sends: Readonly<Record<string, LiveSend & { readonly channel: Channel }>>,
): Promise<ReadonlyMap<string, Recording>> => {
  const live = await startLive({ counted: true, runs: 'api' });
  const client = tableClient(live.store.endpoint);
  try {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName('live') }));
    const rows = Items.map((item) => unmarshall(item) as Row);
    const recordings = new Map<string, Recording>();
    for (const [name, send] of Object.entries(sends)) {
      const observed: (readonly CountedCall[])[] = [];
      for (let turn = 0; turn < WARM_UP + COMPARED; turn++) observed.push(await callsOf(live, send));
      const [least = [], other = []] = observed.slice(WARM_UP).sort((a, b) => a.length - b.length);
      const others = namesIn(other);
      const provider = requestOf(live, send.channel);
      const own = [...namesIn(least)].filter((part) => !others.has(part));
      recordings.set(name, { calls: batchesOf(least), own, provider, queued: send.queued === true, rows });
    }
    return recordings;
  } finally {
    client.destroy();
    await live.stop();
  }
};

/** The last request that the channel's provider took; undefined for push, whose stand-in keeps none. */
const requestOf = ({ providers }: Live, channel: Channel): Recording['provider'] => {
  const standIn: object = providers[channel].standIn;
  if (!('requests' in standIn)) return undefined;
  const last = (standIn.requests as readonly RecordedRequest[]).at(-1);
  return last && { path: last.path, headers: last.headers, body: last.body };
};
