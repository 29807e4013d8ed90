import type { Contact } from '../../domain/contacts/contact.ts';
import type { MoveTraces } from '../../domain/contacts/merge.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Entry } from '../../domain/journeys/entry.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { sweepPartition, worstOf } from '../contacts/sweep.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { entryRows } from './entry-rows.ts';
import { readRun, runRow } from './run-rows.ts';

const asRead = ({ runId, isActive }: Entry) => ({
  text: '#runId = :run AND #isActive = :active',
  values: { run: runId, active: isActive },
});

/**
 * Moves an entry of a merged contact to the surviving one, if that has none in the journey, or only of an ended run. Of two active runs the
 * surviving contact's continues. False if one of them changed meanwhile.
 */
const moveEntry = async (
  table: Table,
  own: Entry,
  heir: Contact,
  cancel: (id: Id<'run'>) => Promise<void>,
): Promise<boolean> => {
  const key = KEYS.journeyEntry(heir.id, own.rootId);
  const row = await table.get(key);
  const other = row && entryRows.read(row);
  if (own.isActive && other?.isActive) {
    await cancel(own.runId);
    return false;
  }
  const leave: WriteOp = { delete: KEYS.journeyEntry(own.contactId, own.rootId), when: asRead(own) };
  if (other && !own.isActive) return (await table.transact([leave])).ok;
  const taken: WriteOp = {
    put: entryRows.write({ ...own, contactId: heir.id }),
    when: other ? asRead(other) : ABSENT,
  };
  return (await table.transact([leave, taken])).ok;
};

/** Moves a run's waits to another contact. */
const awaitMoves = (rows: readonly Row[], runId: Id<'run'>, heir: Contact): WriteOp[] =>
  rows
    .filter(({ sk }) => !sk.startsWith('LAST#') && sk.endsWith(`#${runId}`))
    .flatMap(({ pk, sk, ...row }): WriteOp[] => [
      { put: { ...row, pk: KEYS.lastRunEvent(heir.id, '').pk, sk } },
      { delete: { pk, sk } },
    ]);

/** Moves a run of a merged contact to the surviving one, with its waits. False if it changed meanwhile. */
const moveRunRow = async (table: Table, runId: Id<'run'>, awaits: readonly Row[], heir: Contact): Promise<boolean> => {
  const row = await table.get(KEYS.run(runId));
  if (!row) return true;
  const { run, ...stored } = readRun(row);
  const after = { ...run, contactId: heir.id, version: run.version + 1 };
  const outcome = await table.transact([
    { put: runRow({ ...stored, run: after }), when: atVersion(run.version) },
    ...awaitMoves(awaits, runId, heir),
  ]);
  return outcome.ok;
};

const outcomeOf = (moved: readonly boolean[]): SweepOutcome => (moved.every(Boolean) ? 'done' : 'more');

/**
 * Moves the runs of a merged contact to the surviving one: those that ended, and the active one of a journey in which that has none. Of two
 * active ones the surviving contact's continues, and the other is cancelled by `cancel`.
 */
export const moveRuns =
  (table: Table, cancel: (id: Id<'run'>) => Promise<void>): MoveTraces =>
  async (from, heir) => {
    const entries = await sweepPartition(
      table,
      { partition: KEYS.journeyEntry(from, '').pk, only: ['pk', 'sk'], consistent: true },
      async (rows) =>
        outcomeOf(await Promise.all(rows.map((row) => moveEntry(table, entryRows.read(row), heir, cancel)))),
    );
    if (entries === 'more') return 'more';
    const awaits = await table.queryAll({ partition: KEYS.lastRunEvent(from, '').pk, consistent: true });
    const { gsi2pk: partition } = INDEX_KEYS.runsOfContact(from, '', '');
    const runs = await sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows) => {
      const own = rows.filter((row) => row.gsi2pk === partition && row.org === heir.organizationId);
      return outcomeOf(await Promise.all(own.map((row) => moveRunRow(table, PARSE_KEY.run(row), awaits, heir))));
    });
    return worstOf([entries, runs]);
  };
