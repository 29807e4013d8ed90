import * as z from 'zod';
import { filename as plainFilename } from '../domain/channels/whatsapp/media/described.ts';
import {
  MAX_JSON_BYTES,
  MAX_MEDIA_BYTES,
  MEDIA_KINDS,
  MEDIA_TYPE_NAMES,
} from '../domain/channels/whatsapp/media/types.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { dateTime, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

const filename = plainFilename.meta({
  description: 'The name that recipients of a document see.',
  example: 'pedido.pdf',
});
const declaredType = z.string().min(1).max(255).meta({
  description:
    'The media type that the file is said to be. The type that counts is found from its bytes; this one decides only between types of one form, such as MP4 with or without pictures.',
  example: 'application/pdf',
});

/** docs/spec/media.md#upload-result. */
export const MediaUploadResult = z
  .object({
    mediaId: z.string().meta({
      description: 'The id to send as `payload.media.id`. Good for about 30 days.',
      example: '1037543291543636',
    }),
    kind: z.enum(MEDIA_KINDS).meta({ description: 'What it is sent as: `payload.media.kind`.', example: 'document' }),
    mimeType: z.string().meta({ description: 'The type found from the bytes.', example: 'application/pdf' }),
    filename,
    size: z.int().min(1).meta({ description: 'Bytes.', example: 482_113 }),
    sha256: z.string().meta({
      description: 'SHA-256 of the bytes, in hex.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    voice: z.boolean().optional().meta({
      description:
        'Present and true for Ogg/Opus with one channel, which can be sent as a voice note: pass it back as `payload.media.voice`.',
      example: true,
    }),
  })
  .meta({ id: 'MediaUploadResult', description: 'A file that messages can carry.' });

/** The documented JSON body. The handler streams `data` and validates the rest with an empty string in its place. */
export const UploadMedia = z
  .strictObject({
    filename,
    mimeType: declaredType,
    dataBase64: z.string().meta({
      description:
        'The file in base64 (RFC 4648, section 4): at most 140,000,000 characters, about 105 MB of file. Spaces and line breaks are ignored and not counted.',
      example: 'JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PD4+CmVuZG9iagp0cmFpbGVyCjw8Pj4KJSVFT0YK',
    }),
  })
  .meta({ id: 'UploadMedia', description: 'A file in base64.' });

export const BeginMediaUpload = z
  .strictObject({
    filename,
    mimeType: declaredType,
    size: z
      .int()
      .min(1)
      .meta({
        description: `Exactly how many bytes will be put; at most the limit of the type, ${MAX_MEDIA_BYTES / 1_000_000} MB (of 1,000,000 bytes) for documents.`,
        example: 482_113,
      }),
  })
  .meta({ id: 'BeginMediaUpload', description: 'A file that is about to be put.' });

export const MediaUploadAddress = z
  .object({
    uploadId: idSchema('upload', 'The id to complete the upload with, once the bytes are put.'),
    method: z.literal('PUT').meta({ description: 'How to put the bytes.', example: 'PUT' }),
    url: z.url().meta({
      description: 'Where to put the bytes, as the body. It takes this many bytes of this type and nothing else.',
      example: 'https://messaging-uploads.s3.sa-east-1.amazonaws.com/uploads/org/upl?X-Amz-Signature=5d67',
    }),
    headers: z.record(z.string(), z.string()).meta({
      description: 'Headers to send with the bytes, exactly.',
      example: { 'content-type': 'application/pdf', 'content-length': '482113' },
    }),
    expiresAt: dateTime(
      'Until when the address takes the bytes, unless the upload is completed before. It may be completed for an hour.',
    ),
  })
  .meta({ id: 'MediaUploadAddress', description: 'Where to put the bytes of a file.' });

const numberId = pathId('number', 'The id of the number that the file will be sent from.');
const params = z.object({ numberId });
const LIFETIME =
  'The file goes to the channel platform, which keeps it for about 30 days. At most 5 MB of an image (JPEG, PNG), 16 MB of sound (AAC, AMR, MP3, MP4, Ogg/Opus) or of video (MP4, 3GP), 105,000,000 bytes of a document (PDF, Office, plain text), 100 KB of a WebP sticker and 500 KB of one that moves: 413 beyond that, 415 for every other type. The type is found from the bytes.';
const LIMITS =
  'Bodies up to 6 MB are taken everywhere, the full size where a container serves the path; elsewhere larger files go through `POST /numbers/{numberId}/media/uploads`.';
const ERRORS = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
  'DEPENDENCY_FAILED',
] as const;
const UPLOAD_USES = { table: 'write', vault: true, uploads: true } as const;

export const uploadMedia = defineOperation({
  id: 'media.upload',
  method: 'POST',
  path: '/numbers/{numberId}/media',
  tag: 'Media',
  summary: 'Upload media as base64',
  description: `${LIFETIME}\n\n${LIMITS} Text that is not base64 is 422 and says where. The raw form, \`POST /numbers/{numberId}/media/binary\`, is a third smaller.`,
  permission: 'messages:send',
  request: {
    params,
    stream: {
      contentTypes: ['application/json'],
      description: 'The file in base64.',
      schema: UploadMedia,
      maxBytes: MAX_JSON_BYTES,
    },
  },
  responses: { 201: MediaUploadResult },
  errors: ERRORS,
  uses: UPLOAD_USES,
  memoryMb: 1024,
  timeoutSeconds: 28,
});

export const uploadMediaBinary = defineOperation({
  id: 'media.upload-binary',
  method: 'POST',
  path: '/numbers/{numberId}/media/binary',
  tag: 'Media',
  summary: 'Upload media as bytes',
  description: `${LIFETIME}\n\n${LIMITS} The name comes in the query or, percent-encoded, in the header \`x-filename\`. The body is the file alone, of a content type that stands below: a form around it is 415, and so is a body without one.`,
  permission: 'messages:send',
  request: {
    params,
    query: z.strictObject({
      filename: filename.optional().meta({
        description: 'The name that recipients of a document see; or send the header `x-filename`.',
        example: 'pedido.pdf',
      }),
    }),
    stream: {
      contentTypes: ['application/octet-stream', ...MEDIA_TYPE_NAMES],
      description: 'The bytes of the file.',
      maxBytes: MAX_MEDIA_BYTES,
    },
  },
  responses: { 201: MediaUploadResult },
  errors: ERRORS,
  uses: UPLOAD_USES,
  memoryMb: 1024,
  timeoutSeconds: 28,
});

export const beginMediaUpload = defineOperation({
  id: 'media.begin-upload',
  method: 'POST',
  path: '/numbers/{numberId}/media/uploads',
  tag: 'Media',
  summary: 'Begin an upload past the gateway',
  description:
    'Answers with an address to put the bytes to, up to the full size of every type. Then `POST /numbers/{numberId}/media/uploads/{uploadId}/complete`. What is not completed within an hour is thrown away. 413 for a size beyond the limit of the type, 415 for a type that the platform does not take.',
  permission: 'messages:send',
  request: { params, body: BeginMediaUpload },
  responses: { 201: MediaUploadAddress },
  errors: [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'VALIDATION_ERROR',
  ],
  uses: UPLOAD_USES,
});

export const completeMediaUpload = defineOperation({
  id: 'media.complete-upload',
  method: 'POST',
  path: '/numbers/{numberId}/media/uploads/{uploadId}/complete',
  tag: 'Media',
  summary: 'Complete an upload past the gateway',
  description:
    'Hands what was put to the channel platform. A repeat answers with the same result. 409 while nothing was put, 422 where it is not what the upload was begun for, which is thrown away: begin another; 404 once the upload has expired.',
  permission: 'messages:send',
  request: { params: z.object({ numberId, uploadId: pathId('upload', 'The id of the upload.') }) },
  responses: { 201: MediaUploadResult },
  errors: [...ERRORS, 'CONFLICT'],
  uses: UPLOAD_USES,
  memoryMb: 1024,
  timeoutSeconds: 28,
});
