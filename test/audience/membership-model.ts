import fc from 'fast-check';
import { expect } from 'vitest';
import { BLOCK_SIZE } from '../../shared/domain/audience/block.ts';
import type { FilterTree } from '../../shared/domain/audience/filters.ts';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import { allOf, numbersSelection, treeSelection } from '../../shared/domain/audience/selection.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { derivedId, type Id } from '../../shared/domain/core/ids.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { EDITS } from '../../shared/domain/lists/members.ts';
import type { Edit } from '../../shared/domain/lists/ports.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { readMembership } from '../../shared/storage/audience/memberships.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { readContact } from '../../shared/storage/contacts/contacts.ts';
import { readList, readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { removeContact } from '../../shared/storage/lists/unlisted-contacts.ts';
import { BASELINE_DELAY_MS } from '../../shared/storage/segments/sweeps.ts';
import { anEvent, inboundOver } from '../inbound/support.ts';
import { listsOver } from '../lists/stage.ts';
import { accepted } from '../support/accepted.ts';
import { crashingTable } from '../support/crashing-table.ts';
import type { World } from '../support/world.ts';
import { crashing, type Facts, facts, type Members, moveText, NOW, phoneHashOf, startMembers } from './members-base.ts';
import { tree } from './random.ts';

const DAY = 86_400_000;
/** Trees that a history begins with, each a segment. */
export const TREES = 40;
/** Segments that there are at once. */
const MAX_SEGMENTS = TREES + 4;

type Step =
  | { readonly kind: 'create'; readonly facts: Facts }
  | { readonly kind: 'change'; readonly at: number; readonly facts: Facts }
  | { readonly kind: 'delete' | 'interact'; readonly at: number }
  | { readonly kind: 'inbound'; readonly at: number; readonly text: string; readonly crash: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'add'; readonly tree: FilterTree }
  | { readonly kind: 'redefine'; readonly at: number; readonly tree: FilterTree }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'list'; readonly edit: Edit; readonly among: readonly number[]; readonly crash: number }
  | { readonly kind: 'merge' };
const at = fc.nat(100);
const kind = <K extends Step['kind']>(...kinds: K[]) => fc.constantFrom(...kinds);
/** After how many calls of the table a process ends that works on something. */
const crash = fc.nat(60);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('create'), facts }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('change'), at, facts }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('delete', 'interact'), at }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('inbound'), at, text: fc.constantFrom('Oi', 'SAIR'), crash }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('pass'), ms: fc.integer({ min: 1, max: 12 * DAY }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('add'), tree }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('redefine'), at, tree }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('drop'), at }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('list'),
      edit: fc.constantFrom('add', 'remove', 'replace'),
      among: fc.array(at, { minLength: 1, maxLength: 6 }),
      crash,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('merge') }) },
);

/** The history of a base of contacts with many segments: after each step some processes work on it, and crash midway. */
export interface MembershipHistory {
  /** Numbers before the first contact's: its contacts lie in one block or in two. */
  readonly skip: number;
  readonly first: readonly Facts[];
  readonly trees: readonly FilterTree[];
  readonly steps: readonly (readonly [step: Step, crashes: readonly number[]])[];
}
export const membershipHistories: fc.Arbitrary<MembershipHistory> = fc.record({
  skip: fc.constantFrom(0, BLOCK_SIZE - 4),
  first: fc.array(facts, { minLength: 3, maxLength: 8 }),
  trees: fc.array(tree, { minLength: TREES, maxLength: TREES }),
  steps: fc.array(fc.tuple(step, fc.array(crash, { maxLength: 2 })), { minLength: 8, maxLength: 20 }),
});

/** A list of contacts beside a plain set of their numbers. */
interface ModelledList {
  readonly id: Id<'list'>;
  members: NumberSet;
}
interface Stage {
  readonly world: World;
  readonly base: Members;
  readonly list: ModelledList;
}
const clockOf = (world: World) => () => world.now;

/** Does something over a table whose process ends after so many calls, and then once more as whoever repeats it. */
const endedAndRepeated = async (
  table: Table,
  calls: number,
  work: (over: Table) => Promise<unknown>,
): Promise<void> => {
  await crashing(work(crashingTable(table, calls)));
  await work(table);
};

const receive = async (
  { world, base }: Stage,
  contact: Contact,
  { text, crash: calls }: Step & { kind: 'inbound' },
) => {
  const { table } = world;
  const event = anEvent({ from: contact.phone, at: world.now, text });
  await endedAndRepeated(table, calls, (over) => {
    const ports = inboundOver(over, clockOf(world), async (org, _, phone) => phoneHashOf(org, phone));
    return receiveInbound(ports, base, event);
  });
  const row = await table.get(KEYS.contact(contact.id));
  if (!row) throw new Error('an inbound message took its contact away');
  const after = readContact(row);
  const status = text === 'SAIR' ? 'denied' : contact.optIn.status;
  expect([after.lastInteractionAt, after.optIn.status]).toEqual([world.now, status]);
  base.contacts.set(contact.number, after);
};

const editList = async ({ world, base, list }: Stage, { edit, among, crash: calls }: Step & { kind: 'list' }) => {
  const { organizationId } = base;
  const chosen = among.flatMap((each) => base.held(each) ?? []);
  if (chosen.length === 0) return;
  const contactIds = chosen.map(({ id }) => id);
  await endedAndRepeated(world.table, calls, async (over) =>
    accepted(await listsOver(over, clockOf(world)).edit(organizationId, list.id, edit, { contactIds })),
  );
  list.members = EDITS[edit](list.members, NumberSet.of(chosen.map(({ number }) => number)));
};

const redefine = async ({ base }: Stage, given: Step & { kind: 'add' | 'redefine' | 'drop' }) => {
  if (given.kind === 'add') {
    if (base.segments.size < MAX_SEGMENTS) await base.addSegment(given.tree);
    return;
  }
  const id = [...base.segments.keys()].at(given.at % Math.max(1, base.segments.size));
  if (id) await (given.kind === 'drop' ? base.removeSegment(id) : base.changeSegment(id, given.tree));
};

const apply = async (stage: Stage, given: Step): Promise<void> => {
  const { world, base, list } = stage;
  const { table } = world;
  if (given.kind === 'create') return base.create(given.facts);
  if (given.kind === 'pass') {
    world.now += given.ms;
    return;
  }
  if (given.kind === 'merge')
    return void (await mergeChanges(base.portsOver(table), base.organizationId, { atLeast: 1 }));
  if (given.kind === 'list') return editList(stage, given);
  if (given.kind === 'add' || given.kind === 'redefine' || given.kind === 'drop') return redefine(stage, given);
  const contact = base.held(given.at);
  if (!contact) return;
  if (given.kind === 'change') return base.change(contact, given.facts);
  if (given.kind === 'inbound') return receive(stage, contact, given);
  if (given.kind === 'interact') return base.interact(contact);
  await base.remove(contact);
  await removeContact(table, clockOf(world), base.organizationId, { number: contact.number });
  list.members = list.members.andNot(NumberSet.of([contact.number]));
};

/** The earlier results of plain filters, by segment. */
type Known = Map<Id<'segment'>, Set<Id<'contact'>>>;

/** Entries and exits by comparing plain filters, for segments that were known before; stores the current results. */
const differences = (base: Members, known: Known): string[] => {
  const there = new Set([...base.contacts.values()].map(({ id }) => id));
  const moves = [...base.segments].flatMap(([segmentId, each]) => {
    const now = base.oracle(each.tree);
    const before = known.get(segmentId);
    known.set(segmentId, now);
    if (!before) return [];
    const entered = [...now].filter((id) => !before.has(id));
    const left = [...before].filter((id) => !now.has(id) && there.has(id));
    return [
      ...entered.map((contactId) => moveText({ kind: 'entered', segmentId, contactId })),
      ...left.map((contactId) => moveText({ kind: 'left', segmentId, contactId })),
    ];
  });
  return moves.sort();
};

/** Expects that exactly these moved since, each with its event and its row, and that the blocks know what plain filters find. */
const expectMoves = async ({ world, base }: Stage, expected: readonly string[], before: ReadonlySet<string>) => {
  const moved = [...base.taken].filter(([name]) => !before.has(name)).map(([, transition]) => transition);
  expect(moved.map(moveText).sort()).toEqual(expected);
  const ids = moved.map(({ segmentId, contactId, version }) =>
    derivedId('event', [segmentId, contactId, `${version}`]),
  );
  const events = await world.events(ids);
  const reported = events.map(({ type, data }) => [data.segmentId, type.slice(8), data.contactId].join(' '));
  expect(reported.sort()).toEqual(expected);
  await Promise.all(
    moved.map(async ({ contactId, segmentId, kind: move, at: time }) => {
      const row = await readMembership(world.table, contactId, segmentId);
      expect(row).toMatchObject({ isMember: move === 'entered', at: time });
    }),
  );
  const segments = [...base.segments];
  const kept = await base.keptOf(segments.map(([id]) => id));
  for (const [nth, [, each]] of segments.entries()) expect(kept[nth]).toEqual(base.oracle(each.tree));
};

/** Expects that the list has whom the plain set has, and that the index finds those of them who are in a segment. */
const expectList = async ({ world, base, list }: Stage): Promise<void> => {
  const { table } = world;
  const stored = await readList(table, base.organizationId, list.id);
  const members = await readMembers(table, base.organizationId, list.id);
  expect([stored?.size, [...(members ?? [])]]).toEqual([list.members.size, [...list.members]]);
  const [segment] = base.segments.values();
  if (!segment || !members) return;
  const selection = allOf([numbersSelection(members), treeSelection(segment.tree, world.now)]);
  const found = await audienceIndex(table, { clock: clockOf(world), chance: () => 0 }).find(
    base.organizationId,
    selection,
  );
  const expected = [...base.contacts.values()].filter(
    ({ id, number }) => list.members.has(number) && base.oracle(segment.tree).has(id),
  );
  expect(found.count).toBe(expected.length);
};

/** Plays a history, and compares it after each step with plain sets: moves, notifications and members. Returns the number of moves. */
export const runMembershipHistory = async (world: World, history: MembershipHistory): Promise<number> => {
  world.now = NOW;
  const base = await startMembers(world, history.skip);
  const list = { id: await listsOver(world.table).create(base.organizationId), members: NumberSet.EMPTY };
  const stage = { world, base, list };
  for (const given of history.first) await base.create(given);
  for (const each of history.trees) await base.addSegment(each);
  world.now += BASELINE_DELAY_MS;
  await base.quiet();
  const known: Known = new Map();
  await expectMoves(stage, differences(base, known), new Set());
  for (const [given, ends] of history.steps) {
    const before = new Set(base.taken.keys());
    await apply(stage, given);
    // The first evaluation of a segment waits until every process knows the segment.
    if (given.kind === 'add' || given.kind === 'redefine') world.now += BASELINE_DELAY_MS;
    for (const calls of ends) await crashing(base.work(crashingTable(world.table, calls)));
    await base.quiet();
    await expectMoves(stage, differences(base, known), before);
    if (given.kind === 'list' || given.kind === 'delete') await expectList(stage);
  }
  return base.taken.size;
};
