import { beforeEach, expect, test } from 'vitest';
import { BLOCK_SIZE } from '../../shared/domain/audience/block.ts';
import { digestOf } from '../../shared/domain/audience/digest.ts';
import { type FilterTree, matches } from '../../shared/domain/audience/filters.ts';
import { treeSelection } from '../../shared/domain/audience/selection.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { changedWrite, readChanged, requestMerge } from '../../shared/storage/contacts/changed-contacts.ts';
import { numberedWrite, takeContactNumbers } from '../../shared/storage/contacts/contact-numbers.ts';
import { contactRow } from '../../shared/storage/contacts/contacts.ts';
import { fc } from '../support/fast-check.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { NOW } from './random.ts';

const DAY = 86_400_000;
/** The time of whoever reads; the base's own stays. */
let now = NOW;

const world = await use(startWorld('test'));
beforeEach(() => {
  world.reset();
  now = NOW;
});
const { table } = world;
/** Keeps what it counted of any base, so that small ones show it. */
const index = audienceIndex(table, { clock: () => now, keptFrom: 1, chance: () => 1 });

const leaf = (value: string): FilterTree => ({ kind: 'leaf', filter: { field: 'tag', operator: 'is', value } });
const days = (operator: 'withinDays' | 'olderThanDays', value: number): FilterTree => ({
  kind: 'leaf',
  filter: { field: 'lastInteraction', operator, value },
});
const TREES = [
  leaf('vip'),
  leaf('novo'),
  { kind: 'group', operator: 'or', nodes: [leaf('vip'), leaf('novo')] },
  days('withinDays', 3),
  { kind: 'group', operator: 'and', nodes: [leaf('vip'), days('olderThanDays', 2)] },
] as const;

const tag = fc.constantFrom('vip', 'novo', '');
/** How long ago a contact interacted, in days of the base's time. */
const ago = fc.option(fc.nat(5), { nil: undefined });
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), tag, ago }),
  fc.record({ kind: fc.constant('change' as const), at: fc.nat(20), tag, ago }),
  // Also backwards: readers have clocks of their own.
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: -DAY, max: 2 * DAY }) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(20) }),
  fc.record({
    kind: fc.constant('merge' as const),
    lost: fc.integer({ min: 0, max: 6 }),
    seen: fc.integer({ min: 0, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('find' as const),
    tree: fc.constantFrom(...TREES),
    skip: fc.nat(3),
    limit: fc.integer({ min: 1, max: 4 }),
    below: fc.option(fc.nat(20), { nil: undefined }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const interactedAt = (daysAgo: number | undefined) => (daysAgo === undefined ? undefined : NOW - daysAgo * DAY);

const startBase = async () => {
  const { organizationId } = await world.organization(1);
  const contacts: Contact[] = [];
  const save = async (contact: Contact) => {
    const writes = [{ put: contactRow(contact) }, changedWrite(contact, 'sampled'), numberedWrite(contact)];
    expect((await table.transact(writes)).ok).toBe(true);
  };
  const put = async (number: number, lastInteractionAt: number | undefined, tag = '') => {
    const contact: Contact = {
      id: newId('contact'),
      number,
      organizationId,
      env: 'test',
      phone: '+5511987654321',
      phoneHash: `hash-${number}`,
      attributes: {},
      tags: [tag].filter(Boolean),
      optIn: { status: 'unknown' },
      source: 'api',
      lastInteractionAt,
      createdAt: NOW,
      updatedAt: NOW,
      version: 1,
    };
    await save(contact);
    contacts.push(contact);
  };
  /** Contacts are so far apart that they are in blocks of their own, some two in one. */
  const create = async (tag: string, daysAgo?: number) => {
    const number = await takeContactNumbers(table, organizationId, contacts.length % 3 === 0 ? 1 : BLOCK_SIZE);
    await put(number, interactedAt(daysAgo), tag);
  };
  return { organizationId, contacts, create, put, save };
};
type Base = Awaited<ReturnType<typeof startBase>>;

const isGone = new WeakSet<Contact>();
const apply = async (base: Base, step: Exclude<Step, { kind: 'find' }>) => {
  if (step.kind === 'create') return base.create(step.tag, step.ago);
  if (step.kind === 'pass') {
    now += step.ms;
    return;
  }
  if (step.kind === 'merge') return merge(base, step);
  const at = step.at % Math.max(1, base.contacts.length);
  const contact = base.contacts[at];
  if (!contact || isGone.has(contact)) return;
  if (step.kind === 'change') {
    const lastInteractionAt = interactedAt(step.ago);
    base.contacts[at] = { ...contact, tags: [step.tag].filter(Boolean), lastInteractionAt };
    return base.save(base.contacts[at]);
  }
  await table.transact([
    { delete: KEYS.contact(contact.id) },
    { delete: KEYS.numberedContact(base.organizationId, contact.number) },
    changedWrite(contact, 'sampled'),
  ]);
  isGone.add(contact);
};

/** The table, with another way to do one thing. */
const tableWith = (replaced: Partial<Pick<Table, 'getMany' | 'write'>>): Table =>
  new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(replaced, name) ? replaced : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** A merge with concurrent reads before its `seen`th write, whose process ends before its `lost`th; 0: never. */
const merge = async (base: Base, { lost, seen }: { readonly lost: number; readonly seen: number }) => {
  let writes = 0;
  const ended = new Error('the process has ended');
  const look = () => Promise.all(TREES.map((tree) => expectFound(base, { tree, skip: 0, limit: 4, below: undefined })));
  let checked: Promise<unknown> | undefined;
  const dying = tableWith({
    write: async (op) => {
      writes += 1;
      if (writes === seen) checked = look();
      await checked;
      if (lost > 0 && writes >= lost) throw ended;
      return table.write(op);
    },
  });
  await mergeChanges({ table: dying, clock: () => NOW, takers: [], indexOf: () => 0 }, base.organizationId, {
    atLeast: 1,
  }).catch((error: unknown) => {
    if (error !== ended) throw error;
  });
};

const expectFound = async (base: Base, requested: Omit<Extract<Step, { kind: 'find' }>, 'kind'>) => {
  const { tree, skip, limit } = requested;
  const below = requested.below === undefined ? undefined : base.contacts.at(requested.below)?.number;
  const expected = base.contacts
    .filter((contact) => !isGone.has(contact) && matches(tree, digestOf(contact), now))
    .map(({ number }) => number)
    .sort((a, b) => b - a);
  const found = await index.find(base.organizationId, treeSelection(tree, now));
  expect(found.count).toBe(expected.length);
  const page = expected.filter((number) => number < (below ?? Number.POSITIVE_INFINITY)).slice(skip, skip + limit);
  expect(await found.numbers({ skip, limit, below })).toEqual(page);
};

test('counts that are kept, and pages of them, are what a plain filter finds, whatever was changed and merged, and where merges broke off', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      now = NOW;
      const base = await startBase();
      for (const each of steps) await (each.kind === 'find' ? expectFound(base, each) : apply(base, each));
    }),
    { numRuns: shareOf(120) },
  );
});

test('a reader of marks requests a merge with a probability that grows with their number', async () => {
  const base = await startBase();
  for (let at = 0; at < 6; at++) await base.create('vip');
  const find = (chance: number, now = NOW) =>
    audienceIndex(table, { clock: () => now, chance: () => chance }).find(
      base.organizationId,
      treeSelection(TREES[0], NOW),
    );
  const ports = { table, clock: () => NOW, takers: [], indexOf: () => 0 };
  const mergeFew = () => mergeChanges(ports, base.organizationId, { atLeast: 16 });
  // Six marks in four blocks are 6 in 900.
  await find(0.0067);
  await mergeFew();
  expect(await readChanged(table, base.organizationId)).toHaveLength(6);
  await find(0.0066);
  const due = (await readChanged(table, base.organizationId)).filter(
    ({ mergeRequested, duePk }) => mergeRequested && duePk,
  );
  expect(due).toHaveLength(1);
  // A later request does not defer it.
  const [wanted] = due;
  if (!wanted) throw new Error('nobody wants a merge');
  const dueAt = async () => (await table.get(KEYS.changedContact(base.organizationId, wanted.contactId)))?.dueAt;
  const before = await dueAt();
  await find(0, NOW + 60_000);
  await requestMerge(table, wanted, NOW + 60_000);
  expect(await dueAt()).toBe(before);
  await mergeFew();
  expect(await readChanged(table, base.organizationId)).toEqual([]);
});

/** A reader that records the number of blocks of each call that read columns. */
const countingIndex = (keptFrom = 1) => {
  const columns: string[] = [];
  const counting = tableWith({
    getMany: (keys, options) => {
      columns.push(...keys.filter(({ pk }) => pk.startsWith('AUD#')).map(({ pk }) => pk));
      return table.getMany(keys, options);
    },
  });
  return {
    index: audienceIndex(counting, { clock: () => now, keptFrom }),
    blocksRead: () => new Set(columns.splice(0)).size,
  };
};

test('the first page of a small cached selection reads no columns', async () => {
  const base = await startBase();
  for (let at = 0; at < 15; at++) await base.create('vip');
  await merge(base, { lost: 0, seen: 0 });
  const selection = treeSelection(TREES[0], NOW);
  await index.find(base.organizationId, selection);
  const reader = countingIndex();
  const found = await reader.index.find(base.organizationId, selection);
  expect(found.count).toBe(15);
  expect(await found.numbers({ skip: 0, limit: 2 })).toHaveLength(2);
  expect(reader.blocksRead()).toBe(0);
});

test('the next page of a selection by days reads its own block, and those that days passed for, and counts no other again', async () => {
  const base = await startBase();
  // More than are kept with their numbers: of a block it is known how many it has.
  const numbers = await takeContactNumbers(table, base.organizationId, 10 * BLOCK_SIZE);
  const places = Array.from({ length: 10 }, (_, block) =>
    Array.from({ length: 60 }, (__, at) => ({ block, at })),
  ).flat();
  await mapConcurrently(places, 16, ({ block, at }) =>
    base.put(numbers + block * BLOCK_SIZE + at, NOW - (block === 4 ? DAY : 0)),
  );
  await merge(base, { lost: 0, seen: 0 });
  const { index: reading, blocksRead } = countingIndex();
  const isRecent = days('withinDays', 3);
  const page = async (below?: number) => {
    const found = await reading.find(base.organizationId, treeSelection(isRecent, now));
    return [found.count, (await found.numbers({ skip: 0, limit: 10, below })).length];
  };
  expect(await page()).toEqual([600, 10]);
  expect(blocksRead()).toBeGreaterThanOrEqual(10);
  now += 1_000;
  expect([await page(3 * BLOCK_SIZE), blocksRead()]).toEqual([[600, 10], 1]);
  now = NOW + 2 * DAY + 1;
  expect([await page(3 * BLOCK_SIZE), blocksRead()]).toEqual([[540, 10], 2]);
  now += 1_000;
  expect([await page(3 * BLOCK_SIZE), blocksRead()]).toEqual([[540, 10], 1]);
  // Whose clock is behind goes by none of what was counted later.
  now = NOW;
  expect(await page(3 * BLOCK_SIZE)).toEqual([600, 10]);
});
