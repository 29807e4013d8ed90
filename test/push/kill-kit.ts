import { expect } from 'vitest';
import { afterRegistration } from '../../shared/domain/channels/push/device.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { readPushChunks } from '../../shared/storage/push/create.ts';
import type { Client } from '../support/api.ts';
import type { KillLab } from '../support/kill.ts';
import type { GateCall } from '../support/kill-gate.ts';
import { putDevices } from './world.ts';

/** Devices of the audience: enough for a chunk in every shard. */
export const DEVICES = 320;
/** The default price of a simple push message to one device, in coins. */
const COINS_EACH = 10;
const tokenOf = (index: number): string => `device-${String(index).padStart(4, '0')}`;

/** An organization with an app of the push service's stand-in, and its devices written to the table. */
export const pushTenant = async (lab: KillLab) => {
  const { client, organizationId } = await lab.organization();
  const { body: app } = await client.post('/v2/push/apps', { name: 'Kill', ...lab.providers.push.standIn.fcm.app });
  const tenant = { organizationId, env: 'live' } as const;
  const devices = Array.from({ length: DEVICES }, (_, index) => {
    const registration = { appId: app.id, token: tokenOf(index), platform: 'android' } as const;
    return afterRegistration(tenant, undefined, registration, Date.now());
  });
  await putDevices(lab.table, devices);
  return { client, organizationId };
};

interface ChunkCall {
  readonly messageId: Id<'message'>;
  readonly shard: number;
}
/** The message and the shard of the chunk that a transaction writes. */
const chunkIn = ({ action, body }: GateCall): ChunkCall | undefined => {
  const [, messageId, shard] = /"PSH#(msg_\w+)"[^#]*?"CHUNK#(\d\d)#/.exec(body) ?? [];
  return action === 'TransactWriteItems' && messageId
    ? { messageId: parseId('message', messageId), shard: Number(shard) }
    : undefined;
};
/** The chunk that a call creates, with the rows of its dispatches. */
export const putsChunk = (call: GateCall): ChunkCall | undefined =>
  call.body.includes('"Put"') && !call.body.includes('"Update"') ? chunkIn(call) : undefined;
/** The chunk whose dispatches a call settles after the push service answered. */
export const settlesDevices = (call: GateCall): ChunkCall | undefined =>
  call.body.includes(':set_status') && call.body.includes('PDSP#') ? chunkIn(call) : undefined;
/** Whether a call commits a message, with its hold and its idempotency record. */
export const commitsFor = ({ organizationId }: { readonly organizationId: Id<'organization'> }, key: string) => {
  const { pk } = KEYS.idempotency(organizationId, key);
  return ({ action, body }: GateCall): boolean => action === 'TransactWriteItems' && body.includes(pk);
};

/** Ends the time of an attempt now, instead of in half a minute: no test waits for it. */
export const expireReservation = async (
  lab: KillLab,
  organizationId: Id<'organization'>,
  key: string,
): Promise<void> => {
  await lab.table.write({ update: KEYS.idempotency(organizationId, key), set: { expiresAt: Date.now() } });
};

/** Makes a message due now, and ends the leases of its open chunks. */
export const endLeases = async (lab: KillLab, messageId: Id<'message'>): Promise<void> => {
  const now = Date.now();
  for (const { shard, number, state } of await readPushChunks(lab.table, messageId))
    if (state === 'open')
      await lab.table.write({ update: KEYS.pushChunk(messageId, shard, number), set: { leaseUntil: now } });
  await lab.table.write({ update: KEYS.message(messageId), set: INDEX_KEYS.due('send_push', messageId, now) });
};

/** The attempts that created the chunks of a message. */
export const attemptsOf = async (lab: KillLab, messageId: Id<'message'>): Promise<Set<number>> =>
  new Set((await readPushChunks(lab.table, messageId)).map(({ attempt }) => attempt));

const all = async (client: Client, path: string): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await client.get(path, { limit: 200, ...(cursor ? { cursor } : {}) });
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor);
  return items;
};

/** Every dispatch of a message. */
export const devicesOf = (client: Client, id: string) => all(client, `/v2/push/messages/${id}/dispatches`);

/** The ledger has one hold per message, and captures the price of its delivered devices. */
export const checkLedger = async (client: Client, messages: readonly { id: string; delivered: number }[]) => {
  const { balanceCoins, heldCoins } = (await client.get('/v2/wallet')).body;
  const entries = await all(client, '/v2/wallet/entries');
  expect(heldCoins).toBe(0);
  expect(entries.reduce((sum, { coins }) => sum + Number(coins), 0)).toBe(balanceCoins);
  for (const { id, delivered } of messages) {
    const own = entries.filter(({ messageId }) => messageId === id);
    const kinds = ['hold', ...(delivered > 0 ? ['capture'] : []), ...(delivered < DEVICES ? ['release'] : [])];
    expect(own.map(({ kind }) => kind).sort()).toEqual(kinds.sort());
    expect(own.reduce((sum, { coins }) => sum + Number(coins), 0)).toBe(-delivered * COINS_EACH);
  }
  // A message that was never committed holds nothing.
  const held = new Set(entries.filter(({ kind }) => kind === 'hold').map(({ messageId }) => messageId));
  expect([...held].sort()).toEqual(messages.map(({ id }) => id).sort());
};
