import type { Erasure } from '../../domain/contacts/erase.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Table } from '../client/table.ts';
import { sweepPartition, worstOf } from '../contacts/sweep.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { readRun, runRow } from './run-rows.ts';

/** Removes personal data from an ended run, and the run from its contact's runs. False if it changed meanwhile. */
const scrub = async (table: Table, runId: Id<'run'>): Promise<boolean> => {
  const row = await table.get(KEYS.run(runId));
  if (!row) return true;
  const { run, ...stored } = readRun(row);
  const { event: _, ...walked } = run;
  const bare = { ...walked, variables: {}, kept: [], early: [], version: run.version + 1 };
  const { gsi2pk: __, gsi2sk: ___, ...written } = runRow({ ...stored, run: bare });
  return (await table.write({ put: written, when: atVersion(run.version) })).ok;
};

/** The partitions in which journeys store data of one contact. */
const partitionsOf = (contactId: Id<'contact'>): readonly string[] => [
  KEYS.journeyEntry(contactId, '').pk,
  KEYS.lastRunEvent(contactId, '').pk,
  KEYS.taggedContact(contactId, 0).pk,
];

/**
 * Cancels the runs of a person, removes variables and events from them, and deletes the person's entries and waits. Counters stay. `cancel`
 * ends an active run.
 */
export const eraseRuns =
  (table: Table, cancel: (id: Id<'run'>) => Promise<void>) =>
  async ({ contactId }: Pick<Erasure, 'contactId'>): Promise<SweepOutcome> => {
    const { gsi2pk: partition } = INDEX_KEYS.runsOfContact(contactId, '', '');
    const runs = await sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows) => {
      const ids = rows.map(PARSE_KEY.run);
      for (const id of ids) await cancel(id);
      const scrubbed = await Promise.all(ids.map((id) => scrub(table, id)));
      return scrubbed.every(Boolean) ? 'done' : 'more';
    });
    const others = await Promise.all(
      partitionsOf(contactId).map((own) =>
        sweepPartition(table, { partition: own, only: ['pk', 'sk'], consistent: true }, async (rows) => {
          await Promise.all(rows.map(({ pk, sk }) => table.write({ delete: { pk, sk } })));
          return 'done';
        }),
      ),
    );
    return worstOf([runs, ...others]);
  };
