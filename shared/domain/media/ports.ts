import type { ProviderAnswer } from '../messages/provider.ts';
import type { Clock } from '../time.ts';
import type { MediaKind, MimeType } from './types.ts';

/** The number that media is uploaded for, as the channel platform knows it. */
export interface SendingNumber {
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

/** An uploaded file that messages can carry. `mediaId` is the platform's own id, `size` in bytes, `sha256` in hex, times in ms. */
export interface Media {
  readonly mediaId: string;
  readonly organizationId: string;
  readonly numberId: string;
  readonly kind: MediaKind;
  readonly mimeType: MimeType;
  readonly filename: string;
  readonly size: number;
  readonly sha256: string;
  readonly voice?: true;
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** A file on its way past this service: the caller puts it into a bucket by a presigned address and then says that it is there. */
export interface PendingUpload {
  readonly id: string;
  readonly organizationId: string;
  readonly numberId: string;
  readonly filename: string;
  readonly mimeType: MimeType;
  /** Bytes. */
  readonly size: number;
  readonly objectKey: string;
  readonly createdAt: number;
  /** From this moment (ms) it cannot be completed, and what was put is thrown away. */
  readonly expiresAt: number;
  /** The media that it became. */
  readonly mediaId?: string;
}

export interface MediaStore {
  keep(media: Media): Promise<void>;
  /** The organization's media of this id; undefined when there is none or it has expired at `now`. */
  find(organizationId: string, mediaId: string, now: number): Promise<Media | undefined>;
  begin(upload: PendingUpload): Promise<void>;
  readUpload(id: string): Promise<PendingUpload | undefined>;
  /** Keeps the media and marks its upload as completed. False when the upload is gone or was completed by another call. */
  complete(upload: PendingUpload, media: Media): Promise<boolean>;
  /** Takes an upload that was never completed away. False when it was. */
  abandon(id: string): Promise<boolean>;
}

/** Bytes of a file, in pieces. */
export type Bytes = AsyncIterable<Uint8Array>;
export interface AboutFile {
  readonly mimeType: MimeType;
  readonly filename: string;
  readonly size: number;
}

export interface MediaPlatform {
  /** Hands a file to the channel platform. Never throws; `providerMessageId` is the platform's id of the file. */
  upload(number: SendingNumber, file: Bytes, about: AboutFile): Promise<ProviderAnswer>;
}

/** Where a file lies while it is looked at: whole, in one place, and gone with `discard`. */
export interface Spool {
  write(chunk: Uint8Array): Promise<void>;
  /** What was written, from its beginning. */
  read(): Bytes;
  discard(): Promise<void>;
}

/** What lies in the bucket. */
export interface StoredObject {
  readonly size: number;
  readonly contentType: string | undefined;
  readonly body: Bytes;
}
export interface UploadBucket {
  /** An address that takes exactly this many bytes of exactly this type, until it ends (`seconds` from now). */
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
  /** The channel platform; what is missing, in a sentence, where it is not set up. */
  readonly platform: () => Promise<MediaPlatform | { readonly missing: string }>;
  readonly bucket: UploadBucket;
  readonly openSpool: () => Promise<Spool>;
  /** The organization's number; undefined when it has none of this id that is connected. */
  readonly numberOf: (organizationId: string, numberId: string) => Promise<SendingNumber | undefined>;
  /** Hears of an answer of the platform that was no id, for the operator's log. */
  readonly observe: (detail: string) => void;
}
