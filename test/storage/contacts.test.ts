import { randomBytes } from 'node:crypto';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { findContact, optInContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import { maskedDocuments } from '../../shared/domain/contacts/documents.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(randomBytes(32));
const raised: Id<'event'>[] = [];

const world = await use(startWorld('test'));
const countContacts = (organizationId: Id<'organization'>) => readCount(world.table, organizationId, 'contacts');
const ports = contactPortsOf(world, vault, (events) => void raised.push(...events.map(({ id }) => id)));

let phones = 0;
const aPhone = () => `+551199${String(9_000_000 + phones++)}`;
const create = async (actor: Actor, body: Partial<NewContact> = {}) =>
  createContact(ports, actor, { phone: aPhone(), ...body });
const eventsOf = async (organizationId: string) =>
  (await world.events(raised)).filter((event) => event.organizationId === organizationId);
/** The consent in each of its two rows. */
const consentRows = async (actor: Actor, id: Id<'contact'>) => {
  const contact = accepted(await findContact(ports, actor.organizationId, id));
  const rows = await world.table.getMany([KEYS.contact(id), KEYS.phone(actor.organizationId, contact.phoneHash)]);
  return rows.map((row) => row?.optInStatus);
};
const send = (actor: Actor, to: string, fields: { contactId?: Id<'contact'>; route?: 'otp' } = {}) =>
  sendSms(
    { ...world.ports, recipientHashOf: async (organizationId, kind, to) => vault.blindIndex(organizationId, kind, to) },
    actor,
    newId('request'),
    { to, body: 'Oi', route: 'premium', ...fields },
  );

describe('uniqueness', () => {
  test('of 50 concurrent contacts with one phone, one is stored, counted and raises its event', async () => {
    const actor = await world.organization();
    const phone = aPhone();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => create(actor, { phone })));
    const stored = outcomes.flatMap((outcome) => (isRefusal(outcome) ? [] : [outcome]));
    expect(stored).toHaveLength(1);
    for (const outcome of outcomes.filter((each) => isRefusal(each)))
      expect(outcome).toMatchObject({
        name: 'CONFLICT',
        details: { meta: { field: 'phone', contactId: stored[0]?.id } },
      });
    expect(await countContacts(actor.organizationId)).toBe(1);
    expect((await eventsOf(actor.organizationId)).map(({ type }) => type)).toEqual(['contact.created']);
  });

  test('of 50 concurrent contacts with one external id, one is stored, and no phone of the others', async () => {
    const actor = await world.organization();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => create(actor, { externalId: 'loja:42' })));
    expect(outcomes.filter((outcome) => !isRefusal(outcome))).toHaveLength(1);
    const rows = await scan();
    expect(rows.filter(({ pk }) => String(pk).startsWith(`PHONE#${actor.organizationId}#`))).toHaveLength(1);
    expect(await countContacts(actor.organizationId)).toBe(1);
  });

  test('ends at the organization: two may have the same phone and external id', async () => {
    const body = { phone: aPhone(), externalId: '42' };
    const [one, two] = [
      accepted(await create(await world.organization(), body)),
      accepted(await create(await world.organization(), body)),
    ];
    expect(one.phoneHash).not.toBe(two.phoneHash);
  });

  test('does not refuse a contact because of itself when the answer to its commit was lost', async () => {
    const actor = await world.organization();
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const contact = accepted(await create(actor, { externalId: '42' }));
    expect(accepted(await findContact(ports, actor.organizationId, contact.id)).externalId).toBe('42');
    expect(await countContacts(actor.organizationId)).toBe(1);
    expect(await eventsOf(actor.organizationId)).toHaveLength(1);
  });
});

const scan = async () => {
  const client = new DynamoDBClient({ endpoint: world.proxy.endpoint });
  const rows: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: world.table.name, ConsistentRead: true }))
    rows.push(...Items.map((item) => unmarshall(item)));
  client.destroy();
  return rows;
};

describe('consent', () => {
  test('is the same on the contact and on its phone after every change', async () => {
    const actor = await world.organization();
    const { id } = accepted(await create(actor));
    expect(await consentRows(actor, id)).toEqual(['unknown', 'unknown']);
    accepted(await optOutContact(ports, actor, id, { reason: 'asked by phone' }));
    expect(await consentRows(actor, id)).toEqual(['denied', 'denied']);
    accepted(await optInContact(ports, actor, id, { source: 'site' }));
    expect(await consentRows(actor, id)).toEqual(['granted', 'granted']);
  });

  test('is the same on both after a race of opt-ins and opt-outs, with one event per withdrawal', async () => {
    const actor = await world.organization();
    const { id } = accepted(await create(actor));
    const changes = Array.from({ length: 20 }, (_, at) =>
      at % 2 ? optOutContact(ports, actor, id, {}) : optInContact(ports, actor, id, { source: 'site' }),
    );
    await Promise.allSettled(changes);
    const [onContact, onPhone] = await consentRows(actor, id);
    expect(onContact).toBe(onPhone);
    expect(['granted', 'denied']).toContain(onContact);
    const withdrawals = (await eventsOf(actor.organizationId)).filter(
      ({ type }) => type === 'contact.opted_out',
    ).length;
    expect(withdrawals).toBeGreaterThan(0);
    expect(withdrawals).toBeLessThanOrEqual(10);
  });

  test('withdrawn by 20 concurrent requests raises one event', async () => {
    const actor = await world.organization();
    const { id } = accepted(await create(actor));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => optOutContact(ports, actor, id, {})));
    for (const outcome of outcomes) expect(accepted(outcome).optIn.status).toBe('denied');
    expect((await eventsOf(actor.organizationId)).map(({ type }) => type)).toEqual([
      'contact.created',
      'contact.opted_out',
    ]);
  });

  test('is withdrawn once when the answer to the commit was lost', async () => {
    const actor = await world.organization();
    const { id } = accepted(await create(actor));
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    expect(accepted(await optOutContact(ports, actor, id, { reason: 'x' })).optIn).toMatchObject({
      status: 'denied',
      revokedReason: 'x',
    });
    const withdrawals = (await scan()).filter(
      (row) => row.type === 'contact.opted_out' && row.org === actor.organizationId,
    );
    expect(withdrawals).toHaveLength(1);
  });

  test('when withdrawn refuses all but transactional sends to the contact and to its phone; when given again, none', async () => {
    const actor = await world.organization();
    const { id, phone } = accepted(await create(actor));
    accepted(await optOutContact(ports, actor, id, {}));
    for (const fields of [{}, { contactId: id }])
      expect(await send(actor, phone, fields)).toMatchObject({ details: { meta: { motivo: 'opt_out' } } });
    accepted(await send(actor, phone, { route: 'otp' }));
    accepted(await optInContact(ports, actor, id, { source: 'site' }));
    accepted(await send(actor, phone));
    accepted(await send(actor, phone, { contactId: id }));
  });
});

describe('the storage of contacts', () => {
  test('holds documents only sealed: no row of the stage has one in clear', async () => {
    const actor = await world.organization();
    const contact = accepted(
      await create(actor, { cpf: '529.982.247-25', cnpj: '11.222.333/0001-81', nascimento: '1990-05-20', name: 'Ana' }),
    );
    const text = JSON.stringify(await scan());
    for (const clear of ['529.982.247-25', '52998224725', '11.222.333/0001-81', '11222333000181', '1990-05-20'])
      expect(text).not.toContain(clear);
    const read = accepted(await findContact(ports, actor.organizationId, contact.id));
    expect(maskedDocuments(vault, read)).toEqual({
      cpf: '***.982.247-**',
      cnpj: '**.222.333/****-**',
      nascimento: '1990-**-**',
    });
    expect(() => maskedDocuments(vault, { ...read, id: newId('contact') })).toThrow();
  });

  test('holds the phone in clear on the contact alone', async () => {
    const actor = await world.organization();
    const contact = accepted(await create(actor));
    accepted(await optOutContact(ports, actor, contact.id, {}));
    const holders = (await scan()).filter((row) => JSON.stringify(row).includes(contact.phone));
    expect(holders.map(({ pk }) => pk)).toEqual([KEYS.contact(contact.id).pk]);
  });

  test('is read as it was given, keys like constructor included', async () => {
    const actor = await world.organization();
    const attributes = {
      constructor: 'x',
      toString: 1,
      plano: 'ouro',
      nulo: null,
      lista: ['a', 'b'],
      fração: 0.1,
      ativo: false,
    };
    const given = {
      attributes,
      tags: ['vip'],
      externalIds: { hubspot: '7' },
      email: 'ana@example.com',
      optIn: { status: 'granted', source: 'site', ip: '203.0.113.7' },
    } as const;
    const contact = accepted(await create(actor, given));
    const read = accepted(await findContact(ports, actor.organizationId, contact.id));
    expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(contact)));
  });
});

test("another organization's contact is not found", async () => {
  const [owner, other] = [await world.organization(), await world.organization()];
  const { id, phone } = accepted(await create(owner));
  for (const outcome of [
    await findContact(ports, other.organizationId, id),
    await optOutContact(ports, other, id, {}),
    await optInContact(ports, other, id, { source: 's' }),
  ])
    expect(outcome).toMatchObject({ name: 'NOT_FOUND' });
  expect(await send(other, phone, { contactId: id })).toMatchObject({ name: 'VALIDATION_ERROR' });
  expect(await consentRows(owner, id)).toEqual(['unknown', 'unknown']);
});

test('a contact of a company that does not exist is refused, and stores nothing', async () => {
  const actor = await world.organization();
  expect(await create(actor, { companyId: newId('company') })).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { meta: { code: 'VINCULO_INVALIDO' } },
  });
  expect(await countContacts(actor.organizationId)).toBe(0);
  expect(JSON.stringify(await scan())).not.toContain(`CNTS#${actor.organizationId}`);
});
