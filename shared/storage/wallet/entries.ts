import * as z from 'zod';
import { type Id, newId } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { ENTRY_KINDS, type EntryKind } from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';

/** A movement of a wallet. `held` is the change of its held coins. */
interface Movement {
  readonly kind: EntryKind;
  readonly coins: number;
  readonly held: number;
  readonly messageId?: Id<'message'>;
  readonly batchId?: Id<'batch'>;
  readonly description?: string;
}
/** A movement as the ledger has it. */
export interface Entry extends Movement {
  readonly id: Id<'entry'>;
  /** In the interface's format. */
  readonly createdAt: string;
}

let ticks = 0;
/** A sort key in order of time, and within one millisecond of one process in order of the calls. */
const entryOrder = ({ createdAt, id }: Entry): string => {
  ticks = (ticks + 1) % 1_679_616;
  return `${createdAt}#${ticks.toString(36).padStart(4, '0')}#${id}`;
};

const movement = {
  id: id('entry'),
  kind: z.enum(ENTRY_KINDS),
  coins: z.int(),
  held: z.int(),
  messageId: id('message').exactOptional(),
  batchId: id('batch').exactOptional(),
  description: z.string().exactOptional(),
};
const entryRows = defineRow<Entry>()({
  attributes: { ...movement, createdAt: z.iso.datetime() },
  key: (entry, organizationId: Id<'organization'>, lane: number) => KEYS.entry(organizationId, lane, entryOrder(entry)),
});

/** Entries of one transaction to one partition, in their order: a row for all of them costs little more than a row for one. */
interface EntryGroup {
  readonly entries: readonly Omit<Entry, 'createdAt'>[];
  readonly createdAt: string;
}
/** The maximum unpacked size of a group, in bytes: a transaction has at most 100 entries. */
const MAX_GROUP_BYTES = 64 * 1024;
const groupRows = defineRow<EntryGroup>()({
  attributes: {
    entries: packedJson(MAX_GROUP_BYTES, (json): EntryGroup['entries'] => z.array(z.object(movement)).parse(json)),
    createdAt: z.iso.datetime(),
  },
  key: (_, { pk, sk }: Key) => ({ pk, sk }),
});

/** The ledger entries of a row, oldest first. */
export const entriesIn = (row: Row): readonly Entry[] => {
  if (row.entries === undefined) return [entryRows.read(row)];
  const { entries, createdAt } = groupRows.read(row);
  return entries.map((entry) => ({ ...entry, createdAt }));
};

/** The ledger entry of a movement of a wallet, or of one of its lanes. The balance after it is computed on reading. */
export const entryWrite = ({
  organizationId,
  lane = 0,
  at,
  ...movement
}: Movement & {
  readonly organizationId: Id<'organization'>;
  readonly lane?: number | undefined;
  readonly at: number;
}): WriteOp => ({
  put: entryRows.write({ ...movement, id: newId('entry'), createdAt: isoTime(at) }, organizationId, lane),
});

/** Whether a row of a wallet or a lane has entries, and no balance. */
export const isEntry = ({ sk }: Key): boolean => sk.startsWith('E#');
const WALLET = KEYS.wallet('' as Id<'organization'>).pk;
/** Whether a write stores a ledger entry. */
export const isEntryWrite = (write: WriteOp): write is Extract<WriteOp, { readonly put: Row }> =>
  'put' in write && write.put.pk.startsWith(WALLET) && isEntry(write.put);

/** The row of the entries of several, in place of the newest: all of them were made at its time. */
const groupRow = (rows: readonly Row[]): Row => {
  const newest = rows.reduce((one, other) => (one.sk > other.sk ? one : other));
  const { createdAt } = entryRows.read(newest);
  const entries = rows.map((row) => {
    const { createdAt: _, ...entry } = entryRows.read(row);
    return entry;
  });
  return groupRows.write({ entries, createdAt }, newest);
};

/** The writes of a transaction, with one row for its entries of a wallet or a lane. */
export const groupedEntries = (writes: readonly WriteOp[]): WriteOp[] => {
  const byPartition = Map.groupBy(writes.filter(isEntryWrite), ({ put }) => put.pk);
  const groups = [...byPartition.values()].map((same): WriteOp => {
    const [only] = same;
    return only && same.length === 1 ? only : { put: groupRow(same.map(({ put }) => put)) };
  });
  return [...writes.filter((write) => !isEntryWrite(write)), ...groups];
};
