import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { type ContactChange, changeContact } from '../../shared/domain/contacts/change.ts';
import { findContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import { maskedDocuments } from '../../shared/domain/contacts/documents.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { emailConsentStore } from '../../shared/storage/contacts/email-addresses.ts';
import { optOutWrite, recipientRows } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(randomBytes(32));
const raised: Id<'event'>[] = [];
const world = await use(startWorld('test'));
const ports = contactPortsOf(world, vault, (events) => void raised.push(...events.map(({ id }) => id)));

let phones = 0;
const aPhone = () => `+551198${String(9_000_000 + phones++)}`;
const create = async (actor: Actor, body: Partial<NewContact> = {}): Promise<Contact> =>
  accepted(await createContact(ports, actor, { phone: aPhone(), ...body }));
const change = async (actor: Actor, { id }: Contact, body: ContactChange) => changeContact(ports, actor, id, body);
const read = async (actor: Actor, { id }: Contact) => accepted(await findContact(ports, actor.organizationId, id));
const row = (key: Parameters<typeof world.table.get>[0]) => world.table.get(key);
const readRecipient = recipientRows.pick('contactId', 'contactNumber', 'optInStatus', 'optedOut');
const phoneRow = async (actor: Actor, { phoneHash }: Contact) => {
  const found = await row(KEYS.phone(actor.organizationId, phoneHash));
  return found && readRecipient(found);
};
const optedOutAt = async (actor: Actor, email: string) => {
  const hash = vault.blindIndex(actor.organizationId, 'email', email);
  const found = await row(KEYS.emailAddress(actor.organizationId, hash));
  return found ? readRecipient(found).optedOut : 0;
};
const eventsOf = async ({ organizationId }: Actor) =>
  (await world.events(raised)).filter((event) => event.organizationId === organizationId).map(({ type }) => type);
const send = (actor: Actor, to: string) =>
  sendSms(
    { ...world.ports, recipientHashOf: async (organizationId, kind, to) => vault.blindIndex(organizationId, kind, to) },
    actor,
    newId('request'),
    { to, body: 'Oi', route: 'premium' },
  );

describe('a new phone', () => {
  test("is the contact's from then on, with its number and consent, and the old one is free", async () => {
    const actor = await world.organization();
    const before = await create(actor, { optIn: { status: 'granted', source: 'site' } });
    const after = accepted(await change(actor, before, { phone: aPhone() }));
    expect(await phoneRow(actor, after)).toMatchObject({
      contactId: before.id,
      contactNumber: before.number,
      optInStatus: 'granted',
    });
    expect(await phoneRow(actor, before)).toBeUndefined();
    await create(actor, { phone: before.phone });
  });

  test("wanted by 20 contacts concurrently becomes one contact's, and the others keep theirs", async () => {
    const actor = await world.organization();
    const contacts = await Promise.all(Array.from({ length: 20 }, () => create(actor)));
    const phone = aPhone();
    const outcomes = await Promise.all(contacts.map((contact) => change(actor, contact, { phone })));
    expect(outcomes.filter((outcome) => !isRefusal(outcome))).toHaveLength(1);
    for (const contact of contacts) {
      const now = await read(actor, contact);
      expect(await phoneRow(actor, now)).toMatchObject({ contactId: contact.id });
    }
  });

  test('that opted out by itself makes the contact opted out, and raises contact.opted_out', async () => {
    const actor = await world.organization();
    const contact = await create(actor);
    const phone = aPhone();
    const hash = vault.blindIndex(actor.organizationId, 'phone', phone);
    await world.table.write(optOutWrite(actor.organizationId, 'phone', hash, { at: world.now, reason: 'PARAR' }));
    const after = accepted(await change(actor, contact, { phone }));
    expect(after.optIn).toMatchObject({ status: 'denied', revokedReason: 'PARAR' });
    expect(await read(actor, contact)).toMatchObject({ phone, optIn: { status: 'denied' } });
    expect(await eventsOf(actor)).toEqual(['contact.created', 'contact.opted_out']);
  });

  test('of who opted out leaves neither the old nor the new one to be written to', async () => {
    const actor = await world.organization();
    const contact = await create(actor);
    accepted(await optOutContact(ports, actor, contact.id, {}));
    const after = accepted(await change(actor, contact, { phone: aPhone() }));
    for (const { phone } of [contact, after])
      expect(await send(actor, phone)).toMatchObject({ details: { meta: { motivo: 'opt_out' } } });
    expect((await create(actor, { phone: contact.phone })).optIn.status).toBe('denied');
  });
});

describe('a new address', () => {
  test("takes the contact's withdrawal along: each address counts its own", async () => {
    const actor = await world.organization();
    const [one, two] = ['um@example.com', 'dois@example.com'];
    const contact = await create(actor, { email: one, optIn: { status: 'denied' } });
    expect(await optedOutAt(actor, one)).toBe(1);
    accepted(await change(actor, contact, { email: two }));
    expect([await optedOutAt(actor, one), await optedOutAt(actor, two)]).toEqual([0, 1]);
    accepted(await change(actor, contact, { email: null }));
    expect([await optedOutAt(actor, one), await optedOutAt(actor, two)]).toEqual([0, 0]);
  });

  test('finds the contact, and the old one does not any more', async () => {
    const actor = await world.organization();
    const contact = await create(actor, { email: 'antigo@example.com' });
    accepted(await change(actor, contact, { email: 'Novo@Example.com' }));
    const found = (email: string) =>
      emailConsentStore(world.table).contactsOf(
        actor.organizationId,
        vault.blindIndex(actor.organizationId, 'email', email),
      );
    expect([await found('antigo@example.com'), await found('novo@example.com')]).toEqual([[], [contact.id]]);
  });
});

test("a new external id is the contact's from then on, and the old one is free", async () => {
  const actor = await world.organization();
  const [one, two] = [await create(actor, { externalId: '1' }), await create(actor, { externalId: '2' })];
  expect(await change(actor, two, { externalId: '1' })).toMatchObject({
    name: 'CONFLICT',
    details: { meta: { code: 'EXTERNAL_ID_JA_CADASTRADO', contactId: one.id } },
  });
  accepted(await change(actor, one, { externalId: '3' }));
  accepted(await change(actor, two, { externalId: '1' }));
  accepted(await change(actor, one, { externalId: null }));
  accepted(await change(actor, two, { externalId: '3' }));
  expect(await row(KEYS.externalId(actor.organizationId, '3'))).toMatchObject({
    contactId: two.id,
    number: two.number,
  });
});

describe('a change', () => {
  test('merges attributes and external ids by their keys, and replaces tags', async () => {
    const actor = await world.organization();
    const contact = await create(actor, {
      attributes: { plano: 'ouro', nulo: null, constructor: null, fora: 1 },
      externalIds: { hubspot: '1', pipedrive: '2' },
      tags: ['a', 'b'],
    });
    const body = { attributes: { plano: 'prata', fora: null }, externalIds: { hubspot: null }, tags: ['c', 'c'] };
    accepted(await change(actor, contact, body));
    expect(await read(actor, contact)).toMatchObject({
      attributes: { plano: 'prata', nulo: null, constructor: null },
      externalIds: { pipedrive: '2' },
      tags: ['c'],
    });
    const cleared = { attributes: null, externalIds: { pipedrive: null }, tags: null } as const;
    expect(accepted(await change(actor, contact, cleared))).toMatchObject({ attributes: {}, tags: [] });
    expect((await read(actor, contact)).externalIds).toBeUndefined();
  });

  test('of nothing stores nothing: neither time nor mark nor event', async () => {
    const actor = await world.organization();
    const debts = [{ company: 'Banco Azul', amountCents: 100 }];
    const given = { name: 'Ana', cpf: '529.982.247-25', tags: ['a'], attributes: { a: ['x'] }, debtorGroups: debts };
    const contact = await create(actor, given);
    const mark = KEYS.changedContact(actor.organizationId, contact.id);
    const before = await row(mark);
    world.now += 1_000;
    expect(await change(actor, contact, { ...given, externalId: null, phone: contact.phone })).toEqual(
      await read(actor, contact),
    );
    expect((await read(actor, contact)).updatedAt).toBe(contact.updatedAt);
    expect(await row(mark)).toEqual(before);
    accepted(await change(actor, contact, { name: 'Ana Lima' }));
    expect((await row(mark))?.token).not.toBe(before?.token);
  });

  test('is made once when the answer to its commit was lost', async () => {
    const actor = await world.organization();
    const contact = await create(actor, { externalId: '1' });
    const [phone, taken] = [aPhone(), aPhone()];
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const after = accepted(await change(actor, contact, { phone, externalId: '2' }));
    expect(after).toMatchObject({ phone, externalId: '2', version: contact.version + 1 });
    await create(actor, { phone: taken });
    expect(await change(actor, contact, { phone: taken })).toMatchObject({ name: 'CONFLICT' });
  });

  test('of 12 concurrent writers are all kept', async () => {
    const actor = await world.organization();
    const contact = await create(actor);
    const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
    await Promise.all(keys.map(async (key) => accepted(await change(actor, contact, { attributes: { [key]: key } }))));
    expect(Object.keys((await read(actor, contact)).attributes).sort()).toEqual(keys.sort());
  });

  test('of documents seals what is given and clears what is null', async () => {
    const actor = await world.organization();
    const contact = await create(actor, { cpf: '529.982.247-25', nascimento: '1990-05-20' });
    accepted(await change(actor, contact, { cpf: null, cnpj: '11.222.333/0001-81' }));
    expect(maskedDocuments(vault, await read(actor, contact))).toEqual({
      cnpj: '**.222.333/****-**',
      nascimento: '1990-**-**',
    });
  });

  test('with what a new contact could not have is refused, each field by its name', async () => {
    const actor = await world.organization();
    const contact = await create(actor, {
      attributes: Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`a${at}`, 1])),
    });
    const id = newId('debtorGroup');
    const refused = await change(actor, contact, {
      phone: '11999991234',
      cpf: '111.111.111-11',
      attributes: { x: 1, y: 2 },
      debtorGroups: [
        { id, company: 'A' },
        { id, company: 'B', phones: ['+5511999991234', '123'] },
      ],
    });
    const paths = isRefusal(refused) ? refused.details.errors?.map(({ path }) => path) : [];
    expect(paths).toEqual(['phone', 'cpf', 'attributes', 'debtorGroups.1.phones.1', 'debtorGroups.1.id']);
    expect(await change(actor, contact, { companyId: newId('company') })).toMatchObject({
      details: { meta: { code: 'VINCULO_INVALIDO' } },
    });
    expect(await change(await world.organization(), contact, { name: 'X' })).toMatchObject({ name: 'NOT_FOUND' });
  });
});
