import type { Id } from '../core/ids.ts';
import { derivedId } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { CardFileType } from './file-types.ts';

/** Maximum size of a file, in bytes. */
export const MAX_CARD_FILE_BYTES = 25 * 1024 * 1024;
export const MAX_CARD_FILES = 100;

interface Described {
  readonly organizationId: Id<'organization'>;
  readonly cardId: Id<'card'>;
  readonly name: string;
  readonly mimeType: CardFileType;
  /** Bytes. */
  readonly size: number;
  /** The uploader: a person's account, or an API key. */
  readonly createdById: Id<'account'> | Id<'apiKey'>;
  /** In ms. */
  readonly createdAt: number;
}

/** A file of a card. */
export interface CardFile extends Described {
  readonly id: Id<'cardFile'>;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
}

/** An upload of a file: it can be registered until it expires, and is abandoned after that. */
export interface CardUpload extends Described {
  readonly id: Id<'upload'>;
  /** In ms. */
  readonly expiresAt: number;
  /** The registered file. */
  readonly fileId?: Id<'cardFile'> | undefined;
  /** True once it can't be registered any more: all its stored data is being deleted. */
  readonly isAbandoned?: true | undefined;
}

/** The id of the file that an upload becomes, derived from the upload so that stored data can be deleted if it is never registered. */
export const fileIdOf = ({ id }: Pick<CardUpload, 'id'>): Id<'cardFile'> => derivedId('cardFile', [id]);

/** The object key of an upload's bytes until they are checked. */
export const uploadKeyOf = ({ organizationId, id }: Pick<CardUpload, 'id' | 'organizationId'>): string =>
  `card-uploads/${organizationId}/${id}`;

/** The object key of a file's bytes. No presigned address writes there. */
export const fileKeyOf = ({ organizationId, cardId }: Described, id: Id<'cardFile'>): string =>
  `cards/${organizationId}/${cardId}/${id}`;

export interface CardFileStore {
  hasCard(organizationId: Id<'organization'>, cardId: Id<'card'>): Promise<boolean>;
  begin(upload: CardUpload): Promise<void>;
  readUpload(id: Id<'upload'>): Promise<CardUpload | undefined>;
  /** Stores the file of an upload, once. `full`: the card's file limit is reached; `gone`: the card or the upload is. */
  register(upload: CardUpload, file: CardFile): Promise<'full' | 'gone' | 'registered'>;
  /** A card's files, newest first, strongly consistent. */
  list(cardId: Id<'card'>): Promise<readonly CardFile[]>;
  read(organizationId: Id<'organization'>, cardId: Id<'card'>, id: Id<'cardFile'>): Promise<CardFile | undefined>;
  /** Deletes a file, and schedules the deletion of its bytes by the work of `removal`. False if it is gone. */
  delete(file: CardFile, removal: CardUpload): Promise<boolean>;
  /** Prevents an upload from being registered. False if it already was. */
  abandon(upload: CardUpload): Promise<boolean>;
  /** Deletes the row of an upload. */
  forget(upload: CardUpload): Promise<void>;
}

export interface CardFileBucket {
  /** A presigned address that accepts exactly this size and type for `seconds`. */
  presignUpload(
    upload: CardUpload,
    seconds: number,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  /** A presigned address that downloads the file under its name, for `seconds`. */
  presignDownload(file: CardFile, seconds: number): Promise<string>;
  /** An object of at most `maxBytes`; undefined if there is none. */
  read(
    key: string,
    maxBytes: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly type: string } | 'too_large' | undefined>;
  put(key: string, bytes: Uint8Array, type: CardFileType): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface CardFilePorts {
  readonly clock: Clock;
  readonly store: CardFileStore;
  readonly bucket: CardFileBucket;
  /** Logs a failed clean-up, which will be retried. */
  readonly onFailure: (detail: string) => void;
}
