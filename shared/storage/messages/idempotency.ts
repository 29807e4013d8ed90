import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { IDEMPOTENCY_MS } from '../../domain/sending/idempotency.ts';
import type { IdempotencyRecord, Reservation } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { coalescedTransact } from '../client/coalescer.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/** The message of a caller's key, until `expiresAt` (ms). */
export interface StoredRecord extends IdempotencyRecord {
  readonly expiresAt: number;
  /** The attempt that is still creating the message. Until it expires no other may; afterwards a repeat of the same request continues it. */
  readonly building?: number;
  /** The balance in coins that the send's response showed. */
  readonly answeredBalance?: number;
}
export const idempotencyRows = defineRow<StoredRecord>()({
  attributes: {
    messageId: id('message').exactOptional(),
    // Credits of earlier versions left rows without these: used by no request, and for good.
    requestHash: z.string().default(''),
    expiresAt: z.int().default(Number.MAX_SAFE_INTEGER),
    building: z.int().exactOptional(),
    answeredBalance: z.int().exactOptional(),
  },
  key: (_, organizationId: Id<'organization'>, callerKey: string) => KEYS.idempotency(organizationId, callerKey),
});

/** The write of an idempotency record. Fails if the key has another record that has not expired. */
export const idempotencyWrite = ({
  message,
  requestHash,
  keepMs = IDEMPOTENCY_MS,
}: Pick<Reservation, 'message' | 'requestHash' | 'keepMs'>): WriteOp => {
  const { id: messageId, organizationId, callerKey, createdAt } = message;
  const expiresAt = createdAt + keepMs;
  const row = idempotencyRows.write({ messageId, requestHash, expiresAt }, organizationId, callerKey);
  return {
    put: { ...row, ttl: Math.ceil(expiresAt / 1000) },
    when: { text: 'attribute_not_exists(#pk) OR #expiresAt <= :now', values: { now: createdAt } },
  };
};

/** Stores the balance that a send's response shows, and returns the one of its first response. One write, shared by concurrent sends. */
export const keepAnsweredBalance = async (
  table: Table,
  { id, organizationId, callerKey }: Pick<MessageRecord, 'id' | 'organizationId' | 'callerKey'>,
  balance: number,
): Promise<number> => {
  const outcome = await coalescedTransact(table, [
    {
      update: KEYS.idempotency(organizationId, callerKey),
      set: { answeredBalance: balance },
      when: { text: '#messageId = :id AND attribute_not_exists(#answeredBalance)', values: { id } },
    },
  ]);
  const row = outcome.ok ? undefined : outcome.reasons[0]?.row;
  const kept = row && idempotencyRows.read(row);
  return (kept?.messageId === id ? kept.answeredBalance : undefined) ?? balance;
};
/** The write that frees the key of a message that was certainly not sent. */
export const freedKey = ({ id, organizationId, callerKey }: Reservation['message']): WriteOp => ({
  delete: KEYS.idempotency(organizationId, callerKey),
  when: { text: 'attribute_not_exists(#pk) OR #messageId = :id', values: { id } },
});

const unexpired = (row: Row | undefined, now: number): IdempotencyRecord | undefined => {
  const record = row && idempotencyRows.read(row);
  return record && record.expiresAt > now ? record : undefined;
};

/** The record of a caller's key, unless it has expired. One read. */
export const readIdempotencyRecord = async (
  table: Table,
  organizationId: Id<'organization'>,
  callerKey: string,
  now: number,
): Promise<IdempotencyRecord | undefined> =>
  unexpired(await table.get(KEYS.idempotency(organizationId, callerKey)), now);

/** The records of callers' keys, in their order; undefined for a missing or expired one. 100 keys per round trip. */
export const readIdempotencyRecords = async (
  table: Table,
  organizationId: Id<'organization'>,
  callerKeys: readonly string[],
  now: number,
): Promise<readonly (IdempotencyRecord | undefined)[]> => {
  const keys = callerKeys.map((key) => KEYS.idempotency(organizationId, key));
  return (await table.getMany(keys, { consistent: true })).map((row) => unexpired(row, now));
};
