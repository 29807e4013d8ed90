import { describe, expect, test } from 'vitest';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Channel, RecipientKind } from '../../shared/domain/message/channel.ts';
import type { SendPlan } from '../../shared/domain/sending/plan.ts';
import { reserveMessage } from '../../shared/domain/sending/reserve.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { consentFault, readEligibility } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { clearOptOuts, optOutWrite, recipientKey } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { keyOn, planOn, recipientOn } from '../support/channel-plans.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));

const OPENING = 1_000_000;
const GRANTED = newId('contact');
/** Channels whose recipients can opt out by themselves, and whether a named contact's consent overrides that. */
const CHANNELS = [
  ['sms', true],
  ['rcs', true],
  ['whatsapp', true],
  ['instagram', true],
  ['email', false],
] as const;

/** An organization in which the channel's recipient opted out by itself, and one contact gave its consent. */
const optedOut = async (channel: Channel) => {
  const actor = await world.organization(OPENING);
  const { recipient } = channelOf(channel);
  const hash = await world.ports.recipientHashOf(actor.organizationId, recipient, recipientOn(channel));
  const stop = { at: world.now, reason: `asked by ${channel}: SAIR` };
  await world.table.write(optOutWrite(actor.organizationId, recipient, hash, stop));
  await world.table.write({
    put: { ...KEYS.contact(GRANTED), org: actor.organizationId, optInStatus: 'granted' },
  });
  return actor;
};
let keys = 0;
const plan = async (channel: Channel, fields: Partial<SendPlan> = {}): Promise<SendPlan> =>
  ({ ...(await planOn(world, channel, 'Oi')), ...fields }) as SendPlan;
const send = (actor: Actor, planned: SendPlan) =>
  reserveMessage(world.ports, actor, {
    plan: planned,
    key: keyOn(planned.channel, `k${keys++}`, 'Oi'),
    initial: { status: 'queued', at: world.now },
  });
const recipientHashOf = (organizationId: Id<'organization'>) => (kind: RecipientKind, to: string) =>
  world.ports.recipientHashOf(organizationId, kind, to);
const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe.each(CHANNELS)('a recipient of %s that opted out by itself', (channel, contactOverrides) => {
  test('is refused in the transaction of a send, and by the prechecks that read its consent', async () => {
    const actor = await optedOut(channel);
    const { organizationId } = actor;
    for (const [fields, refused] of [
      [{}, true],
      [{ contactId: GRANTED }, !contactOverrides],
      [{ requiresConsent: false }, false],
    ] as const) {
      const planned = await plan(channel, fields);
      const fault = refused ? 'opted_out' : undefined;
      const hashOf = recipientHashOf(organizationId);
      expect(await consentFault(world.table, organizationId, planned, hashOf)).toBe(fault);
      const { recipients } = await readEligibility(world.table, organizationId, [planned], hashOf);
      expect(recipients[0]?.consent).toBe(fault);
      const sent = await send(actor, planned);
      if (refused) expect(sent).toMatchObject(OPT_OUT);
      else expect(sent).toMatchObject({ message: { status: 'queued' } });
    }
  });

  test('is opted out of its own organization alone', async () => {
    await optedOut(channel);
    const other = await world.organization(OPENING);
    expect(await send(other, await plan(channel))).toMatchObject({ message: { status: 'queued' } });
  });
});

describe('an opt-in', () => {
  const AT = Date.parse('2026-03-10T12:00:00.000Z');
  const optedOutAs = async (contactId: Id<'contact'> | undefined, at = AT) => {
    const { organizationId } = world.actor();
    const hash = newId('event');
    await world.table.write(optOutWrite(organizationId, 'platform', hash, { at, reason: 'SAIR', contactId }));
    const isOptedOut = async () =>
      (await world.table.get(KEYS.channelUser(organizationId, hash)))?.optInStatus === 'denied';
    const lift = (id: Id<'contact'>, until = at) =>
      clearOptOuts(world.table, { id, organizationId, emailHash: undefined }, until);
    return { isOptedOut, lift };
  };

  test('lifts the opt-outs of the contact’s recipients until then, and no later ones', async () => {
    const id = newId('contact');
    const { isOptedOut, lift } = await optedOutAs(id);
    await lift(id, AT - 1);
    expect(await isOptedOut()).toBe(true);
    await lift(id, AT);
    expect(await isOptedOut()).toBe(false);
  });

  test('lifts no opt-out of a recipient without contact, or of another contact', async () => {
    const id = newId('contact');
    for (const whose of [undefined, newId('contact')]) {
      const { isOptedOut, lift } = await optedOutAs(whose);
      await lift(id);
      expect(await isOptedOut()).toBe(true);
    }
  });

  test('lifts all of them, however many there are', async () => {
    const id = newId('contact');
    const many = await Promise.all(Array.from({ length: 40 }, () => optedOutAs(id)));
    await many[0]?.lift(id);
    expect(await Promise.all(many.map(({ isOptedOut }) => isOptedOut()))).toEqual(many.map(() => false));
  });
});

describe('the check of consent', () => {
  const { callsOf } = world.proxy;

  test.each(['sms', 'rcs', 'whatsapp', 'instagram', 'email', 'push'] as const)(
    'of a send by %s is a condition of its one transaction, without a read',
    async (channel) => {
      const actor = await world.organization(OPENING);
      // The first send of an organization reads its wallet and its volume.
      await send(actor, await plan(channel));
      for (const requiresConsent of [true, false]) {
        const planned = await plan(channel, { requiresConsent });
        const { TransactWriteItems, BatchGetItem = 0 } = await callsOf(() => send(actor, planned));
        expect({ TransactWriteItems, BatchGetItem }).toEqual({ TransactWriteItems: 1, BatchGetItem: 0 });
      }
      const planned = await plan(channel);
      const calls = await callsOf(() =>
        consentFault(world.table, actor.organizationId, planned, recipientHashOf(newId('organization'))),
      );
      expect(calls).toEqual(channel === 'push' ? {} : { BatchGetItem: 1 });
    },
  );

  test('of a device is not among these: a push reads the opt-out from the device’s own row when it is sent', () => {
    expect(recipientKey(newId('organization'), channelOf('push').recipient, 'hash')).toBeUndefined();
    expect(() => optOutWrite(newId('organization'), 'device', 'hash', { at: 0, reason: 'x' })).toThrow('device');
  });
});
