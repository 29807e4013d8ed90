import * as z from 'zod';
import { isoTime } from '../../domain/core/time.ts';
import { STEP_KINDS } from '../../domain/journeys/definition.ts';
import { HISTORY_RESULTS, type HistoryEntry, RUN_STATUSES, type Run } from '../../domain/journeys/run.ts';
import type { StoredRun } from '../../domain/journeys/run-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, jsonText, tenant, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { RUN_SHARDS, shardOf } from '../table-indexes.ts';

/** History entries in a run's own row; older ones are moved to separate rows. */
export const RECENT_ENTRIES = 16;

const entrySchema = z.tuple([
  z.string(),
  z.enum(STEP_KINDS),
  z.number(),
  z.enum(HISTORY_RESULTS),
  z.string().nullish(),
  // Rows that were stored before have null where there is none.
  z.string().nullish(),
]);
const entriesSchema = z.array(entrySchema);
const messageId = id('message');
const entryOf = ([step, kind, at, result, sent, detail]: z.output<typeof entrySchema>): HistoryEntry => ({
  step,
  kind,
  at,
  result,
  ...(sent ? { messageId: messageId.parse(sent) } : {}),
  ...(typeof detail === 'string' ? { detail } : {}),
});
/** An entry in its stored form, without absent trailing values: every move writes a run's whole row. */
const storedEntry = ({
  step,
  kind,
  at,
  result,
  messageId: sent,
  detail,
}: HistoryEntry): z.input<typeof entrySchema> => {
  if (detail !== undefined) return [step, kind, at, result, sent ?? null, detail];
  return sent === undefined ? [step, kind, at, result] : [step, kind, at, result, sent];
};

/** Stored history entries. */
const historyText = z.codec(z.string(), z.custom<readonly HistoryEntry[]>(Array.isArray), {
  decode: (text) => entriesSchema.parse(JSON.parse(text)).map(entryOf),
  encode: (entries) => JSON.stringify(entries.map(storedEntry)),
});

/** The fields of a run that are separate attributes of its row. */
const RUN_FIELDS = [
  'id',
  'organizationId',
  'env',
  'journeyId',
  'rootId',
  'contactId',
  'status',
  'step',
  'beganAt',
  'endedAt',
  'version',
] as const satisfies readonly (keyof Run)[];
type RunFields = Pick<Run, (typeof RUN_FIELDS)[number]>;
/** The interpreter's state of a run: stored as one JSON text. */
type Walk = Omit<Run, keyof RunFields>;
/** Defaults that are not stored: a row of more than a kilobyte costs twice as much. */
const NOTHING = {
  variables: {},
  branches: {},
  sent: {},
  early: [],
  kept: [],
  taken: [],
  sinceWait: 0,
} as const satisfies Partial<Walk>;
const walkSchema = z.looseObject({ visits: z.record(z.string(), z.number()) });
const isWalk = (json: unknown): Walk => ({
  ...NOTHING,
  ...(walkSchema.parse(json) as object as Walk),
});
const isNothing = ([name, value]: [string, unknown]): boolean =>
  Object.hasOwn(NOTHING, name) && JSON.stringify(value) === JSON.stringify(NOTHING[name as keyof typeof NOTHING]);

interface StoredFields extends RunFields {
  readonly walk: Walk;
  readonly history: readonly HistoryEntry[];
  readonly isParked?: boolean | undefined;
  readonly dueAt?: number | undefined;
}

/**
 * The rows of runs. An active run has a due entry while work is pending, and an entry among the parked ones while its journey is paused.
 */
export const runRows = defineRow<StoredFields>()({
  attributes: {
    id: id('run'),
    ...tenant,
    journeyId: id('journey'),
    rootId: id('journey'),
    contactId: id('contact'),
    status: z.enum(RUN_STATUSES),
    step: z.string(),
    beganAt: time,
    endedAt: time.optional(),
    walk: jsonText(isWalk),
    history: historyText,
    isParked: z.boolean().optional(),
    dueAt: z.number().optional(),
    version: z.int(),
  },
  // Renamed because the lists' indexes project `status`: each end of a run would write its contact's entry again.
  rename: { status: 'state' },
  version: 2,
  versions: { 1: ({ status, ...row }) => ({ state: status, ...row }) },
  key: (run) => KEYS.run(run.id),
  index({ id: runId, journeyId, contactId, status, beganAt, isParked, dueAt }) {
    const at = isoTime(beganAt);
    const shard = shardOf(runId, RUN_SHARDS);
    return {
      ...INDEX_KEYS.runsOf(journeyId, status, at, runId, shard),
      ...INDEX_KEYS.runsOfContact(contactId, `${journeyId}#${at}`, runId),
      ...(isParked ? INDEX_KEYS.parkedRunsOf(journeyId, at, runId, shard) : {}),
      ...(dueAt === undefined ? {} : INDEX_KEYS.due('run_journey', runId, dueAt)),
    };
  },
});

const isRunField: ReadonlySet<string> = new Set(RUN_FIELDS);
/** A run's attributes, and the rest. */
const split = (run: Run): { readonly fields: RunFields; readonly walk: Walk } => {
  const parts = Object.groupBy(
    Object.entries(run).filter((field) => !isNothing(field)),
    ([name]) => (isRunField.has(name) ? 'fields' : 'walk'),
  );
  return { fields: Object.fromEntries(parts.fields ?? []), walk: Object.fromEntries(parts.walk ?? []) } as never;
};

/** The row of a run. */
export const runRow = ({ run, history, isParked, dueAt }: StoredRun): Row => {
  const { fields, walk } = split(run);
  return runRows.write({ ...fields, walk, history, ...(isParked ? { isParked } : {}), dueAt });
};

/** Reads a run's row. */
export const readRun = (row: Row): StoredRun => {
  const { walk, history, isParked = false, dueAt, ...fields } = runRows.read(row);
  return { run: { ...walk, ...fields }, history, isParked, dueAt };
};

/** The row of an older part of a run's history. */
export const historyRow = (
  { id: runId, organizationId }: Run,
  part: number,
  entries: readonly HistoryEntry[],
): Row => ({
  ...KEYS.runHistory(runId, part),
  org: organizationId,
  history: z.encode(historyText, entries),
});
const historyOnly = z.object({ history: historyText });
/** Reads the older part. */
export const readHistory = (row: Row): readonly HistoryEntry[] => historyOnly.parse(row).history;
