import * as z from 'zod';
import { MAX_CARD_FILE_BYTES, MAX_CARD_FILES } from '../domain/activities/card-file.ts';
import { CARD_FILE_TYPES } from '../domain/activities/file-types.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { boundedText, closedObject, count, dateTime, openObject, ordinal, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const nome = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069/\\]+$/u, 'must be a file name, without folders or control characters')
  .refine((name) => !/^\.{0,2}$/.test(name.trim()), 'must be a file name, not blanks or a folder')
  .meta({ description: 'The name of the file, under which it is saved.', example: 'proposta.pdf' });
const TYPES = 'PDF, JPEG, PNG, WebP, GIF, Word, Excel, PowerPoint, CSV, plain text, MP3, Ogg and MP4';

const CardFile = openObject('CardFile', 'A file of a card.', {
  id: idSchema('cardFile'),
  cardId: idSchema('card'),
  nome,
  mimeType: z
    .enum(CARD_FILE_TYPES)
    .meta({ description: 'The type, as its bytes were checked.', example: 'application/pdf' }),
  tamanho: ordinal('Bytes.', 482_113),
  sha256: text('SHA-256 of the bytes, in hex.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
  criadoPorId: text('Who uploaded it: an account or an API key.', 'acc_4hJ9sKq2LmN8pRt5VwXz1'),
  createdAt: dateTime('When it was registered.'),
});

const params = z.object({ id: pathId('card', 'The id of the card.') });
const fileParams = params.extend({ fileId: pathId('cardFile', 'The id of the file.') });
const tag = 'Card files';
const path = '/cards/{id}/files';

export const listCardFiles = defineOperation({
  id: 'card-files.list',
  route: `GET ${path}`,
  tag,
  summary: "List a card's files, newest first",
  description: `All of them: a card has at most ${MAX_CARD_FILES}.`,
  permission: 'crm:read',
  params,
  responses: {
    200: openObject('CardFileList', 'The files of a card.', {
      items: z.array(CardFile).meta({ description: 'The files, newest first.' }),
      total: count('How many files the card has.', 1),
    }),
  },
  uses: { table: 'read' },
});

export const beginCardUpload = defineOperation({
  id: 'card-files.begin-upload',
  route: `POST ${path}/uploads`,
  tag,
  summary: "Start the upload of a card's file",
  description: `Returns an address to PUT the bytes to, for 15 minutes. Then call \`POST ${path}\`: a file that is not registered within an hour is deleted. Types: ${TYPES}; 415 for another, 413 beyond 25 MB.`,
  permission: 'crm:write',
  params,
  body: closedObject('BeginCardUpload', 'A file that will be uploaded.', {
    nome,
    mimeType: boundedText(255, 'The media type.', 'application/pdf'),
    tamanho: ordinal(`The exact size in bytes, at most ${MAX_CARD_FILE_BYTES.toLocaleString('en-US')}.`, 482_113),
  }),
  responses: {
    201: openObject('CardUploadAddress', "Where to upload the bytes of a card's file.", {
      uploadId: idSchema('upload', 'The id to register the file with, after the bytes were uploaded.'),
      method: z.literal('PUT').meta({ description: 'How to upload the bytes.', example: 'PUT' }),
      url: z.url().meta({
        description: 'The address to send the bytes to, as the body. It accepts exactly this size and type.',
        example: 'https://messaging-uploads.s3.sa-east-1.amazonaws.com/card-uploads/org/upl?X-Amz-Signature=5d67',
      }),
      headers: z.record(z.string(), z.string()).meta({
        description: 'Headers to send with the bytes, unchanged.',
        example: { 'content-type': 'application/pdf', 'content-length': '482113' },
      }),
      expiresAt: dateTime('Until when the address accepts the bytes.'),
    }),
  },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', objects: ['card_uploads'] },
});

export const registerCardFile = defineOperation({
  id: 'card-files.register',
  route: `POST ${path}`,
  tag,
  summary: 'Register an uploaded file with its card',
  description: `The bytes are checked against the type: if they do not match the upload the answer is 422, and they are deleted. 409 if nothing was uploaded, and with \`meta.code\` LIMITE_DE_ARQUIVOS for more than ${MAX_CARD_FILES} files. A repeat answers the same file.`,
  permission: 'crm:write',
  params,
  body: closedObject('RegisterCardFile', 'A file that was uploaded.', {
    uploadId: idSchema('upload', 'The id of the upload.'),
  }),
  responses: { 201: CardFile },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', objects: ['card_uploads', 'card_files'] },
  memoryMb: 1024,
});

export const downloadCardFile = defineOperation({
  id: 'card-files.download',
  route: `GET ${path}/{fileId}/download`,
  tag,
  summary: "Get an address to download a card's file from",
  description: 'Valid for five minutes. Browsers save the file under its name instead of showing it.',
  permission: 'crm:read',
  params: fileParams,
  responses: {
    200: openObject('CardFileAddress', 'Where to download a file.', {
      url: z.url().meta({
        description: 'The address of the bytes.',
        example: 'https://messaging-uploads.s3.sa-east-1.amazonaws.com/cards/org/crd/arq?X-Amz-Signature=5d67',
      }),
      expiresAt: dateTime('Until when the address is valid.'),
    }),
  },
  uses: { table: 'read', objects: ['card_files'] },
});

export const deleteCardFile = defineOperation({
  id: 'card-files.delete',
  route: `DELETE ${path}/{fileId}`,
  tag,
  summary: "Delete a card's file",
  description: 'Permanently, with its bytes.',
  permission: 'crm:delete',
  params: fileParams,
  responses: { 204: null },
  uses: { table: 'write', objects: ['card_uploads', 'card_files'] },
});
