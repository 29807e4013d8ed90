import type { OnConflict } from '../contacts/import-plan.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import {
  errorFileKey,
  type ImportFormat,
  type ImportJob,
  type importJobView,
  isEnded,
  isKept,
  NO_FIGURES,
  sourceKey,
} from './import-job.ts';
import type { ImportJobPorts } from './ports.ts';

/** The parsed body of a new job. */
export interface NewImport {
  readonly format: ImportFormat;
  readonly mapping?: Readonly<Record<string, string>> | undefined;
  readonly onConflict: OnConflict;
  readonly size: number;
}
type Owner = Pick<Tenant, 'organizationId'>;
type Shown = Parameters<typeof importJobView>[0];

const CONTENT_TYPES: Readonly<Record<ImportFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

const noSuchJob = () => refuse('NOT_FOUND', 'There is no such import.');

/** A job with its presigned addresses: for uploading the file, or for downloading the errors. They are created at each read. */
const shown = async ({ bucket }: ImportJobPorts, job: ImportJob): Promise<Shown> => {
  if (job.status === 'awaiting_upload') {
    const file = { contentType: CONTENT_TYPES[job.format], size: job.size };
    return { job, upload: await bucket.presignUpload(sourceKey(job), file) };
  }
  if (!isEnded(job) || job.errorParts.length === 0) return { job };
  return { job, errorFile: await bucket.presignDownload(errorFileKey(job), `errors-${job.id}.csv`) };
};

/** Creates an import; its file is then uploaded to the address in the response. */
export const createImport = async (
  ports: ImportJobPorts,
  { organizationId, env }: Tenant,
  { mapping, ...given }: NewImport,
): Promise<Shown> => {
  const job: ImportJob = {
    ...given,
    ...NO_FIGURES,
    ...(mapping ? { mapping } : {}),
    id: newId('importJob'),
    organizationId,
    env,
    status: 'awaiting_upload',
    createdAt: ports.clock(),
    position: 0,
    line: 1,
    errorParts: [],
    fence: 0,
    attempts: 0,
    claimedUntil: 0,
  };
  await ports.store.create(job);
  return shown(ports, job);
};

const findJob = async (
  { clock, store }: Pick<ImportJobPorts, 'clock' | 'store'>,
  { organizationId }: Owner,
  id: Id<'importJob'>,
): Promise<ImportJob | Refusal<'NOT_FOUND'>> => {
  const job = await store.read(id);
  return job?.organizationId === organizationId && isKept(job, clock()) ? job : noSuchJob();
};

/** Reads an import of the caller's organization; 404 for another organization's, as if it didn't exist. */
export const getImport = async (
  ports: ImportJobPorts,
  owner: Owner,
  id: Id<'importJob'>,
): Promise<Shown | Refusal<'NOT_FOUND'>> => {
  const job = await findJob(ports, owner, id);
  return isRefusal(job) ? job : shown(ports, job);
};

/**
 * Starts an import whose file was uploaded. A repeat returns the job as it is. 409 while there is no file, or while another import of the
 * organization is running: two at once would exceed the write capacity of its contact list.
 */
export const startImport = async (
  ports: ImportJobPorts,
  actor: Actor,
  id: Id<'importJob'>,
): Promise<Shown | Refusal<'NOT_FOUND' | 'CONFLICT' | 'RATE_LIMITED'>> =>
  retryOnConflict('The import', async () => {
    const job = await findJob(ports, actor, id);
    if (isRefusal(job)) return job;
    if (job.status !== 'awaiting_upload') return shown(ports, job);
    const file = await ports.bucket.stat(sourceKey(job));
    if (!file) return refuse('CONFLICT', 'No bytes were put at the address of this import yet.');
    if (file.size !== job.size)
      return refuse('CONFLICT', 'The uploaded file has another size than the import was created for.');
    const limited = await ports.admit(actor);
    if (limited) return limited;
    const started = await ports.store.start(job, file.etag, ports.clock());
    if (typeof started === 'object')
      return refuse('CONFLICT', {
        detail: 'Another import of the organization is on its way: start this one after it.',
        meta: { jobId: started.running },
      });
    if (!started) return CONFLICT;
    ports.enqueue(job);
    return getImport(ports, actor, id);
  });

/**
 * Cancels an import: contacts imported so far stay, and are counted. 409 for one that has ended otherwise; a repeat returns the job as it
 * is.
 */
export const cancelImport = async (
  ports: ImportJobPorts,
  owner: Owner,
  id: Id<'importJob'>,
): Promise<Shown | Refusal<'NOT_FOUND' | 'CONFLICT'>> =>
  retryOnConflict('The import', async () => {
    const job = await findJob(ports, owner, id);
    if (isRefusal(job)) return job;
    if (job.status === 'cancelled' || job.status === 'cancelling') return shown(ports, job);
    if (isEnded(job)) return refuse('CONFLICT', 'The import has ended already.');
    if (!(await ports.store.cancel(job, ports.clock()))) return CONFLICT;
    if (job.status === 'awaiting_upload') await ports.bucket.remove([sourceKey(job)]).catch(() => {});
    else ports.enqueue(job);
    return getImport(ports, owner, id);
  });
