import { describe, expect, test } from 'vitest';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { findContact, optInContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { clearDocuments } from '../../shared/domain/contacts/documents.ts';
import { findMerged, mergeContacts } from '../../shared/domain/contacts/merge.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { allConsents } from '../../shared/storage/contacts/consent-history.ts';
import { contactsOfNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactOfExternalId } from '../../shared/storage/contacts/external-ids.ts';
import { recipientRows } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { countWrite, readSentCounts } from '../../shared/storage/contacts/sent-counts.ts';
import { anEvent, PHONE } from '../inbound/support.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { mergeStage } from './contact-merge-stage.ts';

const OTHER = '+5511999990006';
const stage = await use(mergeStage());
const { world, merge, ports } = stage;

const pair = async (
  target: Parameters<typeof stage.create>[0] = {},
  duplicate: Parameters<typeof stage.create>[0] = {},
): Promise<readonly [Contact, Contact]> => [
  await stage.create(target),
  await stage.create({ phone: OTHER, ...duplicate }),
];
const phoneRow = async (hash: string) => {
  const row = await world.table.get(KEYS.phone(stage.actor.organizationId, hash));
  return row && recipientRows.pick('contactId', 'contactNumber', 'optInStatus')(row);
};
const countOf = () => readCount(world.table, stage.actor.organizationId, 'contacts');

describe('a merged contact', () => {
  test('was sent what both were sent, as frequency caps count it', async () => {
    const [target, duplicate] = await pair();
    const hour = 490_000;
    const count = (contactId: Contact['id']) => ({ contactId, hour, version: 0, sends: 1, stale: [] });
    for (const { id } of [target, duplicate]) await world.table.write(countWrite(count(id)));
    accepted(await merge(target, duplicate));
    const [both, none] = await readSentCounts(world.table, [target.id, duplicate.id]);
    expect([both?.byHour, none?.byHour]).toEqual([new Map([[hour, 2]]), new Map()]);
  });

  test('keeps its own values, and has what it lacked from the duplicate', async () => {
    const [target, duplicate] = await pair(
      {
        name: 'Ana',
        attributes: { plano: 'ouro' },
        tags: ['vip'],
        externalIds: { hubspot: '1' },
        cpf: '529.982.247-25',
      },
      {
        name: 'Ana S.',
        email: 'ana@example.com',
        externalId: '42',
        attributes: { plano: 'prata', cidade: 'Recife' },
        tags: ['vip', 'novo'],
        externalIds: { hubspot: '2', salesforce: '3' },
        cpf: '168.995.350-09',
        nascimento: '1990-05-20',
      },
    );
    const merged = accepted(await merge(target, duplicate));
    expect(merged).toMatchObject({
      id: target.id,
      number: target.number,
      phone: PHONE,
      name: 'Ana',
      email: 'ana@example.com',
      emailHash: duplicate.emailHash,
      externalId: '42',
      createdAt: target.createdAt,
      attributes: { plano: 'ouro', cidade: 'Recife' },
      tags: ['vip', 'novo'],
      externalIds: { hubspot: '1', salesforce: '3' },
      mergedContacts: [{ id: duplicate.id, phone: OTHER }],
    });
    expect(await stage.contactNow(target.id)).toEqual(merged);
    expect(clearDocuments(stage.vault, merged)).toEqual({ cpf: '52998224725', nascimento: '1990-05-20' });
    expect(await contactOfExternalId(world.table, stage.actor.organizationId, '42')).toBe(target.id);
  });

  test('is the only one: the duplicate is gone with its number and its count, and its id says where to', async () => {
    const [target, duplicate] = await pair({ externalId: '1' }, { externalId: '42' });
    accepted(await merge(target, duplicate));
    const { organizationId } = stage.actor;
    expect(await countOf()).toBe(1);
    expect(await contactsOfNumbers(world.table, organizationId, [duplicate.number])).toEqual([undefined]);
    expect(await contactOfExternalId(world.table, organizationId, '42')).toBeUndefined();
    expect(await findMerged(ports, organizationId, duplicate.id)).toMatchObject({
      name: 'NOT_FOUND',
      details: { meta: { mergedInto: target.id } },
    });
    const other = newId('organization');
    expect(await findMerged(ports, other, duplicate.id)).toEqual(await findContact(ports.contacts, other, target.id));
  });

  test('has the phone of the duplicate lead to it: what is written from there is its, and a new contact there is refused', async () => {
    const [target, duplicate] = await pair();
    accepted(await merge(target, duplicate));
    expect(await phoneRow(duplicate.phoneHash)).toEqual({
      contactId: target.id,
      contactNumber: target.number,
      optInStatus: 'unknown',
    });
    const event = anEvent({ from: OTHER });
    await stage.receive(event);
    expect(await stage.read(event)).toMatchObject({ contactId: target.id });
    await expect(stage.create({ phone: OTHER })).rejects.toThrow();
  });

  test('that is opted out is so on every phone, and opted in again likewise', async () => {
    const [target, duplicate] = await pair();
    accepted(await merge(target, duplicate));
    accepted(await optOutContact(stage.contacts, stage.actor, target.id, {}));
    expect(await stage.send({ to: OTHER })).toMatchObject({ details: { meta: { motivo: 'opt_out' } } });
    accepted(await optInContact(stage.contacts, stage.actor, target.id, { source: 'site' }));
    accepted(await stage.send({ to: OTHER }));
  });

  test('may take such a phone for its own, and gives up a phone that is not its own any more', async () => {
    const [target, duplicate] = await pair();
    accepted(await merge(target, duplicate));
    const changed = accepted(await changeContact(stage.contacts, stage.actor, target.id, { phone: OTHER }));
    expect(changed).toMatchObject({ phone: OTHER, mergedContacts: [{ id: duplicate.id }] });
    expect(changed.mergedContacts?.[0]).not.toHaveProperty('phone');
    expect(await phoneRow(target.phoneHash)).toBeUndefined();
    accepted(await changeContact(stage.contacts, stage.actor, target.id, { phone: PHONE }));
    expect(await phoneRow(duplicate.phoneHash)).toBeUndefined();
  });

  test('takes over every contact that had been merged into the duplicate', async () => {
    const [first, second] = await pair();
    const third = await stage.create({ phone: '+5511999990007' });
    accepted(await merge(second, third));
    const merged = accepted(await merge(first, second));
    expect(merged.mergedContacts?.map(({ id }) => id)).toEqual([second.id, third.id]);
    expect(await phoneRow(third.phoneHash)).toMatchObject({ contactId: first.id });
    expect(await countOf()).toBe(1);
  });
});

describe('the consent of a merged contact', () => {
  const granted = { status: 'granted', source: 'site' } as const;

  test('is a withdrawal of either, on both phones and at both addresses, with the proof of an earlier consent', async () => {
    const [target, duplicate] = await pair({ email: 'a@example.com', optIn: granted }, { email: 'b@example.com' });
    accepted(await optOutContact(stage.contacts, stage.actor, duplicate.id, { reason: 'asked' }));
    const merged = accepted(await merge(target, duplicate));
    expect(merged.optIn).toMatchObject({ status: 'denied', revokedReason: 'asked', source: 'site' });
    for (const hash of [target.phoneHash, duplicate.phoneHash])
      expect(await phoneRow(hash)).toMatchObject({ contactId: target.id, optInStatus: 'denied' });
    const address = async ({ emailHash = '' }: Contact) =>
      world.table.get(KEYS.emailAddress(stage.actor.organizationId, emailHash));
    expect(await address(target)).toMatchObject({ optedOut: 1 });
    expect(await address(duplicate)).toMatchObject({ optedOut: 0, optInStatus: 'denied' });
    expect(stage.raised()).toEqual(expect.arrayContaining(['contact.merged', 'contact.opted_out']));
  });

  test('counts an address that both have once, whichever of them opted out', async () => {
    for (const [round, optedOut] of [[0], [1], [0, 1]].entries()) {
      const email = `casal${round}@example.com`;
      const both = [
        await stage.create({ phone: `+551199999020${round}`, email }),
        await stage.create({ phone: `+551199999030${round}`, email }),
      ] as const;
      for (const at of optedOut)
        accepted(await optOutContact(stage.contacts, stage.actor, (both[at] as Contact).id, {}));
      const [target, duplicate] = [await stage.contactNow(both[0].id), await stage.contactNow(both[1].id)];
      accepted(await merge(target, duplicate));
      const row = await world.table.get(KEYS.emailAddress(stage.actor.organizationId, target.emailHash ?? ''));
      expect(row).toMatchObject({ optedOut: 1 });
    }
  });

  test('is that of the duplicate where the contact said nothing, and its history has the changes of both by their times', async () => {
    const [target, duplicate] = await pair();
    world.now += 1_000;
    accepted(await optInContact(stage.contacts, stage.actor, duplicate.id, { source: 'feira' }));
    world.now += 1_000;
    const merged = accepted(await merge(target, duplicate));
    expect(merged.optIn).toMatchObject({ status: 'granted', source: 'feira' });
    accepted(await optOutContact(stage.contacts, stage.actor, target.id, { reason: 'asked' }));
    await stage.move(duplicate.id);
    const history = await allConsents(world.table, target.id);
    expect(history.map(({ at, status }) => [at - world.now, status])).toEqual([
      [0, 'denied'],
      [0, 'granted'],
      [-1_000, 'granted'],
    ]);
    expect(history.every(({ contactId }) => contactId === target.id)).toBe(true);
    expect(await allConsents(world.table, duplicate.id)).toEqual([]);
  });
});

describe('a merge', () => {
  test('is refused of a contact and itself, of what is not there, and of what both together have too much of', async () => {
    const [target, duplicate] = await pair(
      { tags: Array.from({ length: 60 }, (_, at) => `a${at}`) },
      { tags: Array.from({ length: 60 }, (_, at) => `b${at}`) },
    );
    expect(await merge(target, target)).toMatchObject({ name: 'VALIDATION_ERROR' });
    expect(await merge(target, { id: newId('contact') })).toMatchObject({ name: 'NOT_FOUND' });
    expect(await merge({ id: newId('contact') }, duplicate)).toMatchObject({ name: 'NOT_FOUND' });
    const refused = await merge(target, duplicate);
    expect(refused).toMatchObject({ name: 'VALIDATION_ERROR', details: { errors: [{ path: 'tags' }] } });
    expect(await stage.contactNow(duplicate.id)).toEqual(duplicate);
  });

  test('concurrent with a withdrawal of either keeps it: none is lost between the read and the write', async () => {
    for (const which of [0, 1]) {
      const both = await pair({ phone: `+551199999040${which}` }, { phone: `+551199999050${which}` });
      const withdraws = both[which] as Contact;
      let isRequested = false;
      const read = async (id: Contact['id']) => {
        const found = await stage.find(id);
        if (id === withdraws.id && !isRequested) {
          isRequested = true;
          accepted(await optOutContact(stage.contacts, stage.actor, id, {}));
        }
        return found;
      };
      const contacts = { ...ports.contacts, store: { ...ports.contacts.store, read } };
      const merged = await mergeContacts({ ...ports, contacts }, stage.actor, both[0].id, both[1].id);
      expect(accepted(merged).optIn.status).toBe('denied');
    }
  });

  test('by 20 concurrent callers is made once: one event, and the same answer for each', async () => {
    const [target, duplicate] = await pair();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => merge(target, duplicate)));
    for (const outcome of outcomes) expect(outcome).toEqual(accepted(outcomes[0] as Contact));
    expect(stage.raised().filter((type) => type === 'contact.merged')).toHaveLength(1);
    expect(await countOf()).toBe(1);
  });

  test('of 20 concurrent merges among five contacts ends as some order of them would: each phone leads to an existing contact', async () => {
    const contacts = await Promise.all(
      Array.from({ length: 5 }, (_, at) => stage.create({ phone: `+551199999010${at}`, tags: [`t${at}`] })),
    );
    const of = (at: number) => contacts[at % 5] as Contact;
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => merge(of(at), of(at * 2 + 1))));
    const left = (await Promise.all(contacts.map(({ id }) => stage.contacts.store.read(id)))).flatMap(
      (one) => one ?? [],
    );
    expect(await countOf()).toBe(left.length);
    expect(outcomes.filter((outcome) => !isRefusal(outcome)).length).toBeGreaterThanOrEqual(5 - left.length);
    expect(left.flatMap(({ tags }) => tags).toSorted()).toEqual(['t0', 't1', 't2', 't3', 't4']);
    for (const { phoneHash, id } of contacts) {
      const holder = (await phoneRow(phoneHash))?.contactId;
      expect(left.map((one) => one.id)).toContain(holder);
      expect((await stage.store.heirOf(id))?.id).toBe(holder);
    }
  });
});
