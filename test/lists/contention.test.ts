import { expect, test } from 'vitest';
import { readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { accepted } from '../support/accepted.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const CALLERS = 24;
/** How long an invocation tries, in ms. */
const PATIENCE_MS = 23_000;

const { ownTable, table } = await useContendedTable();

test('24 callers, a process each, who add a contact each to one list at once all succeed', async () => {
  const { organizationId } = await newOrganization(table);
  const people = await addPeople(
    table,
    organizationId,
    Array.from({ length: CALLERS }, (_, at) => at * 5_000),
  );
  const id = await listsOver(table).create(organizationId);
  const results = await Promise.all(
    people.map(({ externalId }) =>
      listsOver(ownTable(), undefined, PATIENCE_MS).edit(organizationId, id, 'add', { externalIds: [externalId] }),
    ),
  );
  const totals = results.map((each) => accepted(each)).map(({ added, total }) => [added, total]);
  expect(totals.toSorted(([, a = 0], [, b = 0]) => a - b)).toEqual(people.map((_, at) => [1, at + 1]));
  expect((await readMembers(table, organizationId, id))?.size).toBe(CALLERS);
}, 60_000);
