import { beforeEach, describe, expect, test } from 'vitest';
import { BLOCK_SIZE } from '../../shared/domain/audience/block.ts';
import type { FilterTree } from '../../shared/domain/audience/filters.ts';
import { membershipStatusReader } from '../../shared/storage/audience/memberships.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { readChanged } from '../../shared/storage/contacts/changed-contacts.ts';
import { changesDue, hasSegments } from '../../shared/storage/contacts/standing.ts';
import { BASELINE_DELAY_MS } from '../../shared/storage/segments/sweeps.ts';
import { fc } from '../support/fast-check.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { type Facts, facts, moveText, NOW, startMembers } from './members-base.ts';
import { tree } from './random.ts';

const world = await use(startWorld('test'));
beforeEach(() => {
  world.reset();
  world.now = NOW;
});
const { table } = world;
const DAY = 86_400_000;
const isVip: FilterTree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } };
const isRecent: FilterTree = { kind: 'leaf', filter: { field: 'lastInteraction', operator: 'withinDays', value: 5 } };
const plain: Facts = {
  tags: [],
  attributes: {},
  source: 'api',
  lastInteractionAt: undefined,
  optIn: { status: 'granted' },
};
const vip: Facts = { ...plain, tags: ['vip'] };

/** A base with contacts without tags and a segment whose first members are known. */
const startWith = async (each: FilterTree, count: number, skip = 0) => {
  const base = await startMembers(world, skip);
  for (let at = 0; at < count; at++) await base.create(plain);
  const segment = await base.addSegment(each);
  world.now += BASELINE_DELAY_MS;
  await base.quiet();
  const contact = (at: number) => base.held(at) as NonNullable<ReturnType<typeof base.held>>;
  const moves = () => [...base.taken.values()].sort((a, b) => a.version - b.version).map(moveText);
  return { base, segment, contact, moves };
};
/** The table of a process that waits, once, after it read contacts. */
const waiting = (meanwhile: () => Promise<unknown>): Table => {
  let waited = false;
  return new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'getMany') return typeof value === 'function' ? value.bind(target) : value;
      return async (...of: Parameters<Table['getMany']>) => {
        const rows = await target.getMany(...of);
        const isContacts = of[0][0]?.sk === 'CNT' && of[1]?.only === undefined;
        if (isContacts && !waited) {
          waited = true;
          await meanwhile();
        }
        return rows;
      };
    },
  });
};

describe('concurrent workers', () => {
  test("report each contact's transitions in order, and end with the members that plain filters find", {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.array(facts, { minLength: 3, maxLength: 8 }), async (each, all) => {
        world.now = NOW;
        const { base, segment } = await startWith(each, 0);
        for (const given of all) await base.create(given);
        const before = () => [...base.contacts.values()];
        const changes = async (shift: number) => {
          for (const [at, contact] of before().entries())
            if (at % 2 === shift) await base.change(contact, all.at(-1 - at) ?? {});
        };
        await Promise.all([base.work(table), changes(0), base.work(table), changes(1), base.work(table)]);
        world.now += DAY;
        await Promise.all([base.work(table), base.work(table), base.work(table)]);
        await base.quiet();
        expect(await base.kept(segment.id)).toEqual(base.oracle(each));
        const moves = [...base.taken.values()].sort((a, b) => a.version - b.version);
        for (const [contactId, own] of Map.groupBy(moves, (move) => move.contactId)) {
          expect(own.map(({ kind }) => kind)).toEqual(own.map((_, at) => (at % 2 === 0 ? 'entered' : 'left')));
          expect(own.at(-1)?.kind === 'entered').toBe(base.oracle(each).has(contactId));
        }
      }),
      { numRuns: shareOf(60) },
    );
  });

  test('never store an earlier state of a contact than another evaluation processed, even if that one found no change', async () => {
    const { base, contact, moves, segment } = await startWith(isVip, 1);
    await base.change(contact(0), vip);
    const backAgain = async () => {
      await base.change(contact(0), plain);
      await base.quiet();
      const marks = await readChanged(table, base.organizationId);
      expect(marks.map(({ duePk }) => duePk)).toEqual([undefined]);
    };
    const late = base.portsOver(waiting(backAgain));
    expect(await mergeChanges(late, base.organizationId, { atLeast: 16, contactId: contact(0).id })).toBe(false);
    expect([moves(), await base.kept(segment.id)]).toEqual([[], new Set()]);
  });

  test('leave marks in place if an evaluation was lost, also of a merge that has read all of its contacts', async () => {
    const { base, contact, moves, segment } = await startWith(isVip, 2);
    await base.change(contact(0), vip);
    const sweepAnother = async () => {
      await base.addSegment(isRecent);
      world.now += BASELINE_DELAY_MS;
      // Its sweep checks the block, not the members of the first segment.
      await base.sweeps();
    };
    const late = base.portsOver(waiting(sweepAnother));
    expect(await mergeChanges(late, base.organizationId, { atLeast: 1, contactId: contact(0).id })).toBe(false);
    const [mark] = (await readChanged(table, base.organizationId)).filter(
      ({ contactId }) => contactId === contact(0).id,
    );
    expect(mark?.duePk).toEqual(expect.any(String));
    await base.quiet();
    expect(moves()).toEqual([`${segment.id} entered ${contact(0).id}`]);
  });

  test('process all changes of a block with the work of one of them: no other mark stays due', async () => {
    const { base, contact } = await startWith(isVip, 12);
    for (let at = 0; at < 12; at++) await base.change(contact(at), vip);
    await mergeChanges(base.portsOver(table), base.organizationId, { atLeast: 16, contactId: contact(0).id });
    const marks = await readChanged(table, base.organizationId);
    expect([marks.length, marks.filter(({ duePk }) => duePk !== undefined)]).toEqual([12, []]);
    expect(base.taken.size).toBe(12);
  });
});

describe('the first members of a segment', () => {
  test('are those that match at the first evaluation, also if changed by a process unaware of the segment', async () => {
    const base = await startMembers(world);
    for (let at = 0; at < 3; at++) await base.create(plain);
    const other = table.named(table.name);
    expect(await changesDue(other, base.organizationId)).toBe('sampled');
    const segment = await base.addSegment(isVip);
    await base.change(base.held(0) as never, vip, other);
    await base.create(vip, other);
    world.now += BASELINE_DELAY_MS - 1;
    await base.quiet();
    expect(await base.kept(segment.id)).toEqual(new Set());
    world.now += 1;
    await base.quiet();
    expect([base.taken.size, await base.kept(segment.id)]).toEqual([0, base.oracle(isVip)]);
    const standing = await membershipStatusReader(table)(base.held(0) as never, segment.id);
    expect(standing).toEqual({ isMember: true, since: world.now });
  });

  test('do not count contacts of later blocks: they enter', async () => {
    const { base, moves, segment } = await startWith(isVip, 1, BLOCK_SIZE - 2);
    await base.create(vip);
    await base.quiet();
    const [entered] = base.oracle(isVip);
    expect(moves()).toEqual([`${segment.id} entered ${entered}`]);
  });

  test('are tracked immediately by the process that added the segment, and by one without a cached answer', async () => {
    const base = await startMembers(world);
    expect(await hasSegments(table, base.organizationId)).toBe(false);
    await base.addSegment(isVip);
    expect(await hasSegments(table, base.organizationId)).toBe(true);
    expect(await hasSegments(table.named(table.name), base.organizationId)).toBe(true);
  });
});

test('days that pass move contacts once each, whichever clock is behind', async () => {
  const { base, contact, moves, segment } = await startWith(isRecent, 2);
  await base.interact(contact(0));
  await base.quiet();
  const { id: contactId } = contact(0);
  world.now += 5 * DAY;
  await base.quiet();
  expect(moves()).toEqual([`${segment.id} entered ${contactId}`]);
  world.now += 1;
  await base.quiet();
  world.now -= 2;
  await base.change(contact(0), { tags: ['x'] });
  await base.quiet();
  expect(moves()).toEqual([`${segment.id} entered ${contactId}`, `${segment.id} left ${contactId}`]);
});

test('a deleted contact leaves no membership: nothing is reported, and its place is cleared', async () => {
  const { base, contact, moves, segment } = await startWith(isVip, 2);
  await base.change(contact(0), vip);
  await base.quiet();
  await base.remove(contact(0));
  await base.quiet();
  expect([moves().length, await base.kept(segment.id)]).toEqual([1, new Set()]);
});
