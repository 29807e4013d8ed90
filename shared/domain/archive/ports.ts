import type { Id } from '../core/ids.ts';

/** The kinds of rows that move from the table to the archive. */
export const ARCHIVE_KINDS = ['message', 'inbound', 'reply', 'engagement'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];
/** Opens and clicks have their message's id. */
export type ArchiveId = Id<'message'> | Id<'reply'>;

/** A row that left the table. `image` is its packed text; `createdAt` (ms) determines its day. */
export interface ArchivableRow {
  readonly kind: ArchiveKind;
  readonly id: ArchiveId;
  readonly organizationId: Id<'organization'>;
  readonly createdAt: number;
  /** The data subjects: tokens of contacts and recipients. Erasing any of them makes the row unreadable. */
  readonly subjects: readonly string[];
  readonly image: string;
}

/** A row in an object: only `row`, which is sealed, contains more than an id, an organization and a day. */
export interface ArchiveLine extends Pick<ArchivableRow, 'kind' | 'id' | 'organizationId' | 'createdAt'> {
  readonly subjects: readonly { readonly token: string; readonly keyId: string }[];
  readonly row: string;
}

/** Objects of lines; a key contains the day of its rows. */
export interface ArchiveObjects {
  /** Writes an object, replacing one with the same key. */
  write(key: string, lines: readonly ArchiveLine[]): Promise<void>;
  /** The lines of an object; undefined if there is none. Throws a ZodError if it is not an archive object. */
  read(key: string): Promise<readonly ArchiveLine[] | undefined>;
  /** The keys with this prefix, in order. */
  list(prefix: string): AsyncIterable<string>;
}

/** A subject's key, and the time up to which its rows are erased (ms). */
export interface SubjectKey {
  readonly key?: { readonly id: string; readonly secret: Uint8Array };
  readonly erasedAt?: number;
}
export interface SubjectKeys {
  /**
   * The subjects by their tokens. One without a key gets one if it has a row newer than its erasure: `wanted` holds the newest row's time
   * (ms).
   */
  obtain(wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, SubjectKey>>;
  /** The subjects that exist, by their tokens. Consistent. */
  find(tokens: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>>;
  /** Deletes a subject's key, and prevents one for rows up to `at` (ms). Repeats change nothing else. */
  erase(token: string, at: number): Promise<void>;
}

/** The object that holds a row. */
export interface Pointer extends Pick<ArchivableRow, 'kind' | 'id'> {
  readonly object: string;
}

export interface ArchivePorts {
  readonly objects: ArchiveObjects;
  readonly keys: SubjectKeys;
  readonly pointers: {
    /** Repeats write the same rows. */
    put(pointers: readonly Pointer[]): Promise<void>;
    find(id: ArchiveId): Promise<readonly Pointer[]>;
  };
  /** Lets related rows in the table expire, too. Idempotent. */
  readonly followWith: (rows: readonly ArchivableRow[]) => Promise<void>;
}

/** The bucket of the objects. */
export interface ArchiveBucket {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** An object's bytes; undefined if there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The keys with this prefix, in order. */
  list(prefix: string): AsyncIterable<string>;
  /** Does nothing if the object does not exist. */
  remove(key: string): Promise<void>;
}
