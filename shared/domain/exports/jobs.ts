import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { type ContactSource, type SourceStores, unknownSources } from './contact-source.ts';
import {
  type ExportedMessages,
  type ExportFormat,
  type ExportJob,
  exportEvent,
  exportFileKey,
  exportGoneAt,
  type exportJobView,
  isFileFor,
  MAX_JOB_DAYS,
} from './export-job.ts';
import type { ExportChannel } from './export-row.ts';
import type { ExportJobPorts } from './job-ports.ts';
import { dropFile } from './run-export.ts';
import { exportWindow } from './window.ts';

/** The parsed body of a new job; its window in ISO 8601. */
export type NewExport = { readonly format: ExportFormat } & (
  | { readonly kind: 'messages'; readonly channel: ExportChannel; readonly from: string; readonly to: string }
  | {
      readonly kind: 'contacts';
      readonly listId?: Id<'list'> | undefined;
      readonly segmentId?: Id<'segment'> | undefined;
    }
);
type Shown = Parameters<typeof exportJobView>[0];
type Owner = Pick<Tenant, 'organizationId'>;

/** A file requires the same scopes as the lists that show the same data. */
const mayExport = ({ scopes }: Pick<Actor, 'scopes'>, kind: ExportJob['kind']): boolean =>
  kind === 'messages' || scopes.has('contacts:read');

/** The subject of an export; 422 for a window that is too long, and for a missing list or segment. */
const exportedOf = async (
  stores: SourceStores,
  { organizationId }: Owner,
  given: NewExport,
): Promise<(Partial<ExportedMessages> & ContactSource) | Refusal<'VALIDATION_ERROR'>> => {
  if (given.kind === 'contacts') {
    const source: ContactSource = definedFields({ listId: given.listId, segmentId: given.segmentId });
    const errors = await unknownSources(stores, organizationId, source);
    return errors.length === 0
      ? source
      : refuse('VALIDATION_ERROR', { detail: 'The contacts to export are not found.', errors });
  }
  const window = exportWindow(given, MAX_JOB_DAYS);
  return isRefusal(window) ? window : { ...window, channel: given.channel };
};

/**
 * Creates an export, which starts immediately; 409 while another of the organization is running, which also limits how many a caller can
 * create. Its creator's present scopes determine whether addresses are masked.
 */
export const createExport = async (
  ports: ExportJobPorts & SourceStores,
  actor: Tenant & Pick<Actor, 'scopes'>,
  unmasked: boolean,
  given: NewExport,
): Promise<Shown | Refusal<'CONFLICT' | 'FORBIDDEN' | 'VALIDATION_ERROR'>> => {
  const { organizationId, env } = actor;
  if (!mayExport(actor, given.kind)) return refuse('FORBIDDEN', 'Exporting contacts needs contacts:read.');
  const exported = await exportedOf(ports, actor, given);
  if (isRefusal(exported)) return exported;
  const job: ExportJob = {
    ...exported,
    id: newId('exportJob'),
    organizationId,
    env,
    kind: given.kind,
    format: given.format,
    unmasked,
    status: 'running',
    createdAt: ports.clock(),
    rows: 0,
    bytes: 0,
    parts: [],
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

const findJob = async (
  { clock, store }: Pick<ExportJobPorts, 'clock' | 'store'>,
  { organizationId }: Owner,
  id: Id<'exportJob'>,
): Promise<ExportJob | Refusal<'NOT_FOUND'>> => {
  const job = await store.read(id);
  return job?.organizationId === organizationId && exportGoneAt(job) > clock()
    ? job
    : refuse('NOT_FOUND', 'There is no such export.');
};

/** Reads an export of the caller's organization, with its file's address; 404 for another organization's, as if it didn't exist. */
export const getExport = async (
  ports: Pick<ExportJobPorts, 'bucket' | 'clock' | 'store'>,
  actor: Owner & Pick<Actor, 'scopes'>,
  unmasked: boolean,
  id: Id<'exportJob'>,
): Promise<Shown | Refusal<'NOT_FOUND'>> => {
  const { bucket, clock } = ports;
  const job = await findJob(ports, actor, id);
  if (isRefusal(job)) return job;
  if (job.file === undefined || !isFileFor(job, unmasked, clock()) || !mayExport(actor, job.kind)) return { job };
  const name = `${job.channel ?? job.kind}-${job.id}.${job.format}`;
  return { job, address: await bucket.presignDownload(exportFileKey(job, job.file), name) };
};

/**
 * Cancels an export: its parts are deleted, and another may start. 409 for one that has ended otherwise; a repeat returns the job as it is.
 * The bucket's lifecycle rule deletes what a worker is writing at this moment.
 */
export const cancelExport = (
  ports: Pick<ExportJobPorts, 'bucket' | 'clock' | 'store'>,
  owner: Owner,
  id: Id<'exportJob'>,
): Promise<Shown | Refusal<'NOT_FOUND' | 'CONFLICT'>> =>
  retryOnConflict('The export', async () => {
    const job = await findJob(ports, owner, id);
    if (isRefusal(job) || job.status === 'cancelled') return isRefusal(job) ? job : { job };
    if (job.status !== 'running') return refuse('CONFLICT', 'The export has ended already.');
    const now = ports.clock();
    if (!(await ports.store.cancel(job, exportEvent(job, 'cancelled', now)))) return CONFLICT;
    await dropFile(ports, job).catch(() => {});
    return { job: { ...job, status: 'cancelled', endedAt: now } };
  });
