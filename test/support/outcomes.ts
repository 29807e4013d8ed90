import { ensureStream } from '../../infra/local/resources.ts';
import { deliverStream } from '../../infra/local/table-stream.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { readOutcomeCounts } from '../../shared/storage/metrics/outcome-counts.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const EVER = { from: 0, to: Date.UTC(2100, 0, 1) };

type Tally = Record<string, number>;

const withoutZeros = (tally: Tally): Tally =>
  Object.fromEntries(
    Object.entries(tally)
      .filter(([, value]) => value !== 0)
      .sort(),
  );

const reached = (status: string): boolean => ['delivered', 'read', 'complained'].includes(status);
const lost = (status: string): boolean => ['failed', 'undelivered', 'bounced'].includes(status);

/** The counts of an organization's messages, computed from the messages themselves: names are hour, channel and count. */
export const recountedOutcomes = (messages: readonly MessageRecord[]): Tally => {
  const tally: Tally = {};
  for (const message of messages) {
    const { channel, status, hold, reason = 'other', coins } = message;
    const left = hold === 'captured' || reached(status);
    if (hold === 'open' || (!left && (!lost(status) || reason === 'cancelled'))) continue;
    const began = message.sentAt ?? message.failedAt ?? Number.NaN;
    const plus = (what: string, by = 1) => {
      const name = `${new Date(began - (began % HOUR_MS)).toISOString()} ${channel} ${what}`;
      tally[name] = (tally[name] ?? 0) + by;
    };
    plus(left ? 'sent' : 'unsent');
    if (reached(status) || (channel === 'push' && hold === 'captured')) plus('delivered');
    if (message.readAt !== undefined) plus('read');
    if (hold === 'captured') plus('coins', (message.capturedCoins ?? coins) - (message.refunded ?? 0));
    if (lost(status) && reason !== 'cancelled') plus(`failed ${reason}`);
  }
  return withoutZeros(tally);
};

/** The counts of an organization's metrics, in the same form. */
export const countedOutcomes = async (table: Table, organizationId: Id<'organization'>): Promise<Tally> => {
  const tally: Tally = {};
  for (const { hour, channel, counts, failures } of await readOutcomeCounts(table, organizationId, EVER)) {
    const name = `${new Date(hour).toISOString()} ${channel}`;
    for (const [what, value] of Object.entries(counts)) tally[`${name} ${what}`] = value;
    for (const [reason, value] of Object.entries(failures)) tally[`${name} failed ${reason}`] = value;
  }
  return withoutZeros(tally);
};

/** Enables the stream of a world's table, and returns a function that reads its new events. */
export const readStreamOf = async ({ dynamodb, table }: Pick<World, 'dynamodb' | 'table'>) => {
  await ensureStream(dynamodb, table.name);
  const endpoint = (await dynamodb.config.endpoint?.()) as { hostname: string; port: number };
  const iterators = new Map<string, string>();
  return async (): Promise<unknown[]> => {
    const events: unknown[] = [];
    const delivery = {
      endpoint: `http://${endpoint.hostname}:${endpoint.port}`,
      tableName: table.name,
      startAfter: async () => undefined,
      iterators,
      consume: async (event: unknown) => void events.push(event),
    };
    while ((await deliverStream(delivery)) > 0);
    return events;
  };
};
