import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import type { ContactStore } from '../../shared/domain/contacts/ports.ts';
import { continueUnsubscribe, UNSUBSCRIBED, unsubscribe } from '../../shared/domain/contacts/unsubscribe.ts';
import { unsubscribeToken } from '../../shared/domain/contacts/unsubscribe-token.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { allConsents } from '../../shared/storage/contacts/consent-history.ts';
import type { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { emailConsentStore } from '../../shared/storage/contacts/email-addresses.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { isEmailAddress, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const EMAIL = 'ana@loja.example';
/** By when due work follows a click whose request did not end. */
const LATER_MS = 60_000;
const vault = createVault(randomBytes(32));
const world = await use(startWorld('test'));
afterEach(world.reset);

const raised: { type: string; contactId: unknown }[] = [];
const note: Parameters<typeof contactStore>[1] = (events) =>
  raised.push(...events.map(({ type, data }) => ({ type, contactId: data.contactId })));
const contacts = contactPortsOf(world, vault, note);
const addresses = emailConsentStore(world.table);
const ports = { ...contacts, env: 'test', addresses, vault: async () => vault } as const;

const hashOf = ({ organizationId }: Actor) => vault.blindIndex(organizationId, 'email', EMAIL);
const click = (actor: Actor, store: ContactStore = contacts.store) => {
  const { organizationId } = actor;
  const token = unsubscribeToken(vault, { organizationId, env: 'test', emailHash: hashOf(actor) });
  return unsubscribe({ ...ports, store }, token, 'List-Unsubscribe=One-Click');
};
let phones = 0;
const contact = async (actor: Actor, over: Partial<NewContact> = {}) => {
  const phone = `+551197${String(9_000_001 + phones++)}`;
  return accepted(await createContact(contacts, actor, { phone, email: EMAIL, ...over })).id;
};
const granted = (actor: Actor) => contact(actor, { optIn: { status: 'granted', source: 'loja' } });
const optInOf = async (id: Id<'contact'>) => (await contacts.store.read(id))?.optIn;
const statusesOf = async (ids: readonly Id<'contact'>[]) =>
  Promise.all(ids.map(async (id) => (await optInOf(id))?.status));
const optOutsOf = (ids: readonly Id<'contact'>[]) =>
  raised.filter(({ type, contactId }) => type === 'contact.opted_out' && ids.includes(contactId as Id<'contact'>));
/** A store whose process ends before it changes the consent of the contact after `done` others. */
const crashing = (done: number): ContactStore => {
  let left = done;
  return {
    ...contacts.store,
    changeConsent: async (...change) => {
      if (left-- > 0) return contacts.store.changeConsent(...change);
      throw new Error('the process ended');
    },
  };
};
const dueOf = async (actor: Actor) =>
  (await overdue(world.table, 'clean_up', world.now, 1_000))
    .filter(isEmailAddress)
    .map(PARSE_KEY.emailAddress)
    .filter(({ organizationId }) => organizationId === actor.organizationId);
/** Does the due work of an organization; answers how many addresses were due. */
const workOff = async (actor: Actor) => {
  world.now += LATER_MS;
  const due = await dueOf(actor);
  for (const address of due) await continueUnsubscribe(ports, address);
  return due.length;
};

/** An organization with two contacts of the address, whose click opted out `done` of them. */
const interrupted = async (done = 0) => {
  const actor = await world.organization();
  const ids = [await contact(actor), await granted(actor)];
  world.now += 1_000;
  await expect(click(actor, crashing(done))).rejects.toThrow('the process ended');
  return { actor, ids, at: world.now };
};

describe('a click whose process ends', () => {
  test.each([
    ['before the first contact', 0],
    ['before the second contact', 1],
  ])('%s has due work opt out the others, each with one event', async (_, done) => {
    const { actor, ids, at } = await interrupted(done);
    expect((await statusesOf(ids)).filter((status) => status === 'denied')).toHaveLength(done);
    expect(await workOff(actor)).toBe(1);
    for (const id of ids)
      expect(await optInOf(id)).toMatchObject({ status: 'denied', revokedAt: at, revokedReason: UNSUBSCRIBED });
    expect(
      optOutsOf(ids)
        .map(({ contactId }) => contactId)
        .sort(),
    ).toEqual([...ids].sort());
    expect(await workOff(actor)).toBe(0);
  });

  test('after all contacts has due work change nothing', async () => {
    const actor = await world.organization();
    const ids = [await contact(actor), await contact(actor)];
    const ending = { ...addresses, finishUnsubscribe: () => Promise.reject(new Error('the process ended')) };
    const token = unsubscribeToken(vault, { ...actor, env: 'test', emailHash: hashOf(actor) });
    const clicked = unsubscribe({ ...ports, addresses: ending }, token, 'List-Unsubscribe=One-Click');
    await expect(clicked).rejects.toThrow('the process ended');
    expect(await workOff(actor)).toBe(1);
    expect(optOutsOf(ids)).toHaveLength(2);
    expect(await workOff(actor)).toBe(0);
  });

  test('is repeated meanwhile: each contact is opted out once, and nothing is due after that', async () => {
    const { actor, ids, at } = await interrupted(1);
    world.now += 5_000;
    await click(actor);
    expect(await statusesOf(ids)).toEqual(['denied', 'denied']);
    expect(await workOff(actor)).toBe(0);
    expect(optOutsOf(ids)).toHaveLength(2);
    const row = await world.table.get(KEYS.emailAddress(actor.organizationId, hashOf(actor)));
    expect(row).toMatchObject({ optedOut: 2, revokedAt: new Date(at).toISOString() });
  });

  test('is repeated by a request that ends too: due work opts out by the repeat', async () => {
    const { actor, ids } = await interrupted();
    world.now += LATER_MS;
    await expect(click(actor, crashing(1))).rejects.toThrow();
    expect(await dueOf(actor)).toEqual([]);
    expect(await workOff(actor)).toBe(1);
    expect(await statusesOf(ids)).toEqual(['denied', 'denied']);
    expect(optOutsOf(ids)).toHaveLength(2);
  });
});

test('a click during which the table fails is finished by due work', async () => {
  const actor = await world.organization();
  const ids = [await contact(actor), await contact(actor)];
  world.proxy.plan(onTransactions(FAULTS.internal, { first: 1 }));
  await expect(click(actor)).rejects.toMatchObject({ name: 'Unavailable' });
  world.proxy.plan(undefined);
  expect((await statusesOf(ids)).sort()).toEqual(['denied', 'unknown']);
  expect(await workOff(actor)).toBe(1);
  expect(await statusesOf(ids)).toEqual(['denied', 'denied']);
  expect(optOutsOf(ids)).toHaveLength(2);
});

test('a click that ends leaves nothing due, with contacts or without', async () => {
  const actor = await world.organization();
  await click(actor);
  expect(await workOff(actor)).toBe(0);
  const id = await contact(actor);
  world.now += 1_000;
  await click(actor);
  expect(await workOff(actor)).toBe(0);
  expect(await statusesOf([id])).toEqual(['denied']);
});

test('due work beside the request that it follows opts out each contact once', async () => {
  const { actor, ids } = await interrupted();
  world.now += LATER_MS;
  const [address] = await dueOf(actor);
  const { organizationId } = actor;
  const again = () => continueUnsubscribe(ports, address ?? { organizationId, emailHash: hashOf(actor) });
  await Promise.all([again(), again(), click(actor), again()]);
  expect(await statusesOf(ids)).toEqual(['denied', 'denied']);
  expect(optOutsOf(ids)).toHaveLength(2);
  expect(await workOff(actor)).toBe(0);
});

describe('late due work leaves alone', () => {
  test.each([
    ['never had before', 0],
    ['had before', 1],
  ])('a contact that opted in after the click, and %s, but opts out the others', async (_, which) => {
    const { actor, ids } = await interrupted();
    world.now += 1_000;
    const [id, other] = which === 0 ? ids : [...ids].reverse();
    if (id === undefined || other === undefined) throw new Error('two contacts are made');
    const after = accepted(await optInContact(contacts, actor, id, { source: 'site' }));
    expect(after.optIn).toMatchObject({ status: 'granted', source: 'site', at: world.now });
    expect(await workOff(actor)).toBe(1);
    expect(await statusesOf([id, other])).toEqual(['granted', 'denied']);
    expect(optOutsOf(ids)).toEqual([{ type: 'contact.opted_out', contactId: other }]);
    const history = await allConsents(world.table, id);
    expect(history.map(({ status, at }) => ({ status, at }))[0]).toEqual({
      status: 'granted',
      at: world.now - LATER_MS,
    });
    expect(history.filter(({ status }) => status === 'denied')).toEqual([]);
  });

  test('a contact that was created after the click', async () => {
    const { actor, ids } = await interrupted();
    world.now += 1_000;
    const id = await contact(actor);
    expect(await workOff(actor)).toBe(1);
    expect(await statusesOf([...ids, id])).toEqual(['denied', 'denied', 'unknown']);
  });

  test('an address that an opt-in of its contacts made available again', async () => {
    const { actor, ids } = await interrupted();
    world.now += 1_000;
    for (const id of ids) await optInContact(contacts, actor, id, { source: 'site' });
    expect(await workOff(actor)).toBe(1);
    const row = await world.table.get(KEYS.emailAddress(actor.organizationId, hashOf(actor)));
    expect(row?.optInStatus).toBeUndefined();
    expect(row?.optedOut ?? 0).toBe(0);
    expect(row?.duePk).toBeUndefined();
  });
});

test('an address that unsubscribes again stays due, though the work for the first time ends after it', async () => {
  const actor = await world.organization();
  const { organizationId } = actor;
  const emailHash = hashOf(actor);
  const again = world.now + 1;
  for (const at of [world.now, again]) await addresses.unsubscribe(organizationId, emailHash, at);
  await addresses.finishUnsubscribe(organizationId, emailHash, world.now);
  expect(await addresses.unsubscribedAt(organizationId, emailHash)).toBe(again);
  await addresses.finishUnsubscribe(organizationId, emailHash, again);
  expect(await addresses.unsubscribedAt(organizationId, emailHash)).toBeUndefined();
});
