import { expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { changeList, deleteList } from '../../shared/domain/lists/lists.ts';
import type { Membership } from '../../shared/domain/lists/members.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { rowKey } from '../../shared/storage/due-work/rows-of-kind.ts';
import { cleanUpEdit } from '../../shared/storage/lists/clean-up.ts';
import { CLEAN_UP_MS } from '../../shared/storage/lists/edit-rows.ts';
import { membersAt, readList } from '../../shared/storage/lists/stored-lists.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { usePlaces } from '../support/places.ts';
import { Crashed, crashingAt } from './crashes.ts';
import { type Answer, isSomeOrder, type ListOperation, type State } from './orders.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const HISTORIES = 80;
const ROUNDS = 8;
/** Calls at once: any order of them may be the one that they had. */
const CALLERS = 4;
/** Writes of a call without conflicts: it may crash at any of them, or not at all. */
const MAX_WRITES = 7;
const NUMBERS = [1, 2, 3, 70_000, 70_001, 140_000, 140_001, 300_000];

const PLACES = await usePlaces('test', HISTORIES, HISTORIES);
let now = 1_000_000;
const clock = () => now;

interface Operation extends ListOperation {
  /** At which write its process ends; undefined for never. */
  readonly crash: { readonly at: number; readonly made: boolean } | undefined;
}
const operation = (chance: Chance): Operation => {
  const kinds: Operation['kind'][] = ['add', 'add', 'add', 'remove', 'remove', 'replace', 'rename'];
  return {
    kind: chance.below(25) === 0 ? 'delete' : chance.pick(kinds),
    numbers: chance.shuffled(NUMBERS).slice(0, 1 + chance.below(NUMBERS.length)),
    crash: chance.below(4) === 0 ? { at: chance.below(MAX_WRITES), made: chance.below(2) === 0 } : undefined,
  };
};

const play = async (
  table: Table,
  organizationId: Id<'organization'>,
  id: Id<'list'>,
  { kind, numbers, crash }: Operation,
) => {
  const own = crash ? crashingAt(table, crash.at, crash.made) : table;
  const lists = listsOver(own, clock);
  const answerOf = (outcome: unknown): Answer => {
    if (kind === 'delete') return 'done';
    if (isRefusal(outcome)) return 'refused';
    if (kind === 'rename') return 'done';
    const { added, removed, total } = outcome as Membership;
    return { added, removed, total };
  };
  const call = () => {
    if (kind === 'delete') return deleteList(lists.ports, { organizationId }, id);
    if (kind === 'rename') return changeList(lists.ports, { organizationId }, id, { name: `name ${numbers.join()}` });
    return lists.edit(organizationId, id, kind, { externalIds: numbers.map((number) => `loja:${number}`) });
  };
  return call().then(answerOf, (error: unknown): Answer => {
    if (error instanceof Crashed) return 'nothing';
    throw error;
  });
};

/** The list as a reader finds it, with its size checked. */
const look = async (table: Table, organizationId: Id<'organization'>, id: Id<'list'>): Promise<State> => {
  const list = await readList(table, organizationId, id);
  const read = list && (await membersAt(table, list));
  if (read) expect(read.members.size).toBe(read.list.size);
  return read && [...read.members];
};

const cleanUp = async (table: Table) => {
  now += CLEAN_UP_MS + 1_000;
  for (const item of await overdue(table, 'clean_up', now, 10_000)) await cleanUpEdit(table, clock, rowKey(item));
};

test.each(PLACES)(
  `$place, lists behave like plain sets for concurrent callers whose processes may crash at any write; seed ${SEED}`,
  async ({ world: { table }, runs }) => {
    for (let history = 0; history < runs; history++) {
      const chance = chanceOf(SEED + history);
      const { organizationId } = await newOrganization(table);
      await addPeople(table, organizationId, NUMBERS);
      const id = await listsOver(table, clock).create(organizationId, 'um');
      let state: State = [];
      for (let round = 0; round < ROUNDS && state; round++) {
        const operations = Array.from({ length: 1 + chance.below(CALLERS) }, () => operation(chance));
        let playing = true;
        const seen: State[] = [];
        const reader = (async () => {
          while (playing) seen.push(await look(table, organizationId, id));
        })();
        const answers = await Promise.all(operations.map((each) => play(table, organizationId, id, each)));
        playing = false;
        await reader;
        const after = await look(table, organizationId, id);
        const callers = operations.map((each, at) => [{ operation: each, answer: answers[at] as Answer }]);
        if (!isSomeOrder(callers, seen, state, after))
          throw new Error(`no order explains history ${history}: ${JSON.stringify({ callers, seen, state, after })}`);
        if (chance.below(3) === 0) await cleanUp(table);
        expect(await look(table, organizationId, id)).toEqual(after);
        state = after;
      }
      await cleanUp(table);
      expect(await overdue(table, 'clean_up', now + 1e9, 10)).toEqual([]);
      expect(await look(table, organizationId, id)).toEqual(state);
    }
  },
  600_000,
);
