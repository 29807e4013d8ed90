import * as z from 'zod';
import type { DomainEvent } from '../../domain/events/event.ts';
import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_STATUSES,
  type ExportJob,
  exportGoneAt,
} from '../../domain/exports/export-job.ts';
import { EXPORT_CHANNELS } from '../../domain/exports/export-row.ts';
import type { ExportJobStore } from '../../domain/exports/job-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { claimStore, dueAt, isFreeFor } from './claims.ts';

const count = z.int();

export const exportJobRows = defineRow<ExportJob>()({
  attributes: {
    id: id('exportJob'),
    ...tenant,
    kind: z.enum(EXPORT_KINDS),
    channel: z.enum(EXPORT_CHANNELS),
    from: time,
    to: time,
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
    pieces: z.array(z.object({ number: count, etag: z.string() })),
    tail: count.exactOptional(),
    fence: count,
    attempts: count,
    claimedUntil: count,
  },
  key: (job) => KEYS.exportJob(job.id),
});

/** Exports into files in the table of one stage. `raised` receives the committed events that somebody takes. */
export const exportJobStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): ExportJobStore => {
  const { read, claim, advance, release, end } = claimStore(table, exportJobRows, KEYS.exportJob, raised);
  return {
    async create(job) {
      const ttl = Math.ceil(exportGoneAt(job) / 1000);
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
    end: (job, { status, file }, event) =>
      end(
        job,
        exportJobRows.set({ status, file, endedAt: event.createdAt }),
        KEYS.runningExport(job.organizationId),
        event,
      ),
  };
};
