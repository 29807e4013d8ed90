import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { isImportField, MAX_COLUMNS } from '../domain/imports/columns.ts';
import {
  IMPORT_FORMATS,
  IMPORT_PROBLEMS,
  IMPORT_STATUSES,
  type ImportProblem,
  MAX_FILE_BYTES,
} from '../domain/imports/import-job.ts';
import { byCursor, count, cursorPageOf, dateTime, openObject, part, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const format = z.enum(IMPORT_FORMATS).meta({ description: 'The format of the file.', example: 'csv' });
const onConflict = z.enum(['update', 'skip']).meta({
  description: 'For existing contacts: `update` changes the fields of their row, `skip` leaves them unchanged.',
  example: 'update',
});
const size = z
  .int()
  .min(1)
  .max(MAX_FILE_BYTES)
  .meta({ description: `The size of the file in bytes, at most ${MAX_FILE_BYTES}.`, example: 48_213 });
const mapping = z.record(z.string().min(1).max(256), z.string().max(256)).meta({
  description:
    'For the name of each column the field that it fills: a field of a contact, `tags`, `optIn.status`, `optIn.source`, `externalIds.` or `attributes.` with a key.',
  example: { Telefone: 'phone', Nome: 'name', Plano: 'attributes.plano' },
});

/** The error in a mapping: a column's name, and what is wrong. */
const mappingFault = (given: Readonly<Record<string, string>>): readonly [string, string] | undefined => {
  const entries = Object.entries(given);
  if (entries.length > MAX_COLUMNS) return ['', `has more than ${MAX_COLUMNS} columns`];
  const wrong = entries.find(([, field]) => !isImportField(field));
  if (wrong) return [wrong[0], 'is not a field that a column can fill'];
  const twice = entries.find(([, field], at) => entries.findIndex(([, other]) => other === field) !== at);
  if (twice) return [twice[0], 'is filled by another column already'];
  return entries.some(([, field]) => field === 'phone') ? undefined : ['', 'must fill phone'];
};

const CreateContactImport = z
  .strictObject({ format, onConflict, size, mapping: mapping.optional() })
  .superRefine((given, context) => {
    if (!given.mapping) return;
    const fault =
      given.format === 'csv' ? mappingFault(given.mapping) : (['', 'is for the columns of a CSV only'] as const);
    if (fault)
      context.addIssue({ code: 'custom', path: ['mapping', ...(fault[0] ? [fault[0]] : [])], message: fault[1] });
  })
  .meta({ id: 'CreateContactImport', description: 'An import of contacts from a file.' });

const ContactImport = openObject('ContactImport', 'An import of contacts from a file.', {
  id: idSchema('importJob'),
  status: z.enum(IMPORT_STATUSES).meta({ description: 'How far it is.', example: 'running' }),
  format,
  onConflict,
  size,
  mapping: mapping.optional(),
  createdAt: dateTime('When it was created.'),
  startedAt: dateTime('When it was started.').optional(),
  endedAt: dateTime('When it ended.').optional(),
  progress: part('The results of the rows so far; each is in one of the four.', {
    rows: count('How many rows were processed.', 2_000),
    created: count('How many contacts were created.', 1_900),
    updated: count('How many rows matched a contact and were applied to it.', 80),
    ignored: count('How many rows were skipped, because their contact exists.', 0),
    errors: count('How many rows were refused.', 20),
    bytes: count('How many bytes of the file were processed.', 181_004),
  }),
  upload: part('Where to send the bytes; present until the import is started, a new one with each read.', {
    url: z.string().meta({
      description: 'The URL to send the bytes to, as the body. It accepts exactly this size and type.',
      example: 'https://messaging-uploads.s3.sa-east-1.amazonaws.com/imports/org/imp/source?X-Amz-Signature=5d67',
    }),
    method: z.literal('PUT').meta({ description: 'The method of the upload.' }),
    headers: z.record(z.string(), z.string()).meta({
      description: 'Headers to send with the bytes, unchanged.',
      example: { 'content-type': 'text/csv', 'content-length': '48213' },
    }),
    expiresAt: dateTime('Until when the URL accepts the bytes.'),
  }).optional(),
  errorFile: part(
    'The rows that were refused, as CSV: line and message. Present once it ended, a new one with each read.',
    {
      url: text(
        'Where to download it.',
        'https://messaging-uploads.s3.sa-east-1.amazonaws.com/imports/org/imp/errors.csv?X-Amz-Signature=5d67',
      ),
      expiresAt: dateTime('Until when the URL is valid.'),
    },
  ).optional(),
  problem: part('Why it failed; what was imported before stays.', {
    code: z
      .enum(Object.keys(IMPORT_PROBLEMS) as [ImportProblem, ...ImportProblem[]])
      .meta({ description: 'The cause.', example: 'not_utf8' }),
    detail: text('The cause in words.', IMPORT_PROBLEMS.not_utf8),
    at: count('The line of the file, or the column of its header, from 1.', 12).optional(),
  }).optional(),
});

const params = z.object({ id: pathId('importJob', 'The id of the import.') });
const own = { tag: 'Contacts', permission: 'contacts:write' } as const;
/** Operations that start or stop a job. */
const acts = {
  ...own,
  params,
  answer: ContactImport,
  errors: ['CONFLICT'],
  uses: { table: 'write', queues: ['bulk'], objects: ['import_upload', 'import_errors'] },
} as const;
const LIMITS =
  'At most 200 MB and 1,000,000 rows, a line at most 512 KB. CSV is UTF-8 with a header; comma, semicolon or tab separate its fields. NDJSON has one contact on each line, in the form of a new one.';

export const createContactImport = defineOperation({
  ...own,
  id: 'contact-imports.create',
  route: 'POST /contacts/import/jobs',
  summary: 'Create an import of a file',
  description: `Answers where to PUT the file; then start the import. ${LIMITS}`,
  body: CreateContactImport,
  responses: { 201: ContactImport },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', objects: ['import_upload'] },
});

export const startContactImport = defineOperation({
  ...acts,
  id: 'contact-imports.start',
  route: 'POST /contacts/import/jobs/{id}/start',
  summary: 'Start an import whose file was uploaded',
  description:
    'It runs in the background; rows are imported as by `POST /contacts/import`. One import of an organization runs at a time: 409 with `meta.jobId` while another runs. A repeat answers the import as it is. Raises import.completed at the end, contact.created and contact.opted_out during the import. Without pii:full it counts as 60 lookups, since its figures reveal existing contacts; then 429.',
});

export const getContactImport = defineOperation({
  ...own,
  id: 'contact-imports.get',
  route: 'GET /contacts/import/jobs/{id}',
  summary: 'Read an import of a file',
  description: 'With its progress, and with new addresses at each read.',
  params,
  answer: ContactImport,
  uses: { table: 'read', objects: ['import_upload', 'import_errors'] },
});

export const listContactImports = defineOperation({
  ...own,
  id: 'contact-imports.list',
  route: 'GET /contacts/import/jobs',
  summary: 'List imports of files, newest first',
  description: 'Without addresses; ended imports are kept for 30 days, imports without a file for 7.',
  query: z.strictObject({ ...byCursor(50, 100) }),
  answer: cursorPageOf(ContactImport, 'ContactImports', 'imports', 'imports'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const cancelContactImport = defineOperation({
  ...acts,
  id: 'contact-imports.cancel',
  route: 'POST /contacts/import/jobs/{id}/cancel',
  summary: 'Cancel an import of a file',
  description:
    'Imported rows are kept. A running import is `cancelling` until the rows that are being stored are counted. 409 for an import with another end.',
});
