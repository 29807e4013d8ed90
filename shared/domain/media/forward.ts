import { isRefusal, type ProblemName, type Refusal, refuse } from '../errors.ts';
import type { RefusalCause } from '../messages/provider.ts';
import { type Inspected, Inspector } from './inspector.ts';
import type { AboutFile, Bytes, Media, MediaPlatform, MediaPorts, SendingNumber, Spool } from './ports.ts';
import { MEDIA_LIFETIME_MS, mediaTypeOf } from './types.ts';

type UploadProblem =
  | 'BAD_REQUEST'
  | 'DEPENDENCY_FAILED'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR';
/** How an upload may be refused. */
export type Refused = Refusal<UploadProblem>;

/** A name and a declared type: what an upload says of its file. */
export interface Described {
  readonly filename: string;
  readonly mimeType: string;
}
/** A file that lies in the spool, and was looked at. */
export interface Received {
  readonly filename: string;
  readonly inspected: Inspected;
}
/** Reads a file into the spool. */
export type Receive = (spool: Spool) => Promise<Received | Refused>;

const NO_ACCESS = "The channel platform refused the number's access; connect the number again.";
/** What a refusal means to whoever uploads, where it is not about the file. */
const WORDS: Readonly<Partial<Record<RefusalCause, string>>> = {
  credentials: NO_ACCESS,
  sender: NO_ACCESS,
  throttled: 'The channel platform takes no more uploads right now; try again later.',
  unavailable: 'The channel platform cannot be reached; try again later.',
};

/** Hands a file to the channel platform; answers with the platform's id of it. */
const forward = async (
  platform: MediaPlatform,
  observe: MediaPorts['observe'],
  number: SendingNumber,
  file: Bytes,
  about: AboutFile,
): Promise<string | Refusal<'DEPENDENCY_FAILED'>> => {
  const answer = await platform.upload(number, file, about);
  if (answer.kind === 'accepted') return answer.providerMessageId;
  observe(answer.detail);
  if (answer.kind === 'unknown')
    return refuse('DEPENDENCY_FAILED', 'The channel platform did not confirm the upload; upload the file again.');
  const { retryAfterSeconds } = answer;
  return refuse('DEPENDENCY_FAILED', {
    detail: WORDS[answer.cause] ?? 'The channel platform refused the file.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
};

/** The record of a file that the platform took. */
const mediaOf = (
  mediaId: string,
  whose: Pick<Media, 'organizationId' | 'numberId' | 'filename'>,
  { mimeType, kind, size, sha256, voice }: Inspected,
  now: number,
): Media => ({
  mediaId,
  organizationId: whose.organizationId,
  numberId: whose.numberId,
  filename: whose.filename,
  mimeType,
  kind,
  size,
  sha256,
  ...(voice ? { voice } : {}),
  storedAt: now,
  expiresAt: now + MEDIA_LIFETIME_MS,
});

/** A media upload's result on the wire (interface 2.18). */
export const mediaView = ({ mediaId, kind, mimeType, filename, size, sha256, voice }: Media) => ({
  mediaId,
  kind,
  mimeType,
  filename,
  size,
  sha256,
  ...(voice ? { voice } : {}),
});

/** Refuses a number that the organization does not have. */
export const unknownNumber = () => refuse('NOT_FOUND', 'There is no such number.');

/** Reads raw bytes into the spool; stops as soon as they are certain to be refused. */
export const receiveBytes = async (
  spool: Spool,
  body: Bytes,
  { filename, mimeType }: Described,
): Promise<Received | Refused> => {
  const inspector = new Inspector({ mimeType: mediaTypeOf(mimeType) });
  for await (const piece of body) {
    const refused = inspector.take(piece);
    if (refused) return refused;
    await spool.write(piece);
  }
  const inspected = inspector.end();
  return isRefusal(inspected) ? inspected : { filename, inspected };
};

/**
 * Receives a file and hands it to the channel platform, which meets a byte of it only after all of it was judged. `keep` stores what
 * became of it. The spool is gone afterwards, however this ends.
 */
export const forwardFile = async (
  ports: MediaPorts,
  whose: Pick<Media, 'organizationId' | 'numberId'>,
  receive: Receive,
  keep: (media: Media) => Promise<unknown>,
): Promise<Media | Refused> => {
  const number = await ports.numberOf(whose.organizationId, whose.numberId);
  if (!number) return unknownNumber();
  const platform = await ports.platform();
  if ('missing' in platform) return refuse('DEPENDENCY_FAILED', platform.missing);
  const spool = await ports.openSpool();
  try {
    const received = await receive(spool);
    if (isRefusal<Received, ProblemName>(received)) return received as Refused;
    const { filename, inspected } = received;
    const { mimeType, size } = inspected;
    const mediaId = await forward(platform, ports.observe, number, spool.read(), { mimeType, size, filename });
    if (isRefusal(mediaId)) return mediaId;
    const media = mediaOf(mediaId, { ...whose, filename }, inspected, ports.clock());
    await keep(media);
    return media;
  } finally {
    await spool.discard();
  }
};
