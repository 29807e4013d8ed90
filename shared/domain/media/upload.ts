import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { type Described, forwardFile, type Receive, type Received, type Refused, receiveBytes } from './forward.ts';
import { Inspector } from './inspector.ts';
import type { Bytes, MediaPorts, Spool } from './ports.ts';
import { mediaTypeOf } from './types.ts';
import { type ReadFault, UploadReader } from './upload-reader.ts';

/** Judges the JSON around the data, with an empty text in the data's place. */
export type ParseDescribed = (json: string) => Described | Refusal<'BAD_REQUEST' | 'VALIDATION_ERROR'>;

/** Refuses a body that is beyond what the path takes, and names the operation that takes it. */
export const bodyTooLarge = (): Refusal<'PAYLOAD_TOO_LARGE'> =>
  refuse(
    'PAYLOAD_TOO_LARGE',
    'The body is over the limit of this path; send large media through `POST /numbers/{numberId}/media/uploads`.',
  );

const refusalOfFault = (fault: ReadFault): Refusal<'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'VALIDATION_ERROR'> => {
  if (fault.kind === 'too_long') return bodyTooLarge();
  if (fault.kind === 'not_json') return refuse('BAD_REQUEST', 'The body is not JSON.');
  if (fault.kind === 'twice')
    return refuse('VALIDATION_ERROR', {
      detail: 'The body breaks the contract.',
      errors: [{ path: 'dataBase64', message: 'stands there twice' }],
    });
  return refuse('VALIDATION_ERROR', {
    detail: `dataBase64 is not base64: it breaks off at character ${fault.at}, counted from 0.`,
    meta: { position: fault.at },
    errors: [{ path: 'dataBase64', message: `is not base64 at character ${fault.at}` }],
  });
};

/** Reads the JSON form into the spool. Nothing of a refused one is used, whatever was read of it. */
const receiveJson = async (spool: Spool, body: Bytes, parse: ParseDescribed): Promise<Received | Refused> => {
  const reader = new UploadReader();
  const inspector = new Inspector();
  for await (const piece of body) {
    const bytes = reader.take(piece);
    if ('kind' in bytes) return refusalOfFault(bytes);
    if (bytes.length === 0) continue;
    const refused = inspector.take(bytes);
    if (refused) return refused;
    await spool.write(bytes);
  }
  const ended = reader.end();
  if ('kind' in ended) return refusalOfFault(ended);
  const described = parse(ended.rest);
  if (isRefusal(described)) return described;
  const inspected = inspector.end({ mimeType: mediaTypeOf(described.mimeType) });
  return isRefusal(inspected) ? inspected : { filename: described.filename, inspected };
};

const uploadWhole = (ports: MediaPorts, { organizationId }: Actor, numberId: string, receive: Receive) =>
  forwardFile(ports, { organizationId, numberId }, receive, (media) => ports.store.keep(media));

/**
 * Takes a file as JSON with base64, and hands it to the channel platform. The body is read once, in pieces, into the spool; the platform
 * meets a byte of it only after all of it was judged.
 */
export const uploadJson = (ports: MediaPorts, actor: Actor, numberId: string, body: Bytes, parse: ParseDescribed) =>
  uploadWhole(ports, actor, numberId, (spool) => receiveJson(spool, body, parse));

/** Takes a file as its raw bytes; the rest as `uploadJson`. */
export const uploadBytes = (
  ports: MediaPorts,
  actor: Actor,
  numberId: string,
  body: Bytes,
  describe: () => Described | Refusal<'UNSUPPORTED_MEDIA_TYPE' | 'VALIDATION_ERROR'>,
) =>
  uploadWhole(ports, actor, numberId, async (spool) => {
    const described = describe();
    return isRefusal(described) ? described : receiveBytes(spool, body, described);
  });
