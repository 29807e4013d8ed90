import type { Actor } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../../../core/errors.ts';
import type { Id } from '../../../core/ids.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import { describeRawUpload, type FileDescription, type RawDescription } from './described.ts';
import { forwardFile, type ReceivedFile, type ReceiveFile, type Refused, receiveBytes } from './forward.ts';

import { Inspector } from './inspector.ts';
import type { ByteStream, MediaPorts, Spool } from './ports.ts';
import { mediaTypeOf } from './types.ts';
import { type UploadError, UploadReader } from './upload-reader.ts';

/** Validates the JSON around the data, which is replaced by an empty string. */
export type ParseDescription = (json: string) => FileDescription | Refusal<'BAD_REQUEST' | 'VALIDATION_ERROR'>;

/** 413 for a body over this path's limit; points to the operation for large files. */
const bodyTooLarge = (): Refusal<'PAYLOAD_TOO_LARGE'> =>
  refuse(
    'PAYLOAD_TOO_LARGE',
    'The body is over the limit of this path; send large media through `POST /numbers/{numberId}/media/uploads`.',
  );

const refusalOf = (error: UploadError): Refusal<'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'VALIDATION_ERROR'> => {
  if (error.kind === 'too_long') return bodyTooLarge();
  if (error.kind === 'not_json') return refuse('BAD_REQUEST', 'The body is not JSON.');
  if (error.kind === 'duplicate_field')
    return refuseField('The body violates the contract.', 'dataBase64', 'is given twice');
  return refuse('VALIDATION_ERROR', {
    detail: `dataBase64 is not base64: it breaks off at character ${error.at}, counted from 0.`,
    meta: { position: error.at },
    errors: [{ path: 'dataBase64', message: `is not base64 at character ${error.at}` }],
  });
};

/** Reads a JSON upload into the spool. If it is refused, nothing that was read is used. */
const receiveJson = async (
  spool: Spool,
  body: ByteStream,
  parse: ParseDescription,
): Promise<ReceivedFile | Refused> => {
  const reader = new UploadReader();
  const inspector = new Inspector();
  for await (const chunk of body) {
    const bytes = reader.take(chunk);
    if ('kind' in bytes) return refusalOf(bytes);
    if (bytes.length === 0) continue;
    const refused = inspector.take(bytes);
    if (refused) return refused;
    await spool.write(bytes);
  }
  const ended = reader.end();
  if ('kind' in ended) return refusalOf(ended);
  const described = parse(ended.rest);
  if (isRefusal(described)) return described;
  const inspected = inspector.end({ mimeType: mediaTypeOf(described.mimeType) });
  return isRefusal(inspected) ? inspected : { filename: described.filename, inspected };
};

const uploadWhole = (ports: MediaPorts, { organizationId }: Actor, numberId: Id<'number'>, receive: ReceiveFile) =>
  forwardFile(ports, { organizationId, numberId }, receive, (media) => ports.store.keep(media));

/**
 * Uploads a file given as JSON with base64. The body is streamed once into the spool and reaches Meta only after all of it was validated
 * (docs/spec/media.md#ways-to-upload).
 */
export const uploadJson = (
  ports: MediaPorts,
  actor: Actor,
  numberId: Id<'number'>,
  body: ByteStream,
  parse: ParseDescription,
) => uploadWhole(ports, actor, numberId, (spool) => receiveJson(spool, body, parse));

/** Uploads a file given as raw bytes; otherwise like `uploadJson`. */
export const uploadBytes = (
  ports: MediaPorts,
  actor: Actor,
  numberId: Id<'number'>,
  body: ByteStream,
  raw: RawDescription,
) =>
  uploadWhole(ports, actor, numberId, async (spool) => {
    const described = describeRawUpload(raw);
    return isRefusal(described) ? described : receiveBytes(spool, body, described);
  });
