import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import { isoTime } from '../time.ts';
import { forwardFile, type Refused, receiveBytes, unknownNumber } from './forward.ts';
import { tooLarge, unsupported } from './inspector.ts';
import type { Media, MediaPorts, PendingUpload, Spool, StoredObject } from './ports.ts';
import { MEDIA_TYPES, mediaTypeOf } from './types.ts';

/** How long a presigned address takes the bytes, in ms: long enough for 105 MB at 1 Mbit/s. */
const ADDRESS_MS = 15 * 60_000;
/** How long an upload may be completed, in ms. */
const UPLOAD_MS = 60 * 60_000;

/** Begins an upload past this service: answers with the address that the caller puts the bytes to. */
export const beginUpload = async (
  ports: MediaPorts,
  { organizationId }: Actor,
  numberId: string,
  described: { readonly filename: string; readonly mimeType: string; readonly size: number },
) => {
  if (!(await ports.numberOf(organizationId, numberId))) return unknownNumber();
  const mimeType = mediaTypeOf(described.mimeType);
  if (!mimeType) return unsupported();
  const { mostBytes } = MEDIA_TYPES[mimeType];
  const { filename, size } = described;
  if (size > mostBytes) return tooLarge(mimeType, mostBytes);
  const now = ports.clock();
  const id = newId('upload');
  const upload: PendingUpload = {
    id,
    organizationId,
    numberId,
    filename,
    mimeType,
    size,
    objectKey: `uploads/${organizationId}/${id}`,
    createdAt: now,
    expiresAt: now + UPLOAD_MS,
  };
  // The row stands before its address is known to anybody: whatever is put there, something will take it away.
  await ports.store.begin(upload);
  const address = await ports.bucket.presign(upload, ADDRESS_MS / 1000);
  return { uploadId: id, method: 'PUT' as const, ...address, expiresAt: isoTime(now + ADDRESS_MS) };
};

const gone = () => refuse('NOT_FOUND', 'There is no such upload; it may have expired.');

/** Removes what an upload put, though the caller gets another answer: the bucket's own rule takes what stays behind. */
const removeQuietly = (ports: MediaPorts, { objectKey }: PendingUpload): Promise<void> =>
  ports.bucket.remove(objectKey).catch(() => ports.observe('an uploaded object could not be removed'));

const mismatch = () =>
  refuse('VALIDATION_ERROR', 'What was put is not what the upload was begun for: its size or its type is another.');

/** Reads what was put into the spool. Neither its size, nor its declared type, nor what its bytes say may be another than was agreed. */
const receiveObject = async (ports: MediaPorts, upload: PendingUpload, object: StoredObject, spool: Spool) => {
  const agreed = object.size === upload.size && mediaTypeOf(object.contentType ?? '') === upload.mimeType;
  const received = agreed ? await receiveBytes(spool, object.body, upload) : mismatch();
  const refused = isRefusal(received) || received.inspected.mimeType === upload.mimeType ? received : mismatch();
  if (isRefusal(refused)) await removeQuietly(ports, upload);
  return refused;
};

/** What another call made of the upload meanwhile. */
const keptMedia = async ({ store, clock }: MediaPorts, { id, organizationId }: PendingUpload) => {
  const mediaId = (await store.readUpload(id))?.mediaId;
  return mediaId === undefined ? undefined : store.find(organizationId, mediaId, clock());
};

/**
 * Completes an upload whose bytes lie in the bucket: hands them to the channel platform and takes them away. A repeat answers with the
 * same result; of two calls at once both may reach the platform, and one file's id is kept.
 */
export const completeUpload = async (
  ports: MediaPorts,
  { organizationId }: Actor,
  numberId: string,
  uploadId: string,
): Promise<Media | Refused | Refusal<'CONFLICT'>> => {
  const now = ports.clock();
  const upload = await ports.store.readUpload(uploadId);
  if (!upload || upload.organizationId !== organizationId || upload.numberId !== numberId) return gone();
  if (upload.mediaId) return (await ports.store.find(organizationId, upload.mediaId, now)) ?? gone();
  if (upload.expiresAt <= now) return gone();
  const object = await ports.bucket.open(upload.objectKey);
  if (!object)
    return (
      (await keptMedia(ports, upload)) ?? refuse('CONFLICT', 'No bytes were put at the address of this upload yet.')
    );
  let kept = true;
  const media = await forwardFile(
    ports,
    upload,
    (spool) => receiveObject(ports, upload, object, spool),
    async (made) => {
      kept = await ports.store.complete(upload, made);
    },
  );
  if (isRefusal(media)) return media;
  await removeQuietly(ports, upload);
  return kept ? media : ((await keptMedia(ports, upload)) ?? gone());
};

/** Takes away what an upload that nobody completed put; harmless for one that was completed, and when it is repeated. */
export const abandonUpload = async (
  ports: Pick<MediaPorts, 'store' | 'bucket' | 'clock'>,
  id: string,
): Promise<void> => {
  const upload = await ports.store.readUpload(id);
  if (!upload || upload.mediaId !== undefined || upload.expiresAt > ports.clock()) return;
  // The object first: as long as the row stands, a failure is tried again.
  await ports.bucket.remove(upload.objectKey);
  await ports.store.abandon(id);
};
