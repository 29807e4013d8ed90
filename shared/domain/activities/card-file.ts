import type { Id } from '../core/ids.ts';
import { derivedId } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { CardFileType } from './file-types.ts';

/** Bytes of a file at most. */
export const MAX_CARD_FILE_BYTES = 25 * 1024 * 1024;
export const MAX_CARD_FILES = 100;

interface Described {
  readonly organizationId: Id<'organization'>;
  readonly cardId: Id<'card'>;
  readonly name: string;
  readonly mimeType: CardFileType;
  /** Bytes. */
  readonly size: number;
  /** Who uploads it: a person's account, or an API key. */
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

/** An upload of a file: to be registered until it expires, to be abandoned from then on. */
export interface CardUpload extends Described {
  readonly id: Id<'upload'>;
  /** In ms. */
  readonly expiresAt: number;
  /** The file that it became. */
  readonly fileId?: Id<'cardFile'> | undefined;
  /** That it can't be registered any more: all that was stored of it is being deleted. */
  readonly isAbandoned?: true | undefined;
}

/** The file that an upload becomes, known before it does, so that what is stored of it can be deleted if it never does. */
export const fileIdOf = ({ id }: Pick<CardUpload, 'id'>): Id<'cardFile'> => derivedId('cardFile', [id]);

/** Where the bytes of an upload are, until they are checked. */
export const uploadKeyOf = ({ organizationId, id }: Pick<CardUpload, 'id' | 'organizationId'>): string =>
  `card-uploads/${organizationId}/${id}`;

/** Where the bytes of a file are. No address that a caller was given writes there. */
export const fileKeyOf = ({ organizationId, cardId }: Described, id: Id<'cardFile'>): string =>
  `cards/${organizationId}/${cardId}/${id}`;

export interface CardFileStore {
  hasCard(organizationId: Id<'organization'>, cardId: Id<'card'>): Promise<boolean>;
  begin(upload: CardUpload): Promise<void>;
  readUpload(id: Id<'upload'>): Promise<CardUpload | undefined>;
  /** Stores the file of an upload, once. `full`: the card has as many files as it may; `gone`: the card or the upload is. */
  register(upload: CardUpload, file: CardFile): Promise<'full' | 'gone' | 'registered'>;
  /** A card's files, newest first, strongly consistent. */
  list(cardId: Id<'card'>): Promise<readonly CardFile[]>;
  read(organizationId: Id<'organization'>, cardId: Id<'card'>, id: Id<'cardFile'>): Promise<CardFile | undefined>;
  /** Deletes a file, and has its bytes deleted by the work of `removal`. False where it is gone. */
  delete(file: CardFile, removal: CardUpload): Promise<boolean>;
  /** Ends that an upload can be registered. False where it was. */
  abandon(upload: CardUpload): Promise<boolean>;
  /** Deletes the row of an upload. */
  forget(upload: CardUpload): Promise<void>;
}

export interface CardFileBucket {
  /** An address that accepts exactly this size and type for `seconds`. */
  presignUpload(
    upload: CardUpload,
    seconds: number,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  /** An address that saves the file under its name, for `seconds`. */
  presignDownload(file: CardFile, seconds: number): Promise<string>;
  /** An object that is no larger than `maxBytes`; undefined where there is none. */
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
  /** Logs a clean-up that failed and will be done again. */
  readonly onFailure: (detail: string) => void;
}
