import { expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { membersAt, readList } from '../../shared/storage/lists/stored-lists.ts';
import { chanceOf } from '../support/chance.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { runProcesses } from '../support/run-processes.ts';
import type { ListEditWork, ListWork } from './list-process.ts';
import { type Answer, isSomeOrder, type ListCall, type State } from './orders.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const PROCESSES = 20;
const EDITS_EACH = 2;
const PROCESS = new URL('./list-process.ts', import.meta.url);
/** In four chunks, so that a list of which a part is old and a part is new shows. */
const NUMBERS = Array.from({ length: 40 }, (_, at) => 1 + at + (at % 4) * 70_000);

const { laws, table } = await useContendedTable();

const editsOf = (seed: number): ListEditWork[][] => {
  const chance = chanceOf(seed);
  return Array.from({ length: PROCESSES }, () =>
    Array.from({ length: EDITS_EACH }, () => {
      const numbers = chance.shuffled(NUMBERS).slice(0, 1 + chance.below(NUMBERS.length / 2));
      const kind = chance.pick(['add', 'add', 'remove', 'replace'] as const);
      return { kind, numbers, externalIds: numbers.map((number) => `loja:${number}`) };
    }),
  );
};

/** Has processes edit a new list at once, and reads it all the while: what each was answered, and what was seen, in turn. */
const editConcurrently = async (edits: readonly (readonly ListEditWork[])[], killed: number) => {
  const { organizationId } = await newOrganization(table);
  await addPeople(table, organizationId, NUMBERS);
  const listId = await listsOver(table).create(organizationId);
  const look = async (id: Id<'list'>): Promise<State> => {
    const list = await readList(table, organizationId, id);
    const read = list && (await membersAt(table, list));
    expect(read?.members.size).toBe(read?.list.size);
    return read && [...read.members];
  };
  const seen: State[] = [];
  let editing = true;
  const reader = (async () => {
    while (editing) seen.push(await look(listId));
  })();
  const common = { endpoint: laws.endpoint, tableName: table.name, organizationId, listId };
  const work = edits.map((own): ListWork => ({ ...common, edits: own }));
  const answers = await runProcesses<ListWork, Answer>(PROCESS, work, killed).finally(() => {
    editing = false;
  });
  await reader;
  const callers = edits.map((own, process) =>
    own.map((operation, at): ListCall => ({ operation, answer: answers[process]?.[at] ?? 'nothing' })),
  );
  return { callers, seen, after: await look(listId) };
};

test.each([
  [
    'that edit one list at once end as after some order of their calls, each answered by it, and no reader sees a part of one',
    0,
  ],
  [
    'of which a quarter is killed at its second edit leave whole edits alone, and each of the others is answered as one of them',
    PROCESSES / 4,
  ],
])(`twenty processes %s (seed ${SEED})`, { timeout: 300_000 }, async (_, killed) => {
  const { callers, seen, after } = await editConcurrently(editsOf(SEED + killed), killed);
  const distinct = new Set(seen.map((state) => JSON.stringify(state)));
  expect(distinct.size).toBeGreaterThan(1);
  expect(
    callers
      .slice(killed)
      .flat()
      .filter(({ answer }) => answer === 'nothing'),
  ).toEqual([]);
  expect(isSomeOrder(callers, seen, [], after), JSON.stringify({ callers, seen: [...distinct], after })).toBe(true);
});
