import * as z from 'zod';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { definedFields } from '../../domain/core/patch.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { DELIMITERS } from '../../domain/imports/csv-records.ts';
import {
  goneAt,
  IMPORT_FORMATS,
  IMPORT_PROBLEMS,
  IMPORT_STATUSES,
  type ImportJob,
  type ImportProblem,
  importEvent,
} from '../../domain/imports/import-job.ts';
import type { ImportJobStore } from '../../domain/imports/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { type CursorRequest, cursorItems } from '../client/cursor-pages.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { claimStore, dueAt, type FailUnreadable, isFreeFor } from './claims.ts';

const problem = z.enum(Object.keys(IMPORT_PROBLEMS) as [ImportProblem, ...ImportProblem[]]);
const figure = z.int();

export const importJobRows = defineRow<ImportJob>()({
  attributes: {
    id: id('importJob'),
    ...tenant,
    format: z.enum(IMPORT_FORMATS),
    mapping: z.record(z.string(), z.string()).exactOptional(),
    onConflict: z.enum(['skip', 'update']),
    size: figure,
    status: z.enum(IMPORT_STATUSES),
    createdAt: time,
    startedAt: time.exactOptional(),
    endedAt: time.exactOptional(),
    etag: z.string().exactOptional(),
    problem: problem.exactOptional(),
    problemAt: figure.exactOptional(),
    position: figure,
    line: figure,
    columns: z.array(z.string().nullable()).exactOptional(),
    delimiter: z.enum(DELIMITERS).exactOptional(),
    errorParts: z.array(figure),
    rows: figure,
    created: figure,
    updated: figure,
    ignored: figure,
    errors: figure,
    fence: figure,
    attempts: figure,
    claimedUntil: figure,
  },
  rename: { errorParts: 'errorPieces' },
  key: (job) => KEYS.importJob(job.id),
  index: ({ organizationId, createdAt, id: jobId }) =>
    INDEX_KEYS.importJobsOf(organizationId, isoTime(createdAt), jobId),
});

const ttlOf = (job: Parameters<typeof goneAt>[0]): number => Math.ceil((goneAt(job) ?? 0) / 1000);
const hasStatus = (status: ImportJob['status']): Condition => ({ text: '#status = :was', values: { was: status } });

const failUnreadable: FailUnreadable<ImportJob> = (read, jobId, now) => {
  const [organizationId, env] = [read('organizationId'), read('env')];
  if (!organizationId || !env) return undefined;
  const job: ImportJob = {
    id: jobId as ImportJob['id'],
    organizationId,
    env,
    format: read('format') ?? 'csv',
    onConflict: read('onConflict') ?? 'skip',
    size: read('size') ?? 0,
    status: 'failed',
    problem: 'internal_error',
    createdAt: read('createdAt') ?? now,
    endedAt: now,
    position: read('position') ?? 0,
    line: read('line') ?? 0,
    errorParts: [],
    rows: read('rows') ?? 0,
    created: read('created') ?? 0,
    updated: read('updated') ?? 0,
    ignored: read('ignored') ?? 0,
    errors: read('errors') ?? 0,
    fence: read('fence') ?? 0,
    attempts: read('attempts') ?? 0,
    claimedUntil: 0,
    ...definedFields({ startedAt: read('startedAt') }),
  };
  return { job, ttl: ttlOf(job), running: KEYS.runningImport(organizationId), event: importEvent(job, now) };
};

/** The writes that start a job: it is due immediately. */
const startWrites = (job: ImportJob, etag: string, now: number): readonly WriteOp[] => [
  {
    update: KEYS.importJob(job.id),
    set: { ...importJobRows.set({ status: 'running', etag, startedAt: now }), ...dueAt(job.id, now) },
    remove: ['ttl'],
    when: hasStatus('awaiting_upload'),
  },
  { put: { ...KEYS.runningImport(job.organizationId), jobId: job.id }, when: isFreeFor(job.id) },
];

/** Imports of files in the table of one stage. `raised` receives the committed events that have subscribers. */
export const importJobStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): ImportJobStore => {
  const { end, ...claims } = claimStore(table, importJobRows, KEYS.importJob, raised, failUnreadable);
  return {
    ...claims,
    async create(job) {
      await table.write({ put: { ...importJobRows.write(job), ttl: ttlOf(job) } });
    },
    async start(job, etag, now) {
      const outcome = await table.transact(startWrites(job, etag, now));
      if (outcome.ok) return true;
      const running = outcome.reasons[1]?.row?.jobId;
      return outcome.reasons[1]?.conditionFailed ? { running: id('importJob').parse(running) } : false;
    },
    async cancel(job, now) {
      const ended = { status: 'cancelled', endedAt: now } as const;
      const awaits = job.status === 'awaiting_upload';
      const set = awaits ? { ...importJobRows.set(ended), ttl: ttlOf({ ...job, ...ended }) } : { status: 'cancelling' };
      return (await table.write({ update: KEYS.importJob(job.id), set, when: hasStatus(job.status) })).ok;
    },
    end(job, { status, problem: cause, problemAt }, event) {
      const ended = { status, endedAt: event.createdAt };
      const set = { ...importJobRows.set({ ...ended, problem: cause, problemAt }), ttl: ttlOf({ ...job, ...ended }) };
      return end(job, set, KEYS.runningImport(job.organizationId), event);
    },
  };
};

/** A page of an organization's imports, newest first; without `nextCursor` the list ended. 400 for a cursor of another list. */
export const listImportJobs = async (
  table: Table,
  request: CursorRequest,
): Promise<CursorItems<ImportJob> | Refusal<'BAD_REQUEST'>> => {
  const partition = INDEX_KEYS.importJobsOf(request.scope.organizationId, '', '').gsi1pk;
  return cursorItems(table, { index: 'gsi1', partition }, request, (rows) => rows.map(importJobRows.read));
};
