import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_STATUSES, MAX_JOB_DAYS } from '../domain/exports/export-job.ts';
import { EXPORT_CHANNELS } from '../domain/exports/export-row.ts';
import { closedObject, count, dateTime, flag, openObject, optionalText, part, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

const kind = z.enum(EXPORT_KINDS).meta({ description: 'What is exported.', example: 'messages' });
const channel = z.enum(EXPORT_CHANNELS).meta({ description: 'The channel.', example: 'sms' });
const format = z.enum(EXPORT_FORMATS).meta({ description: 'The format of the file.', example: 'csv' });
const window = {
  from: dateTime('Messages created at or after this time.'),
  to: dateTime(`Messages created at or before this time: at most ${MAX_JOB_DAYS} days after from.`),
};

const ExportJob = openObject('ExportJob', 'An export into a file.', {
  id: idSchema('exportJob'),
  kind,
  channel,
  format,
  status: z.enum(EXPORT_STATUSES).meta({ description: 'How far it is.', example: 'completed' }),
  masked: flag('Whether addresses are masked: who created it lacks pii:full.', false),
  ...window,
  createdAt: dateTime('When it was created.'),
  endedAt: dateTime('When it ended.').optional(),
  progress: part('What is in the file until now.', {
    rows: count('How many messages.', 48_213),
    bytes: count('How many bytes.', 9_830_112),
  }),
  url: optionalText(
    'Where to download the file, made anew at each read: once it is completed, for 7 days from its creation.',
    'https://messaging-uploads.s3.sa-east-1.amazonaws.com/exports/org/exp/file-2?X-Amz-Signature=5d67',
  ),
  urlExpiresAt: dateTime('Until when the URL answers.').optional(),
});

const params = z.object({ id: pathId('exportJob', 'The id of the export.') });
const common = { tag: 'Exports', permission: 'messages:read' } as const;

export const createExportJob = defineOperation({
  ...common,
  id: 'export-jobs.create',
  route: 'POST /v2/exports/jobs',
  summary: 'Export the messages of a time into a file',
  description: `Sent and received, newest first, at most ${MAX_JOB_DAYS} days: the rows of \`GET /v2/exports/messages\`, in one file. It goes on by itself. Addresses are masked unless the caller has pii:full. One export of an organization runs at a time: 409 with \`meta.jobId\` while another does. Raises export.completed.`,
  body: closedObject('CreateExportJob', 'An export into a file.', { kind, channel, ...window, format }),
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
    'With its progress and, once it is completed, an address that is made anew at each read. A file whose addresses are in full has one for callers with pii:full only.',
  params,
  answer: ExportJob,
  uses: { table: 'read', objects: ['export_file'] },
});
