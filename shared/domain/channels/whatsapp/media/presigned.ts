import type { Actor } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { isoTime } from '../../../core/time.ts';
import { forwardFile, type Refused, receiveBytes, sendingNumber, unknownNumber } from './forward.ts';
import { tooLarge, unsupported } from './inspector.ts';
import type { Media, MediaPorts, PendingUpload, Spool, StoredObject } from './ports.ts';
import { MEDIA_TYPES, mediaTypeOf } from './types.ts';

/** Lifetime of a presigned URL, in ms: enough for 105 MB at 1 Mbit/s. */
const ADDRESS_MS = 15 * 60_000;
/** Time to complete an upload, in ms. */
const UPLOAD_MS = 60 * 60_000;

/** Starts a direct upload: returns the URL to PUT the file to (docs/spec/media.md#presigned-uploads). */
export const beginUpload = async (
  ports: MediaPorts,
  { organizationId }: Actor,
  numberId: Id<'number'>,
  described: { readonly filename: string; readonly mimeType: string; readonly size: number },
) => {
  if (!(await sendingNumber(ports, organizationId, numberId))) return unknownNumber();
  const mimeType = mediaTypeOf(described.mimeType);
  if (!mimeType) return unsupported();
  const { maxBytes } = MEDIA_TYPES[mimeType];
  const { filename, size } = described;
  if (size > maxBytes) return tooLarge(mimeType, maxBytes);
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
  // Stored before the URL is returned, so that whatever is uploaded gets cleaned up.
  await ports.store.begin(upload);
  const address = await ports.bucket.presign(upload, ADDRESS_MS / 1000);
  return { uploadId: id, method: 'PUT' as const, ...address, expiresAt: isoTime(now + ADDRESS_MS) };
};

const uploadNotFound = () => refuse('NOT_FOUND', 'There is no such upload; it may have expired.');

/** Deletes the uploaded object without changing the response on failure: the bucket's lifecycle rule deletes leftovers. */
const removeQuietly = (ports: MediaPorts, { objectKey }: PendingUpload): Promise<void> =>
  ports.bucket.remove(objectKey).catch(() => ports.onFailure('an uploaded object could not be removed'));

const mismatch = () =>
  refuse('VALIDATION_ERROR', 'The uploaded file does not match the upload: its size or its type differs.');

/** Reads the uploaded object into the spool. Size, declared type and detected type must match the request. */
const receiveObject = async (ports: MediaPorts, upload: PendingUpload, object: StoredObject, spool: Spool) => {
  const agreed = object.size === upload.size && mediaTypeOf(object.contentType ?? '') === upload.mimeType;
  const received = agreed ? await receiveBytes(spool, object.body, upload) : mismatch();
  const result = isRefusal(received) || received.inspected.mimeType === upload.mimeType ? received : mismatch();
  if (isRefusal(result)) await removeQuietly(ports, upload);
  return result;
};

/** The media of a concurrent completion. */
const completedMedia = async ({ store, clock }: MediaPorts, { id, organizationId }: PendingUpload) => {
  const mediaId = (await store.readUpload(id))?.mediaId;
  return mediaId === undefined ? undefined : store.find(organizationId, mediaId, clock());
};

/**
 * Completes a direct upload: uploads the object to Meta and deletes it. A repeat returns the same result; concurrent calls may both upload
 * to Meta, and one media id is kept.
 */
export const completeUpload = async (
  ports: MediaPorts,
  { organizationId }: Actor,
  numberId: Id<'number'>,
  uploadId: Id<'upload'>,
): Promise<Media | Refused | Refusal<'CONFLICT'>> => {
  const now = ports.clock();
  const upload = await ports.store.readUpload(uploadId);
  if (!upload || upload.organizationId !== organizationId || upload.numberId !== numberId) return uploadNotFound();
  if (upload.mediaId) return (await ports.store.find(organizationId, upload.mediaId, now)) ?? uploadNotFound();
  if (upload.expiresAt <= now) return uploadNotFound();
  const object = await ports.bucket.open(upload.objectKey);
  if (!object)
    return (
      (await completedMedia(ports, upload)) ??
      refuse('CONFLICT', 'Nothing was uploaded to the address of this upload yet.')
    );
  let isFirst = true;
  const media = await forwardFile(
    ports,
    upload,
    (spool) => receiveObject(ports, upload, object, spool),
    async (media) => {
      isFirst = await ports.store.complete(upload, media);
    },
  );
  if (isRefusal(media)) return media;
  await removeQuietly(ports, upload);
  return isFirst ? media : ((await completedMedia(ports, upload)) ?? uploadNotFound());
};

/** Deletes the object of an expired, uncompleted upload. Idempotent; a no-op for a completed one. */
export const abandonUpload = async (
  ports: Pick<MediaPorts, 'store' | 'bucket' | 'clock'>,
  id: Id<'upload'>,
): Promise<void> => {
  const upload = await ports.store.readUpload(id);
  if (!upload || upload.mediaId !== undefined || upload.expiresAt > ports.clock()) return;
  // Object before row: while the row exists, a failed deletion is retried.
  await ports.bucket.remove(upload.objectKey);
  await ports.store.abandon(id);
};
