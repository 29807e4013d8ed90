import * as z from 'zod';
import { filename as plainFilename } from '../domain/channels/whatsapp/media/described.ts';
import {
  MAX_JSON_BYTES,
  MAX_MEDIA_BYTES,
  MEDIA_KINDS,
  MEDIA_TYPE_NAMES,
} from '../domain/channels/whatsapp/media/types.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { boundedText, closedObject, dateTime, openObject, optionalFlag, ordinal, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const filename = plainFilename.meta({
  description: 'The file name that recipients of a document see.',
  example: 'pedido.pdf',
});
const declaredType = boundedText(
  255,
  "The declared media type. The actual type is detected from the file's bytes; the declared one only decides between types with the same container, such as MP4 with or without video.",
  'application/pdf',
);

/** docs/spec/media.md#upload-result. */
export const MediaUploadResult = openObject('MediaUploadResult', 'A file that messages can contain.', {
  mediaId: text('The id to send as `payload.media.id`. Valid for about 30 days.', '1037543291543636'),
  kind: z.enum(MEDIA_KINDS).meta({ description: 'The kind to send as `payload.media.kind`.', example: 'document' }),
  mimeType: text('The type detected from the bytes.', 'application/pdf'),
  filename,
  size: ordinal('Bytes.', 482_113),
  sha256: text('SHA-256 of the bytes, in hex.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
  voice: optionalFlag(
    'Present and true for Ogg/Opus with one channel, which can be sent as a voice note: pass it back as `payload.media.voice`.',
    true,
  ),
});

/** The documented JSON body. The handler streams `data` and validates the rest with an empty string in its place. */
export const UploadMedia = closedObject('UploadMedia', 'A file in base64.', {
  filename,
  mimeType: declaredType,
  dataBase64: text(
    'The file in base64 (RFC 4648, section 4): at most 140,000,000 characters, about 105 MB of file. Spaces and line breaks are ignored and not counted.',
    'JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PD4+CmVuZG9iagp0cmFpbGVyCjw8Pj4KJSVFT0YK',
  ),
});

export const BeginMediaUpload = closedObject('BeginMediaUpload', 'A file that will be uploaded.', {
  filename,
  mimeType: declaredType,
  size: ordinal(
    `The exact size in bytes; at most the limit of the type, ${MAX_MEDIA_BYTES / 1_000_000} MB (of 1,000,000 bytes) for documents.`,
    482_113,
  ),
});

export const MediaUploadAddress = openObject('MediaUploadAddress', 'Where to upload the bytes of a file.', {
  uploadId: idSchema('upload', 'The id to complete the upload with, after the bytes were uploaded.'),
  method: z.literal('PUT').meta({ description: 'How to upload the bytes.', example: 'PUT' }),
  url: z.url().meta({
    description: 'The URL to send the bytes to, as the body. It accepts exactly this size and type.',
    example: 'https://messaging-uploads.s3.sa-east-1.amazonaws.com/uploads/org/upl?X-Amz-Signature=5d67',
  }),
  headers: z.record(z.string(), z.string()).meta({
    description: 'Headers to send with the bytes, unchanged.',
    example: { 'content-type': 'application/pdf', 'content-length': '482113' },
  }),
  expiresAt: dateTime(
    'Until when the URL accepts the bytes, unless the upload is completed before. It can be completed for an hour.',
  ),
});

const numberId = pathId('number', 'The id of the number that the file will be sent from.');
const params = z.object({ numberId });
const LIFETIME =
  'The file is uploaded to Meta, which keeps it for about 30 days. Maximum sizes: 5 MB for images (JPEG, PNG), 16 MB for audio (AAC, AMR, MP3, MP4, Ogg/Opus) and video (MP4, 3GP), 105,000,000 bytes for documents (PDF, Office, plain text), 100 KB for static and 500 KB for animated WebP stickers: 413 beyond that, 415 for every other type. The type is detected from the bytes.';
const LIMITS =
  'Bodies up to 6 MB are always accepted, the full size if a container serves the path; elsewhere upload larger files by `POST /numbers/{numberId}/media/uploads`.';
const ERRORS = ['VALIDATION_ERROR', 'DEPENDENCY_FAILED'] as const;
const uploads = {
  tag: 'Media',
  permission: 'messages:send',
  uses: { table: 'write', rootKeys: ['numbers', 'providers'], objects: ['media'] },
} as const;
/** Operations that stream the bytes to Meta. */
const forwards = {
  ...uploads,
  responses: { 201: MediaUploadResult },
  errors: ERRORS,
  memoryMb: 1024,
  timeoutSeconds: 28,
} as const;

export const uploadMedia = defineOperation({
  ...forwards,
  id: 'media.upload',
  route: 'POST /numbers/{numberId}/media',
  summary: 'Upload media as base64',
  description: `${LIFETIME}\n\n${LIMITS} Invalid base64 is 422 with the position. The raw form, \`POST /numbers/{numberId}/media/binary\`, is a third smaller.`,
  params,
  stream: {
    contentTypes: ['application/json'],
    description: 'The file in base64.',
    schema: UploadMedia,
    maxBytes: MAX_JSON_BYTES,
  },
});

export const uploadMediaBinary = defineOperation({
  ...forwards,
  id: 'media.upload-binary',
  route: 'POST /numbers/{numberId}/media/binary',
  summary: 'Upload media as bytes',
  description: `${LIFETIME}\n\n${LIMITS} The name is given in the query or, percent-encoded, in the header \`x-filename\`. The body is the file itself, with one of the content types listed below: a multipart form is 415, and so is a body without a content type.`,
  params,
  query: z.strictObject({
    filename: filename.optional().meta({
      description: 'The file name that recipients of a document see; or send the header `x-filename`.',
      example: 'pedido.pdf',
    }),
  }),
  stream: {
    contentTypes: ['application/octet-stream', ...MEDIA_TYPE_NAMES],
    description: 'The bytes of the file.',
    maxBytes: MAX_MEDIA_BYTES,
  },
});

export const beginMediaUpload = defineOperation({
  ...uploads,
  id: 'media.begin-upload',
  route: 'POST /numbers/{numberId}/media/uploads',
  summary: 'Start an upload that bypasses the gateway',
  description:
    'Returns a URL to upload the bytes to, up to the full size of every type. Then call `POST /numbers/{numberId}/media/uploads/{uploadId}/complete`. An upload that is not completed within an hour is deleted. 413 for a size beyond the limit of the type, 415 for a type that Meta does not accept.',
  params,
  body: BeginMediaUpload,
  responses: { 201: MediaUploadAddress },
  errors: ['VALIDATION_ERROR'],
});

export const completeMediaUpload = defineOperation({
  ...forwards,
  id: 'media.complete-upload',
  route: 'POST /numbers/{numberId}/media/uploads/{uploadId}/complete',
  summary: 'Complete an upload that bypassed the gateway',
  description:
    'Uploads the bytes to Meta. A repeat returns the same result. 409 if nothing was uploaded; 422 if the bytes do not match the declared upload, which is then deleted: start another; 404 once the upload has expired.',
  params: z.object({ numberId, uploadId: pathId('upload', 'The id of the upload.') }),
  errors: [...ERRORS, 'CONFLICT'],
});
