import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/ids.ts';
import { rulesOf } from '../../shared/domain/messages/channels.ts';
import type { SendPlan } from '../../shared/domain/messages/plan.ts';
import type { Channel } from '../../shared/domain/messages/provider.ts';
import { reserveMessage } from '../../shared/domain/messages/send.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { consentFault, readStanding } from '../../shared/storage/consent.ts';
import { liftOptOuts, optOutWrite, recipientRow } from '../../shared/storage/consent-rows.ts';
import { planOn, recipientOn } from '../support/channel-plans.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld('test');
});
afterAll(() => world?.close());

const OPENING = 1_000_000;
const GRANTED = 'cnt_granted';
/** Channels whose recipients can take themselves out, and whether a named contact's word stands in the place of theirs. */
const OWN_WORD = [
  ['sms', true],
  ['rcs', true],
  ['whatsapp', true],
  ['instagram', true],
  ['email', false],
] as const;

/** An organization in which the channel's recipient opted out by itself, and one contact gave its consent. */
const optedOut = async (channel: Channel) => {
  const actor = await world.organization(OPENING);
  const { recipient } = rulesOf(channel);
  const hash = await world.ports.hashTo(actor.organizationId, recipient, recipientOn(channel));
  const stop = { at: world.now, reason: `asked by ${channel}: SAIR` };
  await world.table.write(optOutWrite(actor.organizationId, recipient, hash, stop));
  await world.table.write({
    put: { ...KEYS.contact(GRANTED), org: actor.organizationId, optInStatus: 'granted' },
  });
  return actor;
};
let keys = 0;
const plan = async (channel: Channel, fields: Partial<SendPlan> = {}): Promise<SendPlan> => {
  keys++;
  return { ...(await planOn(world, channel, `k${keys}`, 'Oi')), ...fields } as SendPlan;
};
const send = (actor: Awaited<ReturnType<typeof optedOut>>, planned: SendPlan) =>
  reserveMessage(world.ports, actor, planned, { status: 'queued', at: world.now });
const hashTo = (organizationId: string) => (kind: Parameters<typeof world.ports.hashTo>[1], to: string) =>
  world.ports.hashTo(organizationId, kind, to);
const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe.each(OWN_WORD)('a recipient of %s that opted out by itself', (channel, contactSpeaks) => {
  test('is refused in the transaction of a send, and foreseen alike by what is read before one', async () => {
    const actor = await optedOut(channel);
    const { organizationId } = actor;
    for (const [fields, refused] of [
      [{}, true],
      [{ contactId: GRANTED }, !contactSpeaks],
      [{ mayOptOut: false }, false],
    ] as const) {
      const planned = await plan(channel, fields);
      const said = refused ? 'opted_out' : undefined;
      expect(await consentFault(world.table, organizationId, planned, hashTo(organizationId))).toBe(said);
      const { recipients } = await readStanding(world.table, organizationId, [planned], hashTo(organizationId));
      expect(recipients[0]?.consent).toBe(said);
      const sent = await send(actor, planned);
      if (refused) expect(sent).toMatchObject(OPT_OUT);
      else expect(sent).toMatchObject({ message: { status: 'queued' } });
    }
  });

  test('is out of its own organization alone', async () => {
    await optedOut(channel);
    const other = await world.organization(OPENING);
    expect(await send(other, await plan(channel))).toMatchObject({ message: { status: 'queued' } });
  });
});

describe('what an opt-in takes back', () => {
  const AT = Date.parse('2026-03-10T12:00:00.000Z');
  const out = async (contactId: string | undefined, at = AT) => {
    const { organizationId } = world.actor();
    const hash = newId('event');
    await world.table.write(optOutWrite(organizationId, 'platform', hash, { at, reason: 'SAIR', contactId }));
    const isOut = async () =>
      (await world.table.get(KEYS.platformUser(organizationId, hash)))?.optInStatus === 'denied';
    const lift = (id: string, until = at) =>
      liftOptOuts(world.table, { id: id as Id<'contact'>, organizationId, emailHash: undefined }, until);
    return { isOut, lift };
  };

  test('is what was asked for until then by whom the contact was known by, and no later word', async () => {
    const id = newId('contact');
    const { isOut, lift } = await out(id);
    await lift(id, AT - 1);
    expect(await isOut()).toBe(true);
    await lift(id, AT);
    expect(await isOut()).toBe(false);
  });

  test('is nothing of a recipient that was nobody, or another contact', async () => {
    const id = newId('contact');
    for (const whose of [undefined, newId('contact')]) {
      const { isOut, lift } = await out(whose);
      await lift(id);
      expect(await isOut()).toBe(true);
    }
  });

  test('is all of them, however many there are', async () => {
    const id = newId('contact');
    const many = await Promise.all(Array.from({ length: 40 }, () => out(id)));
    await many[0]?.lift(id);
    expect(await Promise.all(many.map(({ isOut }) => isOut()))).toEqual(many.map(() => false));
  });
});

/** What a piece of work asks of the table. */
const callsOf = async (work: () => Promise<unknown>) => {
  const before = new Map(world.proxy.calls);
  await work();
  return Object.fromEntries(
    [...world.proxy.calls].flatMap(([action, count]) => {
      const made = count - (before.get(action) ?? 0);
      return made > 0 ? [[action, made]] : [];
    }),
  );
};

describe('what consent asks of the table', () => {
  test.each(['sms', 'rcs', 'whatsapp', 'instagram', 'email', 'push'] as const)(
    'of a send by %s is a condition of its one transaction, and no round trip',
    async (channel) => {
      const actor = await world.organization(OPENING);
      // The first send of an organization learns its wallet and its volume.
      await send(actor, await plan(channel));
      for (const mayOptOut of [true, false]) {
        const planned = await plan(channel, { mayOptOut });
        const { TransactWriteItems, BatchGetItem = 0 } = await callsOf(() => send(actor, planned));
        expect({ TransactWriteItems, BatchGetItem }).toEqual({ TransactWriteItems: 1, BatchGetItem: 0 });
      }
      const planned = await plan(channel);
      const asked = await callsOf(() => consentFault(world.table, actor.organizationId, planned, hashTo('any')));
      expect(asked).toEqual(channel === 'push' ? {} : { BatchGetItem: 1 });
    },
  );

  test('of a device is nothing here: its opt-out is its own row’s, which is read when a push leaves', () => {
    expect(recipientRow('org', rulesOf('push').recipient, 'hash')).toBeUndefined();
    expect(() => optOutWrite('org', 'device', 'hash', { at: 0, reason: 'x' })).toThrow('device');
  });
});
