import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../shared/domain/audience/digest.ts';
import { type FilterTree, matches } from '../../shared/domain/audience/filters.ts';
import { isFound, parseSearch } from '../../shared/domain/audience/grams.ts';
import { searchSelection, treeSelection } from '../../shared/domain/audience/selection.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { changedWrite, readChanged } from '../../shared/storage/contacts/changed-contacts.ts';
import { numberedWrite, takeContactNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactRow } from '../../shared/storage/contacts/contacts.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { usePlaces } from '../support/places.ts';
import type { World } from '../support/world.ts';
import { digest, NOW, tree } from './random.ts';

/** Histories of changes, and of them those with concurrent merges. */
const [HISTORIES, MERGED_AMONG] = [400, 4];
const PLACES = await usePlaces('test', HISTORIES, HISTORIES);
const [, { world }] = PLACES;
beforeEach(() => {
  for (const place of PLACES) place.world.reset();
});
const { table } = world;
const indexOver = (of: World) => audienceIndex(of.table, { clock: () => of.now, chance: () => 1 });
const index = indexOver(world);
/** Stands for the blind index of a trigram. */
const indexOf = (_: string, gram: string) => createHash('sha256').update(gram).digest().readUInt32BE(0);
const portsOver = (of: World) => ({ table: of.table, indexOf, clock: () => of.now, takers: [] });
const ports = portsOver(world);

type Facts = Pick<Contact, 'tags' | 'attributes' | 'source' | 'email' | 'lastInteractionAt' | 'updatedAt'> & {
  readonly optIn: Contact['optIn'];
};
const facts: fc.Arbitrary<Facts> = digest.map(({ optIn, hasEmail, ...rest }) => ({
  ...rest,
  optIn: { status: optIn },
  email: hasEmail ? 'ana@example.com' : undefined,
}));
const contactOf = (
  { organizationId, env }: Pick<Actor, 'env' | 'organizationId'>,
  number: number,
  given: Facts,
): Contact => {
  const id = newId('contact');
  const phoneHash = createHash('sha256').update(id).digest('base64url');
  return { ...given, id, number, organizationId, env, phone: '+5511987654321', phoneHash, createdAt: NOW, version: 1 };
};

type Change =
  | { readonly kind: 'create'; readonly facts: Facts }
  | { readonly kind: 'change'; readonly at: number; readonly facts: Facts }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'merge'; readonly atLeast: number };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), facts }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), at: fc.nat(100), facts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), atLeast: fc.integer({ min: 1, max: 4 }) }) },
);

/** A base of contacts that is changed by transactions, as the service does it, beside a plain map of them. */
const startBase = async (of: World = world) => {
  const own = portsOver(of);
  const actor = await of.organization(1);
  const { organizationId } = actor;
  const contacts = new Map<number, Contact>();
  const held = (at: number) => [...contacts.values()].at(at % Math.max(1, contacts.size));
  const write = async (contact: Contact, isNew: boolean) => {
    const writes = [
      { put: contactRow(contact) },
      changedWrite(contact, 'sampled'),
      ...(isNew ? [numberedWrite(contact)] : []),
    ];
    expect((await of.table.transact(writes)).ok).toBe(true);
    contacts.set(contact.number, contact);
  };
  const apply = async (step: Change) => {
    if (step.kind === 'create')
      return write(contactOf(actor, await takeContactNumbers(of.table, organizationId, 1), step.facts), true);
    if (step.kind === 'merge') return void (await mergeChanges(own, organizationId, step));
    const contact = held(step.at);
    if (!contact) return;
    if (step.kind === 'change') return write({ ...contact, ...step.facts, version: contact.version + 1 }, false);
    const { id, number } = contact;
    await of.table.transact([
      { delete: KEYS.contact(id) },
      { delete: KEYS.numberedContact(organizationId, number) },
      changedWrite(contact, 'sampled'),
    ]);
    contacts.delete(number);
  };
  const expected = (each: FilterTree) =>
    [...contacts.values()]
      .filter((contact) => matches(each, digestOf(contact), NOW))
      .map(({ number }) => number)
      .sort((a, b) => b - a);
  const found = async (each: FilterTree) => {
    const selected = await indexOver(of).find(organizationId, treeSelection(each, NOW));
    expect(selected.count).toBe(expected(each).length);
    return selected.numbers({ skip: 0, limit: 1_000 });
  };
  const merge = () => mergeChanges(own, organizationId, { atLeast: 1 });
  const marked = () => readChanged(of.table, organizationId);
  return { organizationId, contacts, apply, expected, found, merge, marked };
};

test.each(PLACES)(
  '$place, a selection is what a plain filter over all contacts finds, whatever was changed and merged before it',
  async ({ world: of, runs }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 5, maxLength: 30 }),
        fc.array(tree, { maxLength: 3 }),
        async (steps, trees) => {
          const base = await startBase(of);
          for (const step of steps) await base.apply(step);
          for (const each of trees) expect(await base.found(each)).toEqual(base.expected(each));
          await base.merge();
          expect(await base.marked()).toEqual([]);
          for (const each of trees) expect(await base.found(each)).toEqual(base.expected(each));
        },
      ),
      { numRuns: runs },
    );
  },
);

test.each(PLACES)('$place, concurrent merges and changes lose no change', async ({ world: of, runs }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { minLength: 4, maxLength: 12 }), tree, async (all, each) => {
      const base = await startBase(of);
      for (const given of all) await base.apply({ kind: 'create', facts: given });
      await Promise.all([
        base.merge(),
        ...all.map((given, at) => base.apply({ kind: 'change', at, facts: all.at(-1 - at) ?? given })),
        base.merge(),
        base.merge(),
      ]);
      expect(await base.found(each)).toEqual(base.expected(each));
      while (!(await base.merge()));
      expect(await base.marked()).toEqual([]);
      expect(await base.found(each)).toEqual(base.expected(each));
    }),
    { numRuns: Math.ceil(runs / MERGED_AMONG) },
  );
});

test('a merge that broke off leaves its marks, and the next one ends it', async () => {
  const base = await startBase();
  const [given] = fc.sample(facts, { numRuns: 1, seed: 7 });
  for (let at = 0; given && at < 5; at++) await base.apply({ kind: 'create', facts: { ...given, tags: ['vip'] } });
  world.proxy.plan(({ action }) => (action === 'DeleteItem' ? FAULTS.internal : undefined));
  await expect(mergeChanges(ports, base.organizationId, { atLeast: 1 })).rejects.toThrow();
  world.proxy.plan(() => undefined);
  const vip: FilterTree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } };
  expect(await base.found(vip)).toEqual(base.expected(vip));
  expect(await mergeChanges(ports, base.organizationId, { atLeast: 1 })).toBe(true);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  expect(await base.found(vip)).toEqual(base.expected(vip));
});

/** The table, with something that happens after its reads of contacts' rows. */
const tableThat = (after: () => Promise<unknown>): Table =>
  new Proxy(table, {
    get(target, name) {
      if (name !== 'getMany') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (...of: Parameters<Table['getMany']>) => {
        const rows = await target.getMany(...of);
        if (of[0][0]?.pk.startsWith('CNT#')) await after();
        return rows;
      };
    },
  });
const merge = (of: Table, { organizationId }: Awaited<ReturnType<typeof startBase>>) =>
  mergeChanges({ ...ports, table: of }, organizationId, { atLeast: 1 });
const isVip: FilterTree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } };
const [plain] = fc.sample(facts, { numRuns: 1, seed: 7 }) as [Facts];
/** A base of contacts without tags that is merged, and what makes its nth one a vip. */
const startPlain = async (count: number) => {
  const base = await startBase();
  const given = { ...plain, tags: [], attributes: {} };
  for (let at = 0; at < count; at++) await base.apply({ kind: 'create', facts: given });
  await merge(table, base);
  const makeVip = (at: number) => base.apply({ kind: 'change', at, facts: { ...given, tags: ['vip'] } });
  const expectExact = async () => expect(await base.found(isVip)).toEqual(base.expected(isVip));
  return { base, makeVip, expectExact };
};

test('a contact that is changed again while a merge has its older state stays marked', async () => {
  const { base, makeVip, expectExact } = await startPlain(2);
  await base.apply({ kind: 'change', at: 0, facts: { ...plain, tags: ['novo'], attributes: {} } });
  expect(
    await merge(
      tableThat(() => makeVip(0)),
      base,
    ),
  ).toBe(true);
  expect(await readChanged(table, base.organizationId)).toHaveLength(1);
  await expectExact();
  await merge(table, base);
  await expectExact();
});

test('a merge with an older state of a contact does not write over one that came further', async () => {
  const { base, makeVip, expectExact } = await startPlain(2);
  await base.apply({ kind: 'change', at: 0, facts: { ...plain, tags: ['novo'], attributes: {} } });
  const overtaken = async () => {
    await makeVip(0);
    expect(await merge(table, base)).toBe(true);
  };
  expect(await merge(tableThat(overtaken), base)).toBe(false);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  await expectExact();
});

test('a merge that wrote what a contact was no longer marks it again, also where the mark was taken meanwhile', async () => {
  const { base, makeVip, expectExact } = await startPlain(2);
  await makeVip(0);
  let calls = 0;
  const changedBack = async () => {
    if (calls++ > 0) return;
    await base.apply({ kind: 'change', at: 0, facts: { ...plain, tags: [], attributes: {} } });
    // Finds the columns right, and takes the mark.
    expect(await merge(table, base)).toBe(true);
    expect(await readChanged(table, base.organizationId)).toEqual([]);
  };
  expect(await merge(tableThat(changedBack), base)).toBe(true);
  const [marked] = await readChanged(table, base.organizationId);
  expect(marked?.duePk).toEqual(expect.any(String));
  await expectExact();
  await merge(table, base);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  await expectExact();
});

test('a merge that found a block already up to date marks no contacts', async () => {
  const { base, makeVip, expectExact } = await startPlain(2);
  await makeVip(0);
  let calls = 0;
  const same = async () => {
    if (calls++ === 0) expect(await merge(table, base)).toBe(true);
  };
  await merge(tableThat(same), base);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  await expectExact();
});

test('a merge that another one overtook removes no mark that the other did not merge', async () => {
  const { base, makeVip, expectExact } = await startPlain(2);
  await makeVip(0);
  const slow = Promise.withResolvers<void>();
  let late = Promise.resolve(true);
  const meanwhile = async () => {
    await makeVip(1);
    const reached = Promise.withResolvers<void>();
    const waits = async () => {
      reached.resolve();
      await slow.promise;
    };
    late = merge(tableThat(waits), base);
    await reached.promise;
  };
  // Knows of the first contact alone, and writes while the late one, which knows of both, waits.
  expect(await merge(tableThat(meanwhile), base)).toBe(true);
  slow.resolve();
  expect(await late).toBe(false);
  expect(await readChanged(table, base.organizationId)).toHaveLength(1);
  await expectExact();
});

test('a search finds every match in the merged index, and few others', async () => {
  const base = await startBase();
  const names = ['Ana Souza', 'JOÃO da Silva', 'Conceição Araújo', 'Silvana Sousa', 'Zé'];
  const found: Contact[] = [];
  for (const [at, name] of names.entries()) {
    const number = await takeContactNumbers(table, base.organizationId, 1);
    const tenant = { organizationId: base.organizationId, env: 'test' } as const;
    const contact = { ...contactOf(tenant, number, plain), name, phone: `+551198765432${at}` };
    await table.transact([{ put: contactRow(contact) }, changedWrite(contact, 'sampled'), numberedWrite(contact)]);
    found.push(contact);
  }
  await merge(table, base);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  for (const q of ['silva', 'sou', 'ara', 'zé', 'j', '8765432', '98765-4321', 'ana souza', 'nobody']) {
    const search = parseSearch(q);
    const selection = searchSelection(search, (gram) => indexOf('', gram));
    const selected = await index.find(base.organizationId, selection);
    const numbers = [...(await selected.numbers({ skip: 0, limit: 10 }))].reverse();
    const meant = found.filter((contact) => isFound(search, contact)).map(({ number }) => number);
    expect(numbers).toEqual(expect.arrayContaining(meant));
    expect([q, numbers.length]).toEqual([q, meant.length]);
  }
});
