import { expect } from 'vitest';
import { afterRegistration } from '../../shared/domain/channels/push/device.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { INDEX_KEYS, KEYS } from '../../shared/storage/access-patterns.ts';
import { readPushChunks } from '../../shared/storage/push/create.ts';
import { pushDeviceRows } from '../../shared/storage/push/devices.ts';
import type { Client } from '../support/api.ts';
import type { KillLab } from '../support/kill.ts';
import type { GateCall } from '../support/kill-gate.ts';

/** Devices of the audience: some in every shard, a chunk in each. */
export const DEVICES = 320;
/** The price of each, in coins: what the default prices say of a simple push message. */
const COINS_EACH = 10;
const tokenOf = (place: number): string => `device-${String(place).padStart(4, '0')}`;

/** An organization with an app of the push service's stand-in, and its audience straight in the table. */
export const pushCaller = async (lab: KillLab) => {
  const { client, organizationId } = await lab.organization();
  const { body: app } = await client.post('/v2/push/apps', { name: 'Kill', ...lab.providers.push.standIn.fcm.app });
  const tenant = { organizationId, env: 'live' } as const;
  const rows = Array.from({ length: DEVICES }, (_, place) => {
    const registration = { appId: app.id, token: tokenOf(place), platform: 'android' } as const;
    return pushDeviceRows.write(afterRegistration(tenant, undefined, registration, Date.now()));
  });
  for (let from = 0; from < rows.length; from += 100)
    await lab.table.transact(rows.slice(from, from + 100).map((put) => ({ put })));
  return { client, organizationId };
};

interface OfChunk {
  readonly messageId: Id<'message'>;
  readonly shard: number;
}
/** The message that a call is about, and the shard of its chunk. */
const chunkIn = ({ action, body }: GateCall): OfChunk | undefined => {
  const [, messageId, shard] = /"PSH#(msg_\w+)"[^#]*?"CHUNK#(\d\d)#/.exec(body) ?? [];
  return action === 'TransactWriteItems' && messageId
    ? { messageId: parseId('message', messageId), shard: Number(shard) }
    : undefined;
};
/** The chunk that a call puts, with the rows of its devices. */
export const putsChunk = (call: GateCall): OfChunk | undefined =>
  call.body.includes('"Put"') && !call.body.includes('"Update"') ? chunkIn(call) : undefined;
/** The chunk that a call settles devices of, which a push service has answered for. */
export const settlesDevices = (call: GateCall): OfChunk | undefined =>
  call.body.includes(':set_status') && call.body.includes('PDSP#') ? chunkIn(call) : undefined;
/** Whether a call makes a message of its rows, with its money and a key. */
export const commitsFor = ({ organizationId }: { readonly organizationId: Id<'organization'> }, key: string) => {
  const { pk } = KEYS.idempotency(organizationId, key);
  return ({ action, body }: GateCall): boolean => action === 'TransactWriteItems' && body.includes(pk);
};

/** Brings the end of an attempt's time forward, which is half a minute away: no test waits for it. */
export const endClaim = async (lab: KillLab, organizationId: Id<'organization'>, key: string): Promise<void> => {
  await lab.table.write({ update: KEYS.idempotency(organizationId, key), set: { expiresAt: Date.now() } });
};

/** Brings forward when a message is looked at again, and when what a sender had taken of it is left to others. */
export const endLeases = async (lab: KillLab, messageId: Id<'message'>): Promise<void> => {
  const now = Date.now();
  for (const { shard, number, state } of await readPushChunks(lab.table, messageId))
    if (state === 'open')
      await lab.table.write({ update: KEYS.pushChunk(messageId, shard, number), set: { leaseUntil: now } });
  await lab.table.write({ update: KEYS.pushMessage(messageId), set: INDEX_KEYS.due('send_push', messageId, now) });
};

/** Which attempts made the chunks of a message. */
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

/** Every device of a message. */
export const devicesOf = (client: Client, id: string) => all(client, `/v2/push/messages/${id}/dispatches`);

/** That the books tell one hold for each message, and that what its devices took is what they cost. */
export const checkBooks = async (client: Client, messages: readonly { id: string; delivered: number }[]) => {
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
  // What was never made holds nothing.
  const held = new Set(entries.filter(({ kind }) => kind === 'hold').map(({ messageId }) => messageId));
  expect([...held].sort()).toEqual(messages.map(({ id }) => id).sort());
};
