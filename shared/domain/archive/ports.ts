import type { Id } from '../core/ids.ts';

/** The kinds of rows that leave the table for the archive. */
export const ARCHIVE_KINDS = ['message', 'inbound', 'reply', 'engagement'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];
/** Opens and clicks have their message's id. */
export type ArchiveId = Id<'message'> | Id<'reply'>;

/** A row that left the table. `image` is its packed text; `createdAt` (ms) files it. */
export interface LeavingRow {
  readonly kind: ArchiveKind;
  readonly id: ArchiveId;
  readonly organizationId: Id<'organization'>;
  readonly createdAt: number;
  /** Whose data it is: tokens of contacts and recipients. Erasing one of them makes the row unreadable. */
  readonly subjects: readonly string[];
  readonly image: string;
}

/** A row as it stands in an object: nothing but `row`, which is sealed, says more than an id, an organization and a day. */
export interface ArchiveLine extends Pick<LeavingRow, 'kind' | 'id' | 'organizationId' | 'createdAt'> {
  readonly subjects: readonly { readonly token: string; readonly keyId: string }[];
  readonly row: string;
}

/** Objects of lines; a key names the day whose rows it holds. */
export interface ArchiveObjects {
  /** Writes an object whole, over one of the same key. */
  write(key: string, lines: readonly ArchiveLine[]): Promise<void>;
  /** The lines of an object; undefined when there is none. Throws a ZodError for one that is no archive. */
  read(key: string): Promise<readonly ArchiveLine[] | undefined>;
  /** The keys that begin so, in order. */
  list(prefix: string): AsyncIterable<string>;
}

/** What is known of a subject: its key, and until when its rows are erased (ms). */
export interface SubjectKey {
  readonly key?: { readonly id: string; readonly secret: Uint8Array };
  readonly erasedAt?: number;
}
export interface SubjectKeys {
  /** The subjects by their tokens; one without a key is given one, if a row of it is newer than its erasure: `wanted` has the newest row's time (ms). */
  obtain(wanted: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, SubjectKey>>;
  /** The subjects that exist, by their tokens. Consistent. */
  find(tokens: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>>;
  /** Forgets a subject's key, and that it may have none for rows up to `at` (ms). Repeats change nothing else. */
  erase(token: string, at: number): Promise<void>;
}

/** The object that holds a row. */
export interface Pointer extends Pick<LeavingRow, 'kind' | 'id'> {
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
  /** Lets rows that stand beside these in the table leave, too. Idempotent. */
  readonly followWith: (rows: readonly LeavingRow[]) => Promise<void>;
}

/** Where objects are kept. */
export interface ArchiveBucket {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** An object's bytes; undefined when there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The keys that begin so, in order. */
  list(prefix: string): AsyncIterable<string>;
  /** Nothing for an object that is not there. */
  remove(key: string): Promise<void>;
}
