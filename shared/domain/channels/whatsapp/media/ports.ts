import type { Id } from '../../../core/ids.ts';
import type { Clock } from '../../../core/time.ts';
import type { NumberAccess, ProviderAnswer } from '../../../message/provider-port.ts';
import type { NumberStore } from '../numbers/number.ts';
import type { MediaKind, MimeType } from './types.ts';

/** An uploaded file that messages can reference. `mediaId` is Meta's id, `size` in bytes, `sha256` in hex, times in ms. */
export interface Media {
  readonly mediaId: string;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  readonly kind: MediaKind;
  readonly mimeType: MimeType;
  readonly filename: string;
  readonly size: number;
  readonly sha256: string;
  readonly voice?: true;
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** An upload that bypasses this service: the caller puts the file into a bucket by a presigned URL and then completes the upload. */
export interface PendingUpload {
  readonly id: Id<'upload'>;
  readonly organizationId: Id<'organization'>;
  readonly numberId: Id<'number'>;
  readonly filename: string;
  readonly mimeType: MimeType;
  /** Bytes. */
  readonly size: number;
  readonly objectKey: string;
  readonly createdAt: number;
  /** In ms; from then on it cannot be completed and the object is deleted. */
  readonly expiresAt: number;
  /** The resulting media, once completed. */
  readonly mediaId?: string;
}

export interface MediaStore {
  keep(media: Media): Promise<void>;
  /** The organization's media; undefined if there is none or it has expired at `now`. */
  find(organizationId: Id<'organization'>, mediaId: string, now: number): Promise<Media | undefined>;
  begin(upload: PendingUpload): Promise<void>;
  readUpload(id: Id<'upload'>): Promise<PendingUpload | undefined>;
  /** Stores the media and marks its upload as completed. Returns false if the upload is gone or was completed by another call. */
  complete(upload: PendingUpload, media: Media): Promise<boolean>;
  /** Deletes an uncompleted upload. Returns false if it was completed. */
  abandon(id: Id<'upload'>): Promise<boolean>;
}

/** A file's bytes, in chunks. */
export type ByteStream = AsyncIterable<Uint8Array>;
export type FileInfo = Pick<Media, 'mimeType' | 'filename' | 'size'>;

export interface MetaMediaApi {
  /** Uploads a file to Meta. Never throws; `providerMessageId` is Meta's media id. */
  upload(number: NumberAccess, file: ByteStream, about: FileInfo): Promise<ProviderAnswer>;
}

/** Temporary storage of one file while it is inspected. */
export interface Spool {
  write(chunk: Uint8Array): Promise<void>;
  /** Reads from the start. */
  read(): ByteStream;
  discard(): Promise<void>;
}

/** An object in the bucket. */
export interface StoredObject {
  readonly size: number;
  readonly contentType: string | undefined;
  readonly body: ByteStream;
}
export interface UploadBucket {
  /** A URL that accepts exactly this size and type for `seconds`. */
  presign(
    upload: Pick<PendingUpload, 'objectKey' | 'mimeType' | 'size'>,
    seconds: number,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  open(objectKey: string): Promise<StoredObject | undefined>;
  remove(objectKey: string): Promise<void>;
}

export interface MediaPorts {
  readonly clock: Clock;
  readonly store: MediaStore;
  /** Meta's media API; `missing` names the missing setting if it is not configured. */
  readonly mediaApi: () => Promise<MetaMediaApi | { readonly missing: string }>;
  readonly bucket: UploadBucket;
  readonly openSpool: () => Promise<Spool>;
  readonly numbers: Pick<NumberStore, 'read' | 'accessToken'>;
  /** Logs a failed upload or cleanup for the operator. */
  readonly onFailure: (detail: string) => void;
}
