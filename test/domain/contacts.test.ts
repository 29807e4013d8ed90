import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  ContactRead,
  Contact as ContactShape,
  CreateContact,
  OptInContact,
  OptOutContact,
} from '../../shared/contracts/contacts.ts';
import { findContact, optInContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { MAX_ATTRIBUTES_BYTES } from '../../shared/domain/contacts/input.ts';
import type { ContactPorts } from '../../shared/domain/contacts/ports.ts';
import { contactReadView, contactView } from '../../shared/domain/contacts/views.ts';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { accepted } from '../support/accepted.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const PHONE = '+5511999991234';
const DOCUMENTS = { cpf: '529.982.247-25', cnpj: '11.222.333/0001-81', nascimento: '1990-05-20' } as const;

/** Contacts in memory; `conflicts` makes that many changes fail because the contact changed meanwhile. */
const world = () => {
  const contacts = new Map<string, Contact>();
  const events: DomainEvent[] = [];
  const vault = createVault(randomBytes(32));
  const state = { now: NOW, conflicts: 0, opened: 0 };
  const ports: ContactPorts = {
    clock: () => state.now,
    recipients: async () => vault,
    documents: async () => {
      state.opened += 1;
      return vault;
    },
    store: {
      takeNumbers: async () => contacts.size + 1,
      async create(contact, event) {
        for (const other of contacts.values()) {
          if (other.phoneHash === contact.phoneHash) return { kind: 'taken', field: 'phone', contactId: other.id };
          if (contact.externalId !== undefined && other.externalId === contact.externalId)
            return { kind: 'taken', field: 'externalId', contactId: other.id };
        }
        contacts.set(contact.id, contact);
        events.push(event);
        return { kind: 'created' };
      },
      read: async (id) => contacts.get(id),
      async change(before, after, event) {
        if (state.conflicts-- > 0 || contacts.get(before.id)?.version !== before.version) return { kind: 'stale' };
        contacts.set(after.id, after);
        if (event) events.push(event);
        return { kind: 'changed' };
      },
      async changeConsent(before, after, event) {
        if (state.conflicts-- > 0 || contacts.get(before.id)?.version !== before.version) return false;
        contacts.set(after.id, after);
        if (event) events.push(event);
        return true;
      },
      unsubscribedAt: async () => undefined,
      clearOptOuts: async () => {},
    },
  };
  return { ports, events, state, actor: { organizationId: newId('organization'), env: 'test' as const } };
};
type World = ReturnType<typeof world>;

const create = async ({ ports, actor }: World, body: Record<string, unknown> = {}) =>
  createContact(ports, actor, CreateContact.parse({ phone: PHONE, ...body }));
const faults = (outcome: unknown) => (isRefusal(outcome) ? outcome.details.errors?.map(({ path }) => path) : 'allowed');

describe('a new contact', () => {
  test('starts with unknown consent, source api and a blind index, and raises contact.created with a masked phone', async () => {
    const at = world();
    const contact = accepted(await create(at, { externalId: 'loja:42' }));
    expect(contact).toMatchObject({
      phone: PHONE,
      optIn: { status: 'unknown' },
      source: 'api',
      tags: [],
      attributes: {},
      createdAt: NOW,
      updatedAt: NOW,
    });
    expect(contact.phoneHash).toBe((await at.ports.recipients()).blindIndex(at.actor.organizationId, 'phone', PHONE));
    expect(at.events).toMatchObject([
      {
        type: 'contact.created',
        env: 'test',
        data: { contactId: contact.id, phone: '+55119****1234', status: 'unknown', externalId: 'loja:42' },
      },
    ]);
    expect(JSON.stringify(at.events)).not.toContain(PHONE);
  });

  test('has its documents stored sealed and shown masked', async () => {
    const at = world();
    const contact = accepted(await create(at, DOCUMENTS));
    for (const clear of ['529.982.247-25', '52998224725', '11222333000181', '1990-05-20'])
      expect(JSON.stringify(contact)).not.toContain(clear);
    const read = ContactRead.parse(await contactReadView(contact, true, at.ports.documents));
    expect(read.documentos).toEqual({ cpf: '***.982.247-**', cnpj: '**.222.333/****-**', nascimento: '1990-**-**' });
    expect(ContactShape.parse(contactView(contact, true))).not.toHaveProperty('documentos');
  });

  test('is refused with every invalid field named, and no value repeated', async () => {
    const at = world();
    const refused = await create(at, {
      phone: '+55 11 99999-1234',
      cpf: '111.111.111-11',
      cnpj: '11.222.333/0001-82',
      nascimento: '2990-02-30',
    });
    expect(faults(refused)).toEqual(['phone', 'cpf', 'cnpj', 'nascimento']);
    expect(JSON.stringify(refused)).not.toContain('111.111');
    expect(at.state.opened).toBe(0);
    expect(at.events).toEqual([]);
  });

  test('with attributes too large for a row is refused', async () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [`k${at}`, Array.from({ length: 50 }, () => 'é'.repeat(256))]),
    );
    expect(Buffer.byteLength(JSON.stringify(attributes))).toBeGreaterThan(MAX_ATTRIBUTES_BYTES);
    expect(faults(await create(world(), { attributes }))).toEqual(['attributes']);
  });

  test('with the phone or external id of another is a conflict that names the field and the other contact', async () => {
    const at = world();
    const first = accepted(await create(at, { externalId: '42' }));
    for (const [body, field, code] of [
      [{ externalId: '43' }, 'phone', 'TELEFONE_JA_CADASTRADO'],
      [{ phone: '+5511999991235', externalId: '42' }, 'externalId', 'EXTERNAL_ID_JA_CADASTRADO'],
    ] as const) {
      const refused = await create(at, body);
      expect(refused).toMatchObject({ name: 'CONFLICT', details: { meta: { code, field, contactId: first.id } } });
    }
    expect(at.events).toHaveLength(1);
  });

  test('has a time for its initial consent', async () => {
    const proof = { source: 'checkout', ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
    const granted = accepted(await create(world(), { optIn: { status: 'granted', ...proof } }));
    expect(contactView(granted, false).optIn).toEqual({ status: 'granted', ...proof, at: '2026-03-10T12:00:00.000Z' });
    const denied = accepted(await create(world(), { optIn: { status: 'denied' } }));
    expect(contactView(denied, false).optIn).toEqual({ status: 'denied', revokedAt: '2026-03-10T12:00:00.000Z' });
  });

  test('has a repeated tag once, and no empty set of external ids', async () => {
    const contact = accepted(await create(world(), { tags: ['vip', 'cliente', 'vip'], externalIds: {} }));
    expect(contact.tags).toEqual(['vip', 'cliente']);
    expect(contactView(contact, true)).not.toHaveProperty('externalIds');
  });
});

describe('the shape of a new contact', () => {
  const accepts = (body: Record<string, unknown>) => CreateContact.safeParse({ phone: PHONE, ...body }).success;
  const image = (bytes: number) => `data:image/png;base64,${Buffer.alloc(bytes, 7).toString('base64')}`;

  test.each([
    [{ externalId: '550e8400-e29b-41d4-a716-446655440000' }],
    [{ externalId: '42' }],
    [{ externalId: 'd41d8cd98f00b204e9800998ecf8427e' }],
    [{ externalId: 'loja:42:cliente:7' }],
    [{ avatarUrl: 'https://cdn.example.com/a.png?x=1' }],
    [{ avatarUrl: image(40_000) }],
    [{ avatarUrl: 'data:image/svg+xml,%3Csvg/%3E' }],
    [{ attributes: { constructor: 'x', a: null, b: ['c'], d: 1.5, e: false } }],
    [{ externalIds: { hubspot: '1' } }],
    [{ email: 'ana@example.com' }],
    [{ optIn: { status: 'granted', ip: '2001:db8::1' } }],
    [{}],
  ])('accepts %j', (body) => expect(accepts(body)).toBe(true));

  test.each([
    [{ unknown: 1 }],
    [{ externalId: '' }],
    [{ externalId: 'a b' }],
    [{ externalId: ':a' }],
    [{ avatarUrl: 'ftp://example.com/a' }],
    [{ avatarUrl: 'javascript:alert(1)' }],
    [{ avatarUrl: 'https://a\nb.example' }],
    [{ avatarUrl: image(49_200) }],
    [{ avatarUrl: 'data:image/png;base64,@@@=' }],
    [{ avatarUrl: 'data:image/png;base64,QQ' }],
    [{ avatarUrl: 'data:text/html,x' }],
    [{ attributes: { a: { b: 1 } } }],
    [{ attributes: null }],
    [{ attributes: JSON.parse('{"__proto__": 1}') }],
    [{ externalIds: { other: '1' } }],
    [{ email: 'ana' }],
    [{ name: 'Ana\r\nBcc: x' }],
    [{ tags: [''] }],
    [{ optIn: { status: 'yes' } }],
    [{ optIn: { status: 'granted', ip: 'here' } }],
    [{ source: 'crm' }],
    [{ papelNaEmpresa: 'chefe' }],
    [{ companyId: '' }],
  ])('refuses %j', (body) => expect(accepts(body)).toBe(false));

  test('is as strict for consent', () => {
    expect(OptInContact.safeParse({}).success).toBe(false);
    expect(OptInContact.safeParse({ source: 'site', at: 'now' }).success).toBe(false);
    expect(OptOutContact.safeParse({}).success).toBe(true);
    expect(OptOutContact.safeParse({ motivo: 'x' }).success).toBe(false);
  });
});

test('without pii:full phone and e-mail address are masked everywhere', async () => {
  const contact = accepted(await create(world(), { name: 'Ana Souza', email: 'ana.souza@example.com' }));
  const masked = ContactShape.parse(contactView(contact, false));
  expect(masked).toMatchObject({ phone: '+55119****1234', email: 'a***@example.com', name: 'Ana Souza' });
  expect(JSON.stringify(masked)).not.toMatch(/\+5511999991234|ana\.souza/);
  expect(contactView(contact, true)).toMatchObject({ phone: PHONE, email: 'ana.souza@example.com' });
});

describe('consent', () => {
  test('is withdrawn once: a repeat changes nothing and raises no event', async () => {
    const at = world();
    const { id } = accepted(await create(at, { optIn: { status: 'granted', source: 'site' } }));
    at.state.now += 1_000;
    const first = accepted(await optOutContact(at.ports, at.actor, id, { reason: 'asked by phone' }));
    expect(first.optIn).toMatchObject({
      status: 'denied',
      source: 'site',
      at: NOW,
      revokedAt: NOW + 1_000,
      revokedReason: 'asked by phone',
    });
    at.state.now += 1_000;
    expect(accepted(await optOutContact(at.ports, at.actor, id, { reason: 'another' }))).toEqual(first);
    expect(at.events.map(({ type }) => type)).toEqual(['contact.created', 'contact.opted_out']);
    const data = { contactId: id, phone: '+55119****1234', status: 'denied', reason: 'asked by phone', source: 'api' };
    expect(at.events[1]?.data).toEqual(data);
  });

  test('is given again with its proof, once, and ends the withdrawal', async () => {
    const at = world();
    const { id } = accepted(await create(at));
    accepted(await optOutContact(at.ports, at.actor, id, { reason: 'x' }));
    const first = accepted(await optInContact(at.ports, at.actor, id, { source: 'site', ip: '203.0.113.7' }));
    expect(contactView(first, true).optIn).toEqual({
      status: 'granted',
      source: 'site',
      at: '2026-03-10T12:00:00.000Z',
      ip: '203.0.113.7',
    });
    expect(accepted(await optInContact(at.ports, at.actor, id, { source: 'other' }))).toEqual(first);
    expect(at.events).toHaveLength(2);
  });

  test('is retried when the contact changed meanwhile, and fails in the end without an event', async () => {
    const at = world();
    const { id } = accepted(await create(at));
    at.state.conflicts = 3;
    accepted(await optOutContact(at.ports, at.actor, id, {}));
    expect(at.events).toHaveLength(2);
    at.state.conflicts = 100;
    await expect(optInContact(at.ports, at.actor, id, { source: 'site' })).rejects.toThrow(Unavailable);
    expect(at.events).toHaveLength(2);
  });
});

test("another organization's contact is not found, exactly like one that does not exist", async () => {
  const at = world();
  const { id } = accepted(await create(at));
  const other = newId('organization');
  const outcomes = [
    await findContact(at.ports, other, id),
    await findContact(at.ports, other, newId('contact')),
    await optOutContact(at.ports, { organizationId: other }, id, {}),
    await optInContact(at.ports, { organizationId: other }, id, { source: 'site' }),
  ];
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[1]);
  expect(outcomes[0]).toMatchObject({ name: 'NOT_FOUND' });
  expect(at.events).toHaveLength(1);
});
