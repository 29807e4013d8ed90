import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { optInContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { SendPlan } from '../../shared/domain/sending/plan.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { consentFaults } from '../../shared/storage/bulk/consent-faults.ts';
import { emailConsentStore, suppressionStore } from '../../shared/storage/contacts/email-addresses.ts';
import { recipientConsent } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { accepted } from '../support/accepted.ts';
import { chanceOf } from '../support/chance.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const EMAIL = 'ana@loja.example';
const vault = createVault(randomBytes(32));
const world = await use(startWorld('test'));
const ports = contactPortsOf(world, vault);

let phones = 0;
const contact = async (actor: Actor, over: Partial<NewContact> = {}) => {
  const phone = `+551198${String(9_000_001 + phones++)}`;
  return accepted(await createContact(ports, actor, { phone, email: EMAIL, ...over }));
};
const hashOf = ({ organizationId }: Actor) => vault.blindIndex(organizationId, 'email', EMAIL);
const rowOf = (actor: Actor) => world.table.get(KEYS.emailAddress(actor.organizationId, hashOf(actor)));
/** Whether a send to the address would be reserved. */
const maySend = async (actor: Actor, contactId?: Id<'contact'>) => {
  const consent = { recipient: 'email', recipientHash: hashOf(actor), requiresConsent: true, contactId } as const;
  const check = recipientConsent(actor.organizationId, consent);
  return check !== undefined && (await world.table.transact([check])).ok;
};

test('a contact is counted as opted out once, though the answers to its changes are lost', async () => {
  const actor = await world.organization();
  world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2 }));
  const [denied, other] = [await contact(actor, { optIn: { status: 'denied' } }), await contact(actor)];
  expect((await rowOf(actor))?.optedOut).toBe(1);
  await optOutContact(ports, actor, other.id, {});
  expect((await rowOf(actor))?.optedOut).toBe(2);
  for (const { id } of [denied, other]) await optInContact(ports, actor, id, { source: 'site' });
  world.proxy.plan(undefined);
  expect((await rowOf(actor))?.optedOut).toBe(0);
  expect(await maySend(actor)).toBe(true);
});

test('the count is that of the contacts that are opted out, after any concurrent changes', async () => {
  const seed = 20_261_121;
  const chance = chanceOf(seed);
  const actor = await world.organization();
  const ids = (await Promise.all(Array.from({ length: 5 }, () => contact(actor)))).map(({ id }) => id);
  for (let round = 0; round < 10; round++) {
    const change = () =>
      chance.below(2) === 0
        ? optOutContact(ports, actor, chance.pick(ids), {})
        : optInContact(ports, actor, chance.pick(ids), { source: 'site' });
    await Promise.all(Array.from({ length: 6 }, change));
    const contacts = await Promise.all(ids.map((id) => ports.store.read(id)));
    const denied = contacts.filter((each) => each?.optIn.status === 'denied').length;
    expect((await rowOf(actor))?.optedOut ?? 0, `seed ${seed}, round ${round}`).toBe(denied);
    expect(await maySend(actor), `seed ${seed}, round ${round}`).toBe(denied === 0);
  }
});

test('an address is marked by its first unsubscribe, and leads to all contacts that have it', async () => {
  const actor = await world.organization();
  const made = [await contact(actor), await contact(actor, { email: 'ANA@LOJA.EXAMPLE' })];
  await contact(actor, { email: 'bia@loja.example' });
  const store = emailConsentStore(world.table);
  const { organizationId } = actor;
  await store.unsubscribe(organizationId, hashOf(actor), Date.parse('2026-01-02T03:04:05.000Z'));
  await store.unsubscribe(organizationId, hashOf(actor), Date.parse('2026-02-02T03:04:05.000Z'));
  expect((await rowOf(actor))?.revokedAt).toBe('2026-01-02T03:04:05.000Z');
  expect(await maySend(actor)).toBe(false);
  expect([...(await store.contactsOf(organizationId, hashOf(actor)))].sort()).toEqual(made.map(({ id }) => id).sort());
  expect(await store.contactsOf((await world.organization()).organizationId, hashOf(actor))).toEqual([]);
});

test('the consent of a named contact overrides that of others, but not the unsubscribe of the address', async () => {
  const actor = await world.organization();
  await contact(actor, { optIn: { status: 'denied' } });
  const { organizationId } = actor;
  const named = () => maySend(actor, newId('contact'));
  expect([await maySend(actor), await named()]).toEqual([false, true]);
  await emailConsentStore(world.table).unsubscribe(organizationId, hashOf(actor), world.now);
  expect([await maySend(actor), await named()]).toEqual([false, false]);
});

test('an opt-in lifts an earlier one-click unsubscribe, also where the contact is granted already', async () => {
  const actor = await world.organization();
  const made = await contact(actor, { optIn: { status: 'granted' } });
  // As when the click arrives before the contact can be found by its address.
  const store = emailConsentStore(world.table);
  await store.unsubscribe(actor.organizationId, hashOf(actor), world.now);
  await store.finishUnsubscribe(actor.organizationId, hashOf(actor), world.now);
  expect((await ports.store.read(made.id))?.optIn.status).toBe('granted');
  expect(await maySend(actor)).toBe(false);
  for (let turn = 0; turn < 2; turn++) {
    const answered = await optInContact(ports, actor, made.id, { source: 'site' });
    expect(isRefusal(answered) || answered.optIn).toEqual(made.optIn);
    expect(await maySend(actor)).toBe(true);
  }
});

test('an opt-in of another organization, or without an address, lifts nothing', async () => {
  const [actor, stranger] = [await world.organization(), await world.organization()];
  const [without, others] = [await contact(actor, { email: undefined }), await contact(stranger)];
  await emailConsentStore(world.table).unsubscribe(actor.organizationId, hashOf(actor), world.now);
  await optInContact(ports, actor, without.id, { source: 'site' });
  await optInContact(ports, stranger, others.id, { source: 'site' });
  expect(isRefusal(await optInContact(ports, actor, others.id, { source: 'site' }))).toBe(true);
  expect(await maySend(actor)).toBe(false);
});

test('a bulk send and a preview read the same consent as a send: that of the named contact, and the unsubscribe of the address', async () => {
  const actor = await world.organization();
  const { id: granted } = await contact(actor, { optIn: { status: 'granted', source: 'site' } });
  const { id: denied } = await contact(actor, { email: 'bia@loja.example', optIn: { status: 'denied' } });
  const faults = (...contactIds: (string | undefined)[]) =>
    consentFaults(
      world.table,
      actor.organizationId,
      [true, false].flatMap((requiresConsent) =>
        contactIds.map((contactId) => ({
          plan: { channel: 'email', to: EMAIL, contactId, requiresConsent } as SendPlan,
          recipientHash: hashOf(actor),
        })),
      ),
    );
  const none = undefined;
  expect(await faults(none, granted, denied, 'ctt_none')).toEqual([
    none,
    none,
    'opted_out',
    'unknown_contact',
    none,
    none,
    none,
    'unknown_contact',
  ]);
  await emailConsentStore(world.table).unsubscribe(actor.organizationId, hashOf(actor), world.now);
  expect(await faults(none, granted)).toEqual(['opted_out', 'opted_out', none, none]);
});

test('an address that its provider suppresses is refused until then and no longer, whatever its consent', async () => {
  const actor = await world.organization();
  const suppressions = suppressionStore(world.table);
  const isSuppressed = (now: number) => suppressions.isSuppressed(actor.organizationId, hashOf(actor), now);
  expect(await isSuppressed(world.now)).toBe(false);
  const { id } = await contact(actor, { optIn: { status: 'denied' } });
  await suppressions.suppress(actor.organizationId, hashOf(actor), world.now + 1_000);
  await optInContact(ports, actor, id, { source: 'site' });
  expect([await isSuppressed(world.now + 999), await isSuppressed(world.now + 1_000)]).toEqual([true, false]);
  expect(await maySend(actor)).toBe(true);
});
