import * as z from 'zod';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { definedFields } from '../../domain/core/patch.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_STATUSES,
  type ExportJob,
  exportEvent,
  exportGoneAt,
} from '../../domain/exports/export-job.ts';
import { EXPORT_CHANNELS } from '../../domain/exports/export-row.ts';
import type { ExportJobStore } from '../../domain/exports/job-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { type CursorRequest, cursorItems } from '../client/cursor-pages.ts';
import type { Condition } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { claimStore, dueAt, type FailUnreadable, isFreeFor } from './claims.ts';

const count = z.int();

export const exportJobRows = defineRow<ExportJob>()({
  attributes: {
    id: id('exportJob'),
    ...tenant,
    kind: z.enum(EXPORT_KINDS),
    channel: z.enum(EXPORT_CHANNELS).exactOptional(),
    from: time.exactOptional(),
    to: time.exactOptional(),
    listId: id('list').exactOptional(),
    segmentId: id('segment').exactOptional(),
    format: z.enum(EXPORT_FORMATS),
    unmasked: z.boolean(),
    status: z.enum(EXPORT_STATUSES),
    createdAt: time,
    endedAt: time.exactOptional(),
    rows: count,
    bytes: count,
    cursor: z.string().exactOptional(),
    isWhole: z.literal(true).exactOptional(),
    uploadId: z.string().exactOptional(),
    file: count.exactOptional(),
    parts: z.array(z.object({ number: count, etag: z.string() })),
    tail: count.exactOptional(),
    fence: count,
    attempts: count,
    claimedUntil: count,
  },
  rename: { parts: 'pieces' },
  key: (job) => KEYS.exportJob(job.id),
  index: ({ organizationId, createdAt, id: jobId }) =>
    INDEX_KEYS.exportJobsOf(organizationId, isoTime(createdAt), jobId),
});

/** Condition: the job has not ended, whichever worker has it. */
const IS_RUNNING: Condition = { text: '#status = :running', values: { running: 'running' } };

const ttlOf = (job: ExportJob): number => Math.ceil(exportGoneAt(job) / 1000);

const failUnreadable: FailUnreadable<ExportJob> = (read, jobId, now) => {
  const [organizationId, env] = [read('organizationId'), read('env')];
  if (!organizationId || !env) return undefined;
  const job: ExportJob = {
    id: jobId as ExportJob['id'],
    organizationId,
    env,
    kind: read('kind') ?? 'messages',
    format: read('format') ?? 'ndjson',
    unmasked: read('unmasked') ?? true,
    status: 'failed',
    createdAt: read('createdAt') ?? now,
    endedAt: now,
    rows: read('rows') ?? 0,
    bytes: read('bytes') ?? 0,
    parts: [],
    fence: read('fence') ?? 0,
    attempts: read('attempts') ?? 0,
    claimedUntil: 0,
    ...definedFields({
      channel: read('channel'),
      from: read('from'),
      to: read('to'),
      listId: read('listId'),
      segmentId: read('segmentId'),
    }),
  };
  const running = KEYS.runningExport(organizationId);
  return { job, ttl: ttlOf(job), running, event: exportEvent(job, 'failed', now) };
};

/** Exports to files in the table of one stage. `raised` receives the committed events that have subscribers. */
export const exportJobStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): ExportJobStore => {
  const { read, claim, advance, release, end } = claimStore(
    table,
    exportJobRows,
    KEYS.exportJob,
    raised,
    failUnreadable,
  );
  return {
    async create(job) {
      const ttl = ttlOf(job);
      const running = KEYS.runningExport(job.organizationId);
      const outcome = await table.transact([
        { put: { ...exportJobRows.write(job), ...dueAt(job.id, job.createdAt), ttl } },
        { put: { ...running, jobId: job.id }, when: isFreeFor(job.id) },
      ]);
      return outcome.ok || { running: id('exportJob').parse(outcome.reasons[1]?.row?.jobId) };
    },
    read,
    claim,
    advance(job, progress, until) {
      const gone = (['cursor', 'tail'] as const).filter((name) => progress[name] === undefined);
      return advance(job, progress, until, gone);
    },
    release,
    cancel: (job, event) =>
      end(
        job,
        exportJobRows.set({ status: 'cancelled', endedAt: event.createdAt }),
        KEYS.runningExport(job.organizationId),
        event,
        IS_RUNNING,
      ),
    end: (job, { status, file }, event) =>
      end(
        job,
        exportJobRows.set({ status, file, endedAt: event.createdAt }),
        KEYS.runningExport(job.organizationId),
        event,
      ),
  };
};

/** A page of an organization's exports, newest first; without `nextCursor` the list ended. 400 for a cursor of another list. */
export const listExportJobs = async (
  table: Table,
  request: CursorRequest,
): Promise<CursorItems<ExportJob> | Refusal<'BAD_REQUEST'>> => {
  const partition = INDEX_KEYS.exportJobsOf(request.scope.organizationId, '', '').gsi1pk;
  return cursorItems(table, { index: 'gsi1', partition }, request, (rows) => rows.map(exportJobRows.read));
};
