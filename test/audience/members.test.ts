import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { BLOCK_SIZE } from '../../shared/domain/audience/block.ts';
import type { FilterTree } from '../../shared/domain/audience/filters.ts';
import { derivedId, type Id } from '../../shared/domain/core/ids.ts';
import { readMembership } from '../../shared/storage/audience/memberships.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import { FIRST_LOOK_MS } from '../../shared/storage/segments/sweeps.ts';
import { crashingTable } from '../support/crashing-table.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { crashing, type Facts, facts, type Members, moveText, NOW, startMembers } from './members-base.ts';
import { tree } from './random.ts';

const world = await use(startWorld('test'));
beforeEach(world.reset);
const { table } = world;
const DAY = 86_400_000;

type Step =
  | { readonly kind: 'create'; readonly facts: Facts }
  | { readonly kind: 'change'; readonly at: number; readonly facts: Facts }
  | { readonly kind: 'delete' | 'interact'; readonly at: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'add'; readonly tree: FilterTree }
  | { readonly kind: 'redefine'; readonly at: number; readonly tree: FilterTree }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'merge' };
const at = fc.nat(100);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), facts }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('change' as const), at, facts }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'interact' as const), at }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 12 * DAY }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), tree }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redefine' as const), at, tree }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const) }) },
);
/** After how many calls of the table the processes that work on a step end. */
const crashes = fc.array(fc.nat(60), { maxLength: 3 });

const apply = async (base: Members, given: Step): Promise<void> => {
  if (given.kind === 'create') return base.create(given.facts);
  if (given.kind === 'pass') {
    world.now += given.ms;
    return;
  }
  if (given.kind === 'merge')
    return void (await mergeChanges(base.portsOver(table), base.organizationId, { atLeast: 1 }));
  if (given.kind === 'add') {
    if (base.segments.size < 4) await base.addSegment(given.tree);
    return;
  }
  if (given.kind === 'redefine' || given.kind === 'drop') {
    const id = [...base.segments.keys()].at(given.at % Math.max(1, base.segments.size));
    if (id) await (given.kind === 'drop' ? base.removeSegment(id) : base.changeSegment(id, given.tree));
    return;
  }
  const contact = base.held(given.at);
  if (!contact) return;
  if (given.kind === 'change') return base.change(contact, given.facts);
  await (given.kind === 'delete' ? base.remove(contact) : base.interact(contact));
};

/** What plain filters found before, by segment. */
type Known = Map<Id<'segment'>, Set<Id<'contact'>>>;

/** What entered and left by comparing plain filters, for segments that were known before; notes what they find now. */
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
const expectMoves = async (base: Members, expected: readonly string[], before: ReadonlySet<string>) => {
  const moved = [...base.taken].filter(([name]) => !before.has(name)).map(([, transition]) => transition);
  expect(moved.map(moveText).sort()).toEqual(expected);
  const ids = moved.map(({ segmentId, contactId, version }) =>
    derivedId('event', [segmentId, contactId, `${version}`]),
  );
  const events = await world.events(ids);
  expect(events.map(({ type, data }) => [data.segmentId, type.slice(8), data.contactId].join(' ')).sort()).toEqual(
    expected,
  );
  for (const { contactId, segmentId, kind, at: time } of moved)
    expect(await readMembership(table, contactId, segmentId)).toMatchObject({ isMember: kind === 'entered', at: time });
  for (const [id, each] of base.segments) expect(await base.kept(id)).toEqual(base.oracle(each.tree));
};

test('who entered and left a segment is what plain filters differ by, each once, whatever happens and wherever workers end', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, BLOCK_SIZE - 3),
      fc.array(facts, { maxLength: 4 }),
      fc.array(fc.tuple(step, crashes), { minLength: 5, maxLength: 20 }),
      async (skip, first, steps) => {
        world.now = NOW;
        const base = await startMembers(world, skip);
        for (const given of first) await base.create(given);
        const known: Known = new Map();
        for (const [given, ends] of steps) {
          const before = new Set(base.taken.keys());
          await apply(base, given);
          // The first look at a segment waits until every process knows of it.
          if (given.kind === 'add' || given.kind === 'redefine') world.now += FIRST_LOOK_MS;
          for (const calls of ends) await crashing(base.work(crashingTable(table, calls)));
          await base.quiet();
          await expectMoves(base, differences(base, known), before);
        }
      },
    ),
    { numRuns: shareOf(200) },
  );
});
