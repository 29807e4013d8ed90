import { type Id, randomBase62 } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { MAX_JOURNEYS } from '../../domain/journeys/limits.ts';
import type { JourneyChange, JourneyStore, VersionChange } from '../../domain/journeys/ports.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { graphWrites, type HeaderSealer, removeGraphWrites } from './graph-rows.ts';
import { beginEntries, beginSweep, resumeEntries } from './job-rows.ts';
import { journeyRows, lineageRows, triggerWrites } from './journey-rows.ts';

export interface JourneyStoragePorts {
  readonly sealer: HeaderSealer;
  /** Receives committed events for early publication; best effort. */
  readonly raised: (events: readonly DomainEvent[]) => void;
}

interface Versioned<T> {
  readonly before?: T | undefined;
  readonly after?: T | undefined;
}
/** Puts or deletes a row that is unchanged since it was read. `mark` lets a repeat recognize its own row when the response was lost. */
const versionedWrite = <T extends { readonly version: number }>(
  { before, after }: Versioned<T>,
  rowOf: (one: T) => Row,
  mark: string,
): WriteOp[] => {
  const when = before ? atVersion(before.version) : ABSENT;
  if (after) return [{ put: { ...rowOf(after), mark }, when }];
  if (!before) return [];
  const { pk, sk }: Key = rowOf(before);
  return [{ delete: { pk, sk }, when }];
};

/** The dependent writes of a version's change: its trigger, its graph, and the counter if it is archived or deleted. */
const versionWrites = async (
  table: Table,
  sealer: HeaderSealer,
  { before, after, graph }: VersionChange,
): Promise<WriteOp[]> => {
  const isOff = before && before.status !== 'arquivada' && (!after || after.status === 'arquivada');
  const old = before && (graph || !after) ? await removeGraphWrites(table, before) : [];
  const graphRows = after && graph ? await graphWrites(sealer, after, graph) : [];
  return [
    ...triggerWrites(before, after),
    ...(isOff ? [countDown(before.organizationId, 'journeys', before.id)] : []),
    ...old,
    ...graphRows,
  ];
};

const jobWrites = ({ versions: [version], entries, resumed, sweep }: JourneyChange): WriteOp[] => {
  const after = version?.after;
  return after
    ? [
        ...(entries ? [beginEntries(after, entries)] : []),
        ...(resumed ? [resumeEntries(resumed)] : []),
        ...(sweep ? [beginSweep(after, sweep)] : []),
      ]
    : [];
};

/** The writes of a change: `own` are the rows whose versions are conditions, in order. */
const writesOf = async (table: Table, sealer: HeaderSealer, change: JourneyChange, mark: string) => {
  const { versions, lineage } = change;
  const others = await Promise.all(versions.map((version) => versionWrites(table, sealer, version)));
  return {
    own: [
      ...versions.flatMap((version) => versionedWrite(version, journeyRows.write, mark)),
      ...(lineage ? versionedWrite(lineage, lineageRows.write, mark) : []),
    ],
    others: [...others.flat(), ...jobWrites(change)],
  };
};

const organizationOf = ({ versions: [version], lineage }: JourneyChange): Id<'organization'> => {
  const changed = version?.after ?? version?.before ?? lineage?.after;
  if (!changed) throw new TypeError('a change of no journey');
  return changed.organizationId;
};

/** Stores a change of a journey, in one transaction. */
export const saveJourney =
  (table: Table, { sealer, raised }: JourneyStoragePorts): JourneyStore['save'] =>
  async (change) => {
    const organizationId = organizationOf(change);
    const events = change.event ? await takenEvents(table, organizationId, [change.event]) : [];
    const mark = randomBase62(16);
    const { own, others } = await writesOf(table, sealer, change, mark);
    const write = async (counts: readonly WriteOp[]) => {
      const also = [...others, ...events.map(eventWrite), ...auditWrites(change.entry)];
      const outcome = await table.transact([...own, ...counts, ...also]);
      if (outcome.ok) return 'saved';
      const failed = outcome.reasons.flatMap(({ conditionFailed, row }, at) => (conditionFailed ? [{ at, row }] : []));
      if (failed.some(({ row }) => row?.mark === mark)) return 'saved';
      return failed.length > 0 && failed.every(({ at }) => at >= own.length && at < own.length + counts.length)
        ? 'limit_reached'
        : 'conflict';
    };
    const created = change.versions.find(({ before }) => before === undefined)?.after;
    const limit = { organizationId, counted: 'journeys', max: MAX_JOURNEYS } as const;
    const outcome = created
      ? await createWithin(
          table,
          limit,
          created.id,
          (count) => write([count]),
          (kind) => kind === 'limit_reached',
        )
      : await write([]);
    if (outcome === 'saved') raised(events);
    return outcome;
  };
