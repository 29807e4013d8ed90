import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_STATUSES, MAX_JOB_DAYS } from '../domain/exports/export-job.ts';
import { EXPORT_CHANNELS } from '../domain/exports/export-row.ts';
import { byCursor, count, cursorPageOf, dateTime, flag, openObject, optionalText, part, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

const kind = z.enum(EXPORT_KINDS).meta({ description: 'What is exported.', example: 'messages' });
const kindOf = <const K extends (typeof EXPORT_KINDS)[number]>(value: K) =>
  z.literal(value).meta({ description: 'What is exported.' });
const channel = z.enum(EXPORT_CHANNELS).meta({ description: 'The channel.', example: 'sms' });
const format = z.enum(EXPORT_FORMATS).meta({ description: 'The format of the file.', example: 'csv' });
const window = {
  from: dateTime('Messages created at or after this time.'),
  to: dateTime(`Messages created at or before this time: at most ${MAX_JOB_DAYS} days after from.`),
};

const ExportJob = openObject('ExportJob', 'An export into a file.', {
  id: idSchema('exportJob'),
  kind,
  channel: channel.optional(),
  listId: idSchema('list').optional(),
  segmentId: idSchema('segment').optional(),
  format,
  status: z.enum(EXPORT_STATUSES).meta({ description: 'How far it is.', example: 'completed' }),
  masked: flag('Whether addresses are masked: who created it lacks pii:full.', false),
  from: window.from.optional(),
  to: window.to.optional(),
  createdAt: dateTime('When it was created.'),
  endedAt: dateTime('When it ended.').optional(),
  progress: part('The current contents of the file.', {
    rows: count('How many rows.', 48_213),
    bytes: count('How many bytes.', 9_830_112),
  }),
  url: optionalText(
    'Where to download the file, a new URL with each read: present once it is completed, for 7 days from its creation.',
    'https://messaging-uploads.s3.sa-east-1.amazonaws.com/exports/org/exp/file-2?X-Amz-Signature=5d67',
  ),
  urlExpiresAt: dateTime('Until when the URL is valid.').optional(),
});

const CreateExportJob = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: kindOf('messages'), channel, ...window, format }),
    z.strictObject({
      kind: kindOf('contacts'),
      listId: idSchema('list').optional(),
      segmentId: idSchema('segment').optional(),
      format,
    }),
  ])
  .meta({ id: 'CreateExportJob', description: 'An export into a file: of messages, or of contacts.' });

const params = z.object({ id: pathId('exportJob', 'The id of the export.') });
const common = { tag: 'Exports', permission: 'messages:read' } as const;

export const createExportJob = defineOperation({
  ...common,
  id: 'export-jobs.create',
  route: 'POST /v2/exports/jobs',
  summary: 'Export messages or contacts into a file',
  description: `Messages: those of a channel, sent and received, of at most ${MAX_JOB_DAYS} days, with the rows of \`GET /v2/exports/messages\`. Contacts: all of them, or those in both the given list and segment, as \`GET /contacts\` shows them; they need contacts:read as well. Newest first, in one file. It runs in the background. Addresses are masked unless the caller has pii:full. One export of an organization runs at a time: 409 with \`meta.jobId\` while another runs. Raises export.completed.`,
  body: CreateExportJob,
  responses: { 201: ExportJob },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['bulk'] },
});

export const getExportJob = defineOperation({
  ...common,
  id: 'export-jobs.get',
  route: 'GET /v2/exports/jobs/{id}',
  summary: 'Read an export into a file',
  description:
    'With its progress and, once it is completed, a new address with each read. A file with unmasked addresses has one for callers with pii:full only.',
  params,
  answer: ExportJob,
  uses: { table: 'read', objects: ['export_file'] },
});

export const listExportJobs = defineOperation({
  ...common,
  id: 'export-jobs.list',
  route: 'GET /v2/exports/jobs',
  summary: 'List exports into files, newest first',
  description: 'Without addresses of files; exports are kept for 30 days from their creation.',
  query: z.strictObject({ ...byCursor(50, 100) }),
  answer: cursorPageOf(ExportJob, 'ExportJobs', 'exports', 'exports'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const cancelExportJob = defineOperation({
  ...common,
  id: 'export-jobs.cancel',
  route: 'POST /v2/exports/jobs/{id}/cancel',
  summary: 'Cancel an export into a file',
  description:
    'No part of its file is kept, and another export may begin. A repeat answers the export as it is; 409 for an export with another end. Raises export.completed.',
  params,
  answer: ExportJob,
  errors: ['CONFLICT'],
  uses: { table: 'write', objects: ['export_work'] },
});
