import { foundContactPage } from '../../domain/audience/contact-page.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { type ContactExportRow, contactExportRow } from '../../domain/exports/contact-row.ts';
import { type SourcePorts, type SourceStores, sourceSelection } from '../../domain/exports/contact-source.ts';
import { type ExportJob, messagesOf } from '../../domain/exports/export-job.ts';
import { exportRow } from '../../domain/exports/export-row.ts';
import type { ExportJobPorts, ExportRunPorts } from '../../domain/exports/job-ports.ts';
import { runExport } from '../../domain/exports/run-export.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { audienceIndex } from '../../storage/audience/index-reader.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { contactExportPage } from '../../storage/contacts/contact-export.ts';
import { exportPage } from '../../storage/exports/message-export.ts';
import { exportJobStore, listExportJobs } from '../../storage/jobs/export-jobs.ts';
import { exportBucket } from '../../storage/jobs/job-bucket.ts';
import { listStore } from '../../storage/lists/lists.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { segmentStore } from '../../storage/segments/segments.ts';
import { clock, publishEvents, publishWork, table, vaults } from '../process/aws.ts';
import { alertFailedJob } from '../process/failed-job.ts';
import { jobBucket } from '../process/job-bucket.ts';
import { logger } from '../process/observe.ts';

/** Rows of a page. */
const PAGE = 1_000;

const segments = segmentStore(table);
const sources: SourcePorts = {
  index: audienceIndex(table, { clock }),
  segments,
  membersOf: (organizationId, listId) => readMembers(table, organizationId, listId),
};

export const exportJobPorts: ExportJobPorts & SourceStores = {
  clock,
  lists: listStore(table, clock),
  segments,
  store: exportJobStore(table, publishEvents),
  get bucket() {
    return exportBucket(...jobBucket(), clock);
  },
  enqueue: ({ id, organizationId: owner }) => publishWork([{ kind: 'run_job', ...KEYS.exportJob(id), owner }]),
};

/** The next contacts of a job: all, or the present ones of its list and segment. */
const contactRows = async (
  job: ExportJob,
  request: CursorRequest,
): Promise<CursorItems<ContactExportRow> | 'gone' | Refusal<'BAD_REQUEST'>> => {
  const { organizationId, unmasked } = job;
  const selection = await sourceSelection(sources, organizationId, job, clock());
  if (selection === 'gone') return selection;
  if (!selection) return contactExportPage(table, request, (contact) => contactExportRow(contact, unmasked));
  const found = await sources.index.find(organizationId, selection);
  const page = await foundContactPage(sources.index, organizationId, found, request);
  return isRefusal(page) ? page : { ...page, items: page.items.map((contact) => contactExportRow(contact, unmasked)) };
};

/** The next rows of a job: its position is a cursor of the corresponding list. */
const page: ExportRunPorts['page'] = async (job, cursor) => {
  const { id, organizationId, env, unmasked } = job;
  const request = {
    vault: await vaults.cursors(),
    scope: { organizationId, env, query: { job: id } },
    cursor,
    limit: PAGE,
  };
  const messages = messagesOf(job);
  if (messages) {
    const found = await exportPage(table, messages.channel, messages, request, (message, externalId) =>
      exportRow(message, externalId, unmasked),
    );
    if (!isRefusal(found)) return { kind: 'messages', ...found };
  } else {
    const found = await contactRows(job, request);
    if (found === 'gone') return found;
    if (!isRefusal(found)) return { kind: 'contacts', ...found };
  }
  throw new TypeError('the cursor of a job is its own');
};

/** A page of an organization's exports. */
export const listExports = (request: CursorRequest) => listExportJobs(table, request);

/** Continues an export that is due. */
export const processExport = (id: Id<'exportJob'>): Promise<void> =>
  runExport(
    {
      ...exportJobPorts,
      page,
      onFailure: (detail) => logger.warn('export', { detail }),
      onFailed: (job) => alertFailedJob(job.id, 'every attempt at a step of an export failed'),
    },
    id,
  );
