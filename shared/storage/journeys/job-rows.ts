import * as z from 'zod';
import type { EntryJob, EntrySource, RunSweep, SweepKind } from '../../domain/journeys/jobs.ts';
import { SWEEP_KINDS } from '../../domain/journeys/jobs.ts';
import type { Journey } from '../../domain/journeys/journey.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

const dueAt = ({
  journeyId,
  resumesAt,
}: {
  readonly journeyId: EntryJob['journeyId'];
  readonly resumesAt?: number | undefined;
}) => (resumesAt === undefined ? {} : INDEX_KEYS.due('journey_work', journeyId, resumesAt));

export const entryJobRows = defineRow<EntryJob>()({
  attributes: {
    journeyId: id('journey'),
    ...tenant,
    source: z.union([
      z.object({ kind: z.literal('lista'), listId: id('list') }),
      z.object({ kind: z.literal('segmento'), segmentId: id('segment') }),
    ]),
    since: time,
    position: z.string().optional(),
    state: z.enum(['running', 'done']),
    version: z.int(),
    resumesAt: z.number().optional(),
  },
  rename: { resumesAt: 'goesOnAt' },
  key: ({ journeyId }) => KEYS.journeyEntries(journeyId),
  index: dueAt,
});

export const sweepRows = defineRow<RunSweep>()({
  attributes: {
    journeyId: id('journey'),
    ...tenant,
    kind: z.enum(SWEEP_KINDS),
    since: time,
    position: z.string().optional(),
    version: z.int(),
    resumesAt: z.number().optional(),
  },
  rename: { resumesAt: 'goesOnAt' },
  key: ({ journeyId }) => KEYS.journeySweep(journeyId),
  index: dueAt,
});

/** Starts or restarts an entry job: its worker notices by the version. */
export const beginEntries = (
  { id: journeyId, organizationId, env }: Journey,
  { source, at }: { readonly source: EntrySource; readonly at: number },
): WriteOp => ({
  update: KEYS.journeyEntries(journeyId),
  set: {
    ...entryJobRows.set({ journeyId, organizationId, env, source, since: at, state: 'running', resumesAt: at }),
    ...dueAt({ journeyId, resumesAt: at }),
  },
  add: { version: 1 },
  remove: ['position'],
});

/** Resumes an entry job that a pause stopped. */
export const resumeEntries = ({ job, at: resumesAt }: { readonly job: EntryJob; readonly at: number }): WriteOp => ({
  put: entryJobRows.write({ ...job, resumesAt, version: job.version + 1 }),
  when: atVersion(job.version),
});

/** Starts or restarts a sweep: its worker notices by the version. */
export const beginSweep = (
  { id: journeyId, organizationId, env }: Journey,
  { kind, at }: { readonly kind: SweepKind; readonly at: number },
): WriteOp => ({
  update: KEYS.journeySweep(journeyId),
  set: {
    ...sweepRows.set({ journeyId, organizationId, env, kind, since: at, resumesAt: at }),
    ...dueAt({ journeyId, resumesAt: at }),
  },
  add: { version: 1 },
  remove: ['position'],
});

/** Updates an entry job, unless it changed since it was read; undefined then. */
export const moveEntries = async (
  table: Table,
  before: EntryJob,
  after: Pick<EntryJob, 'position' | 'state' | 'resumesAt'>,
): Promise<EntryJob | undefined> => {
  const job = { ...before, ...after, version: before.version + 1 };
  const { ok } = await table.write({ put: entryJobRows.write(job), when: atVersion(before.version) });
  return ok ? job : undefined;
};

/** Updates a sweep, unless it restarted since it was read; undefined then. */
export const moveSweep = async (
  table: Table,
  before: RunSweep,
  after: Pick<RunSweep, 'position' | 'resumesAt'>,
): Promise<RunSweep | undefined> => {
  const sweep = { ...before, ...after, version: before.version + 1 };
  const { ok } = await table.write({ put: sweepRows.write(sweep), when: atVersion(before.version) });
  return ok ? sweep : undefined;
};
