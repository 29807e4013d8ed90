import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../shared/domain/audience/digest.ts';
import { type FilterTree, matches } from '../../shared/domain/audience/filters.ts';
import { countOf, pageOf } from '../../shared/domain/audience/found.ts';
import { treeSelection } from '../../shared/domain/audience/selection.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import { changedWrite, readChanged } from '../../shared/storage/contacts/changed-contacts.ts';
import { numberedWrite, takeContactNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactRow } from '../../shared/storage/contacts/contacts.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { digest, NOW, tree } from './random.ts';

const world = await use(startWorld('test'));
beforeEach(world.reset);
const { table } = world;
const index = audienceIndex(table);
/** Stands for the blind index of a trigram. */
const indexOf = (_: string, gram: string) => createHash('sha256').update(gram).digest().readUInt32BE(0);

type Facts = Pick<Contact, 'tags' | 'attributes' | 'source' | 'email' | 'lastInteractionAt' | 'updatedAt'> & {
  readonly optIn: Contact['optIn'];
};
const facts: fc.Arbitrary<Facts> = digest.map(({ optIn, hasEmail, ...rest }) => ({
  ...rest,
  optIn: { status: optIn },
  email: hasEmail ? 'ana@example.com' : undefined,
}));
const contactOf = ({ organizationId, env }: Actor, number: number, given: Facts): Contact => {
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
const startBase = async () => {
  const actor = await world.organization(1);
  const { organizationId } = actor;
  const contacts = new Map<number, Contact>();
  const held = (at: number) => [...contacts.values()].at(at % Math.max(1, contacts.size));
  const write = async (contact: Contact, isNew: boolean) => {
    const writes = [{ put: contactRow(contact) }, changedWrite(contact), ...(isNew ? [numberedWrite(contact)] : [])];
    expect((await table.transact(writes)).ok).toBe(true);
    contacts.set(contact.number, contact);
  };
  const apply = async (step: Change) => {
    if (step.kind === 'create')
      return write(contactOf(actor, await takeContactNumbers(table, organizationId, 1), step.facts), true);
    if (step.kind === 'merge') return void (await mergeChanges(table, indexOf, organizationId, step));
    const contact = held(step.at);
    if (!contact) return;
    if (step.kind === 'change') return write({ ...contact, ...step.facts }, false);
    const { id, number } = contact;
    await table.transact([
      { delete: KEYS.contact(id) },
      { delete: KEYS.numberedContact(organizationId, number) },
      changedWrite(contact),
    ]);
    contacts.delete(number);
  };
  const expected = (each: FilterTree) =>
    [...contacts.values()]
      .filter((contact) => matches(each, digestOf(contact), NOW))
      .map(({ number }) => number)
      .sort((a, b) => b - a);
  const found = async (each: FilterTree) => {
    const [selected = new Map()] = await index.select(organizationId, [treeSelection(each, NOW)]);
    expect(countOf(selected)).toBe(expected(each).length);
    return pageOf(selected, { skip: 0, limit: 1_000 });
  };
  return { organizationId, contacts, apply, expected, found };
};

test('a selection is what a plain filter over all contacts finds, whatever was changed and merged before it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 5, maxLength: 30 }),
      fc.array(tree, { maxLength: 3 }),
      async (steps, trees) => {
        const base = await startBase();
        for (const step of steps) await base.apply(step);
        for (const each of trees) expect(await base.found(each)).toEqual(base.expected(each));
        await mergeChanges(table, indexOf, base.organizationId, { atLeast: 1 });
        expect(await readChanged(table, base.organizationId)).toEqual([]);
        for (const each of trees) expect(await base.found(each)).toEqual(base.expected(each));
      },
    ),
    { numRuns: shareOf(400) },
  );
});

test('merges at once with each other and with changes lose no change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { minLength: 4, maxLength: 12 }), tree, async (all, each) => {
      const base = await startBase();
      for (const given of all) await base.apply({ kind: 'create', facts: given });
      const merge = () => mergeChanges(table, indexOf, base.organizationId, { atLeast: 1 });
      await Promise.all([
        merge(),
        ...all.map((given, at) => base.apply({ kind: 'change', at, facts: all.at(-1 - at) ?? given })),
        merge(),
        merge(),
      ]);
      expect(await base.found(each)).toEqual(base.expected(each));
      while (!(await merge()));
      expect(await readChanged(table, base.organizationId)).toEqual([]);
      expect(await base.found(each)).toEqual(base.expected(each));
    }),
    { numRuns: shareOf(100) },
  );
});

test('a merge that broke off leaves its marks, and the next one ends it', async () => {
  const base = await startBase();
  const [given] = fc.sample(facts, { numRuns: 1, seed: 7 });
  for (let at = 0; given && at < 5; at++) await base.apply({ kind: 'create', facts: { ...given, tags: ['vip'] } });
  world.proxy.plan(({ action }) => (action === 'DeleteItem' ? FAULTS.internal : undefined));
  await expect(mergeChanges(table, indexOf, base.organizationId, { atLeast: 1 })).rejects.toThrow();
  world.proxy.plan(() => undefined);
  const vip: FilterTree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } };
  expect(await base.found(vip)).toEqual(base.expected(vip));
  expect(await mergeChanges(table, indexOf, base.organizationId, { atLeast: 1 })).toBe(true);
  expect(await readChanged(table, base.organizationId)).toEqual([]);
  expect(await base.found(vip)).toEqual(base.expected(vip));
});
