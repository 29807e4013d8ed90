import { isRefusal, type ProblemName, type Refusal, refuse } from '../../../core/errors.ts';
import type { Id } from '../../../core/ids.ts';
import type { NumberAccess, RefusalCause } from '../../../message/provider-port.ts';
import type { FileDescription } from './described.ts';
import { type Inspected, Inspector } from './inspector.ts';
import type { ByteStream, FileInfo, Media, MediaPorts, MetaMediaApi, Spool } from './ports.ts';
import { MEDIA_LIFETIME_MS, mediaTypeOf } from './types.ts';

type UploadProblem =
  | 'BAD_REQUEST'
  | 'DEPENDENCY_FAILED'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR';
export type Refused = Refusal<UploadProblem>;

/** A file in the spool, already inspected. */
export interface ReceivedFile {
  readonly filename: string;
  readonly inspected: Inspected;
}
export type ReceiveFile = (spool: Spool) => Promise<ReceivedFile | Refused>;

const NO_ACCESS = "Meta refused the number's access; connect the number again.";
/** Details of refusals that are not about the file. */
const REFUSAL_DETAILS: Readonly<Partial<Record<RefusalCause, string>>> = {
  credentials: NO_ACCESS,
  sender: NO_ACCESS,
  throttled: 'Meta accepts no more uploads right now; try again later.',
  unavailable: 'Meta cannot be reached; try again later.',
};

/** Uploads a file to Meta; returns Meta's media id. */
const uploadToMeta = async (
  mediaApi: MetaMediaApi,
  onFailure: MediaPorts['onFailure'],
  number: NumberAccess,
  file: ByteStream,
  about: FileInfo,
): Promise<string | Refusal<'DEPENDENCY_FAILED'>> => {
  const answer = await mediaApi.upload(number, file, about);
  if (answer.kind === 'accepted') return answer.providerMessageId;
  onFailure(answer.detail);
  if (answer.kind === 'unknown')
    return refuse('DEPENDENCY_FAILED', 'Meta did not confirm the upload; upload the file again.');
  const { retryAfterSeconds } = answer;
  return refuse('DEPENDENCY_FAILED', {
    detail: REFUSAL_DETAILS[answer.cause] ?? 'Meta refused the file.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
};

const toMedia = (
  mediaId: string,
  owner: Pick<Media, 'organizationId' | 'numberId' | 'filename'>,
  inspected: Inspected,
  now: number,
): Media => ({
  mediaId,
  organizationId: owner.organizationId,
  numberId: owner.numberId,
  filename: owner.filename,
  ...inspected,
  storedAt: now,
  expiresAt: now + MEDIA_LIFETIME_MS,
});

/** An upload's result as the API returns it (docs/spec/media.md#upload-result). */
export const mediaView = ({ mediaId, kind, mimeType, filename, size, sha256, voice }: Media) => ({
  mediaId,
  kind,
  mimeType,
  filename,
  size,
  sha256,
  ...(voice ? { voice } : {}),
});

/** 404 for a number that the organization does not have. */
export const unknownNumber = () => refuse('NOT_FOUND', 'There is no such number.');

/** A number that can be uploaded for: one that is still connected, with its access token. */
export const sendingNumber = async (
  { numbers }: Pick<MediaPorts, 'numbers'>,
  organizationId: Id<'organization'>,
  numberId: Id<'number'>,
): Promise<NumberAccess | undefined> => {
  const number = await numbers.read(organizationId, numberId);
  if (!number || number.status === 'disconnected') return undefined;
  const accessToken = await numbers.accessToken(number);
  return accessToken === undefined ? undefined : { phoneNumberId: number.phoneNumberId, accessToken };
};

/** Reads raw bytes into the spool; stops as soon as they are certain to be refused. */
export const receiveBytes = async (
  spool: Spool,
  body: ByteStream,
  { filename, mimeType }: FileDescription,
): Promise<ReceivedFile | Refused> => {
  const inspector = new Inspector({ mimeType: mediaTypeOf(mimeType) });
  for await (const chunk of body) {
    const refused = inspector.take(chunk);
    if (refused) return refused;
    await spool.write(chunk);
  }
  const inspected = inspector.end();
  return isRefusal(inspected) ? inspected : { filename, inspected };
};

/** Receives a file and uploads it to Meta once all of it was inspected. `keep` stores the result. The spool is always discarded. */
export const forwardFile = async (
  ports: MediaPorts,
  owner: Pick<Media, 'organizationId' | 'numberId'>,
  receive: ReceiveFile,
  keep: (media: Media) => Promise<unknown>,
): Promise<Media | Refused> => {
  const number = await sendingNumber(ports, owner.organizationId, owner.numberId);
  if (!number) return unknownNumber();
  const mediaApi = await ports.mediaApi();
  if ('missing' in mediaApi) return refuse('DEPENDENCY_FAILED', mediaApi.missing);
  const spool = await ports.openSpool();
  try {
    const received = await receive(spool);
    if (isRefusal<ReceivedFile, ProblemName>(received)) return received as Refused;
    const { filename, inspected } = received;
    const { mimeType, size } = inspected;
    const mediaId = await uploadToMeta(mediaApi, ports.onFailure, number, spool.read(), { mimeType, size, filename });
    if (isRefusal(mediaId)) return mediaId;
    const media = toMedia(mediaId, { ...owner, filename }, inspected, ports.clock());
    await keep(media);
    return media;
  } finally {
    await spool.discard();
  }
};
