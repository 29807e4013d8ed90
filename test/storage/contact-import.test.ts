import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import { type ImportPorts, type ImportResult, importContacts } from '../../shared/domain/contacts/import.ts';
import type { OnConflict } from '../../shared/domain/contacts/import-plan.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { contactsOfNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { importStore } from '../../shared/storage/contacts/import-store.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { optOutWrite } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(randomBytes(32));
const world = await use(startWorld('test'));
const contacts = contactPortsOf(world, vault);
const raised: { organizationId: string; type: string }[] = [];

const portsOver = (table: Table): ImportPorts => ({
  ...contacts,
  store: {
    ...contactStore(table, () => {}),
    ...importStore(
      table,
      (events) => void raised.push(...events),
      () => {},
    ),
  },
});
const run = async (
  actor: Actor,
  rows: readonly Partial<NewContact>[],
  onConflict: OnConflict = 'update',
  table = world.table,
): Promise<ImportResult> => {
  const contatos = rows.map((row) => ({ valid: row as NewContact }));
  return accepted(await importContacts(portsOver(table), actor, { contatos, onConflict }));
};

let phones = 0;
const aPhone = () => `+551196${String(9_000_000 + phones++)}`;
const somePhones = (count: number) => Array.from({ length: count }, aPhone);
const withPhone = async ({ organizationId }: Actor, phone: string) => {
  const row = await world.table.get(KEYS.phone(organizationId, vault.blindIndex(organizationId, 'phone', phone)));
  return accepted(await findContact(contacts, organizationId, row?.contactId as Id<'contact'>));
};
const total = ({ organizationId }: Actor) => readCount(world.table, organizationId, 'contacts');
const eventsOf = ({ organizationId }: Actor) =>
  raised.filter((event) => event.organizationId === organizationId).map(({ type }) => type);

/** The contacts of an organization with these phones are whole: found by number, counted, each once. */
const expectWhole = async (actor: Actor, given: readonly string[]) => {
  const found = await Promise.all(given.map((phone) => withPhone(actor, phone)));
  expect(new Set(found.map(({ number }) => number)).size).toBe(given.length);
  const numbers = found.map(({ number }) => number);
  expect(await contactsOfNumbers(world.table, actor.organizationId, numbers)).toEqual(found.map(({ id }) => id));
  expect(await total(actor)).toBe(given.length);
};

describe('an import', () => {
  test('creates new contacts, changes or skips existing ones, and reports each wrong row by its line', async () => {
    const actor = await world.organization();
    const [one, two, three] = somePhones(3) as [string, string, string];
    accepted(await createContact(contacts, actor, { phone: one, name: 'Ana', tags: ['a'], attributes: { x: 1 } }));
    const rows = [
      { phone: one, name: 'Ana Lima', attributes: { y: 2 } },
      { phone: '11999991234' },
      { phone: two, cpf: '111.111.111-11' },
      { phone: three, companyId: newId('company') },
      { phone: two, externalId: '2' },
    ];
    const result = await run(actor, rows);
    expect(result).toMatchObject({ criados: 1, atualizados: 1, ignorados: 0 });
    expect(result.erros.map(({ linha }) => linha)).toEqual([2, 3, 4]);
    expect(JSON.stringify(result)).not.toMatch(/11999991234|111\.111/);
    expect(await withPhone(actor, one)).toMatchObject({ name: 'Ana Lima', tags: ['a'], attributes: { x: 1, y: 2 } });
    const skipped = await run(actor, [{ phone: one, name: 'Outra' }, { phone: three }], 'skip');
    expect(skipped).toEqual({ criados: 1, atualizados: 0, ignorados: 1, erros: [] });
    expect((await withPhone(actor, one)).name).toBe('Ana Lima');
    await expectWhole(actor, [one, two, three]);
    expect(eventsOf(actor)).toEqual(['contact.created', 'contact.created']);
  });

  test('resolves rows of one person in their order', async () => {
    const actor = await world.organization();
    const [one, two] = somePhones(2) as [string, string];
    const rows = [
      { phone: one, externalId: '1', name: 'A' },
      { phone: one, name: 'B', tags: ['b'] },
      { phone: two, externalId: '1', name: 'C' },
      // The phone that the row before gave up is a new person's.
      { phone: one, name: 'D' },
      { phone: two, name: 'E' },
    ];
    expect(await run(actor, rows)).toEqual({ criados: 2, atualizados: 3, ignorados: 0, erros: [] });
    expect(await withPhone(actor, two)).toMatchObject({ externalId: '1', name: 'E', tags: ['b'] });
    expect(await withPhone(actor, one)).toMatchObject({ name: 'D', tags: [] });
    await expectWhole(actor, [one, two]);
    const both = await run(actor, [{ phone: one, externalId: '1' }]);
    expect(both.erros).toEqual([{ linha: 1, mensagem: 'phone and externalId are those of two contacts' }]);
  });

  test('finds a contact by the phone of one that was merged into it, and leaves both phones as they are', async () => {
    const actor = await world.organization();
    const [own, other] = somePhones(2) as [string, string];
    const target = accepted(await createContact(contacts, actor, { phone: own }));
    const duplicate = accepted(await createContact(contacts, actor, { phone: other }));
    const ports = {
      clock: () => world.now,
      contacts,
      store: mergeStore(world.table, () => {}),
      lists: { replace: async () => {} },
      enqueue: () => {},
    };
    accepted(await mergeContacts(ports, actor, target.id, duplicate.id));
    const result = await run(actor, [{ phone: other, name: 'Ana' }]);
    expect(result).toEqual({ criados: 0, atualizados: 1, ignorados: 0, erros: [] });
    const after = accepted(await findContact(contacts, actor.organizationId, target.id));
    expect(after).toMatchObject({ name: 'Ana', phone: own, mergedContacts: [{ phone: other }] });
  });

  test('never lifts a withdrawal, and records one', async () => {
    const actor = await world.organization();
    const [requested, denied, fresh, known] = somePhones(4) as [string, string, string, string];
    const hash = vault.blindIndex(actor.organizationId, 'phone', requested);
    await world.table.write(optOutWrite(actor.organizationId, 'phone', hash, { at: world.now, reason: 'PARAR' }));
    const { id } = accepted(await createContact(contacts, actor, { phone: denied }));
    accepted(await optOutContact(contacts, actor, id, {}));
    accepted(await createContact(contacts, actor, { phone: known, optIn: { status: 'granted', source: 'site' } }));
    const granted = { status: 'granted', source: 'planilha' } as const;
    await run(actor, [
      { phone: requested, optIn: granted },
      { phone: denied, optIn: granted },
      { phone: fresh },
      { phone: fresh, optIn: granted },
      { phone: known, optIn: { status: 'denied' } },
    ]);
    const statuses = await Promise.all([requested, denied, fresh, known].map((phone) => withPhone(actor, phone)));
    expect(statuses.map(({ optIn }) => optIn.status)).toEqual(['denied', 'denied', 'granted', 'denied']);
    expect(eventsOf(actor).sort()).toEqual(['contact.created', 'contact.created', 'contact.opted_out']);
  });

  test('stores no event without a subscriber', async () => {
    const actor = await world.organization(1, false);
    await run(
      actor,
      somePhones(3).map((phone) => ({ phone })),
    );
    expect(eventsOf(actor)).toEqual([]);
  });

  test('of 1,000 rows takes 20 reads, 60 transactions and a few calls besides', async () => {
    const actor = await world.organization(1, false);
    const rows = somePhones(1_000).map((phone, at) => ({ phone, externalId: `x${at}` }));
    const calls = new Map<string, number>();
    world.proxy.plan(({ action }) => {
      calls.set(action, (calls.get(action) ?? 0) + 1);
      return undefined;
    });
    expect(await run(actor, rows)).toMatchObject({ criados: 1_000, erros: [] });
    world.proxy.plan(() => undefined);
    expect(calls.get('BatchGetItem')).toBe(20);
    expect(calls.get('TransactWriteItems')).toBeLessThanOrEqual(60);
    expect([...calls.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(84);
    expect(await total(actor)).toBe(1_000);
  });
});

describe('an import that is broken off', () => {
  test('before any of its calls is repeated to the same end: each contact once, counted once', async () => {
    const actor = await world.organization();
    const given = somePhones(40);
    const rows = given.map((phone, at) => ({ phone, externalId: `x${at}`, email: `p${at}@example.com`, tags: ['a'] }));
    const crashes = await crashEverywhere(world.table, (table) => run(actor, rows, 'update', table));
    expect(crashes).toBeGreaterThan(3);
    expect(await run(actor, rows)).toEqual({ criados: 0, atualizados: 40, ignorados: 0, erros: [] });
    await expectWhole(actor, given);
  });

  test('by lost answers counts what it created as created', async () => {
    const actor = await world.organization();
    const given = somePhones(40);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2, last: 6 }));
    const result = await run(
      actor,
      given.map((phone) => ({ phone })),
      'skip',
    );
    world.proxy.plan(() => undefined);
    expect(result).toEqual({ criados: 40, atualizados: 0, ignorados: 0, erros: [] });
    await expectWhole(actor, given);
  });

  test('by a lost answer applies no row twice, although a later row replaced the phone that the first one gave', async () => {
    const actor = await world.organization();
    const [phone, other, third] = somePhones(3) as [string, string, string];
    await run(actor, [{ phone, externalId: 'c-1' }], 'update');
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const rows = [{ phone, name: 'Ana' }, { phone: other, externalId: 'c-1' }, { phone: third }];
    const result = await run(actor, rows, 'update');
    world.proxy.plan(() => undefined);
    expect(result).toEqual({ criados: 1, atualizados: 2, ignorados: 0, erros: [] });
    await expectWhole(actor, [other, third]);
  });

  test('by somebody else’s change of a contact that was read applies its row again', async () => {
    const actor = await world.organization();
    const phone = aPhone();
    await run(actor, [{ phone }]);
    const { id } = await withPhone(actor, phone);
    const ports = portsOver(world.table);
    let reads = 0;
    const meeting: ImportPorts['store']['load'] = async (...asked) => {
      const known = await ports.store.load(...asked);
      if (reads++ === 0) accepted(await optOutContact(contacts, actor, id, { reason: 'a pedido' }));
      return known;
    };
    const contatos = [{ valid: { phone, name: 'Ana' } as NewContact }];
    const met = { ...ports, store: { ...ports.store, load: meeting } };
    expect(await importContacts(met, actor, { contatos, onConflict: 'update' })).toMatchObject({ atualizados: 1 });
    expect(await withPhone(actor, phone)).toMatchObject({ name: 'Ana', optIn: { status: 'denied' } });
  });

  test('by twenty concurrent imports of the same rows still has each contact once', async () => {
    const actor = await world.organization();
    const given = somePhones(30);
    const rows = given.map((phone, at) => ({ phone, attributes: { at } }));
    const results = await Promise.all(Array.from({ length: 20 }, () => run(actor, rows)));
    expect(results.reduce((sum, { criados }) => sum + criados, 0)).toBe(30);
    for (const { criados, atualizados, erros } of results) expect([criados + atualizados, erros]).toEqual([30, []]);
    await expectWhole(actor, given);
  });
});
