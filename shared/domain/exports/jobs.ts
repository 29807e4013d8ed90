import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import {
  type ExportFormat,
  type ExportJob,
  exportFileKey,
  exportGoneAt,
  type exportJobView,
  isFileFor,
  MAX_JOB_DAYS,
} from './export-job.ts';
import type { ExportChannel } from './export-row.ts';
import type { ExportJobPorts } from './job-ports.ts';
import { exportWindow } from './window.ts';

/** The parsed body of a new job; its window in ISO 8601. */
export interface NewExport {
  readonly kind: ExportJob['kind'];
  readonly channel: ExportChannel;
  readonly from: string;
  readonly to: string;
  readonly format: ExportFormat;
}
type Shown = Parameters<typeof exportJobView>[0];

/** Creates an export, which begins at once; 409 while another of the organization is on its way, so that no caller makes many of them. What it shows of addresses is decided by its creator's scopes at this moment. */
export const createExport = async (
  ports: ExportJobPorts,
  { organizationId, env }: Tenant,
  unmasked: boolean,
  { kind, channel, format, ...given }: NewExport,
): Promise<Shown | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const window = exportWindow(given, MAX_JOB_DAYS);
  if (isRefusal(window)) return window;
  const job: ExportJob = {
    ...window,
    id: newId('exportJob'),
    organizationId,
    env,
    kind,
    channel,
    format,
    unmasked,
    status: 'running',
    createdAt: ports.clock(),
    rows: 0,
    bytes: 0,
    pieces: [],
    fence: 0,
    attempts: 0,
    claimedUntil: 0,
  };
  const created = await ports.store.create(job);
  if (created !== true)
    return refuse('CONFLICT', {
      detail: 'Another export of the organization is on its way: create this one after it.',
      meta: { jobId: created.running },
    });
  ports.enqueue(job);
  return { job };
};

/** Reads an export of the caller's organization, with where its file is; another organization's answers 404 as if it didn't exist. */
export const getExport = async (
  { clock, store, bucket }: Pick<ExportJobPorts, 'bucket' | 'clock' | 'store'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  unmasked: boolean,
  id: Id<'exportJob'>,
): Promise<Shown | Refusal<'NOT_FOUND'>> => {
  const job = await store.read(id);
  const now = clock();
  if (job?.organizationId !== organizationId || exportGoneAt(job) <= now)
    return refuse('NOT_FOUND', 'There is no such export.');
  if (job.file === undefined || !isFileFor(job, unmasked, now)) return { job };
  const name = `${job.channel}-${job.id}.${job.format}`;
  return { job, address: await bucket.presignDownload(exportFileKey(job, job.file), name) };
};
