import { describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { readNamedSender, readUsualSender } from '../../shared/storage/whatsapp/number-senders.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const HASH = 'recipient';
/** The delay of each call, in ms: calls that begin within half of it do not wait for one another. */
const HELD_MS = 1_000;

const world = await use(startWorld('live'));

const organization = () => {
  const { organizationId } = world.actor();
  return {
    recipient: { organizationId, hash: HASH },
    /** Connects a number of the organization. */
    async number(status = 'connected') {
      const id = newId('number');
      const found = INDEX_KEYS.numbersOf(organizationId, new Date(world.now).toISOString(), id);
      await world.table.write({
        put: { ...KEYS.number(id), ...found, id, org: organizationId, phoneNumberId: '1', status },
      });
      return id;
    },
    /** The recipient writes to a number, or where there is none to the organization. */
    wrote: (at: number, id: Id<'number'> | '' = '') =>
      world.table.write({ put: { ...KEYS.lastInbound(organizationId, 'whatsapp', HASH, id), at } }),
  };
};

/** The result of a read, its calls by action, and its number of round trips. */
const counted = async <T>(read: () => Promise<T>) => {
  const starts: number[] = [];
  world.proxy.plan(() => {
    starts.push(performance.now());
    return { kind: 'delay', ms: HELD_MS };
  });
  let found: T | undefined;
  const calls = await world.proxy.callsOf(async () => {
    found = await read();
  });
  world.proxy.plan(undefined);
  const roundTrips = starts.filter((start, at) => at === 0 || start - (starts[at - 1] ?? 0) >= HELD_MS / 2).length;
  return { found, roundTrips, calls };
};

describe('a number that a send names is read with the window that its recipient opened there', () => {
  test('in one call for all concurrent sends', async () => {
    const { recipient, number, wrote } = organization();
    const [id, other] = [await number(), await number()];
    await wrote(5, id);
    await wrote(9, other);
    const senderOf = (named: Id<'number'>) => readNamedSender(world.table, recipient, named, true);
    const read = await counted(() => Promise.all([senderOf(id), senderOf(other), senderOf(id)]));
    expect(read).toEqual({
      found: [
        { id, lastInboundAt: 5 },
        { id: other, lastInboundAt: 9 },
        { id, lastInboundAt: 5 },
      ],
      calls: { BatchGetItem: 1 },
      roundTrips: 1,
    });
  });

  test('unless it belongs to another organization, or does not exist', async () => {
    const id = await organization().number();
    const { recipient, wrote } = organization();
    await wrote(5, id);
    for (const named of [id, newId('number')])
      expect(await readNamedSender(world.table, recipient, named, true)).toBeUndefined();
  });
});

describe('the sender of a send that names no number', () => {
  test('is the only number, read with its window in one round trip', async () => {
    const { recipient, number, wrote } = organization();
    const id = await number();
    await wrote(5, id);
    await wrote(9);
    expect(await counted(() => readUsualSender(world.table, recipient, true))).toEqual({
      found: { id, lastInboundAt: 5 },
      calls: { Query: 2 },
      roundTrips: 1,
    });
  });

  test('without any number has the window of the organization', async () => {
    const { recipient, wrote } = organization();
    await wrote(5, newId('number'));
    await wrote(9);
    const read = await counted(() => readUsualSender(world.table, recipient, true));
    expect(read).toEqual({ found: { lastInboundAt: 9 }, calls: { Query: 2 }, roundTrips: 1 });
  });

  test('is of several numbers the one that the recipient last wrote to, which takes one round trip more', async () => {
    const { recipient, number, wrote } = organization();
    const [first, second] = [await number(), await number(), await number()];
    await wrote(7, second);
    await wrote(5, first);
    // A message from before there was a number, or to the provider's own number, belongs to none.
    await wrote(9);
    const read = await counted(() => readUsualSender(world.table, recipient, true));
    expect(read).toEqual({ found: { id: second, lastInboundAt: 7 }, calls: { Query: 2, GetItem: 1 }, roundTrips: 2 });
  });

  test.each(['disconnected', 'removed', 'never written to'])(
    'is none of several numbers where that one is %s',
    async (how) => {
      const { recipient, number, wrote } = organization();
      await number();
      await number();
      if (how === 'disconnected') await wrote(7, await number('disconnected'));
      if (how === 'removed') await wrote(7, newId('number'));
      await wrote(3);
      expect(await readUsualSender(world.table, recipient, true)).toEqual({ lastInboundAt: 3 });
    },
  );

  test('is read without windows for a template, unless there are several numbers', async () => {
    const { recipient, number, wrote } = organization();
    const id = await number();
    await wrote(5, id);
    const senderOfTemplate = () => counted(() => readUsualSender(world.table, recipient, false));
    expect(await senderOfTemplate()).toEqual({ found: { id }, calls: { Query: 1 }, roundTrips: 1 });
    await number();
    expect(await senderOfTemplate()).toMatchObject({ found: { id }, calls: { Query: 2, GetItem: 1 } });
    expect(await counted(() => readNamedSender(world.table, recipient, id, false))).toEqual({
      found: { id },
      calls: { BatchGetItem: 1 },
      roundTrips: 1,
    });
  });
});
