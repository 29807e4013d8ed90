import { expect, test } from 'vitest';
import { readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { accepted } from '../support/accepted.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const CALLERS = 24;
/** In ms. Longer than an invocation has: how long 24 races take is the machine's matter; that none is lost is the guarantee. */
const PATIENCE_MS = 100_000;

const { ownTable, table } = await useContendedTable();

test('24 processes that each add a contact to one list concurrently all succeed', async () => {
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
}, 180_000);
