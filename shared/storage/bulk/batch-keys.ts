import * as z from 'zod';
import type { BatchKeyRecord, BatchKeys, KeyedCall } from '../../domain/bulk/ports.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import { ID_PREFIXES, type Id } from '../../domain/core/ids.ts';
import { IDEMPOTENCY_MS } from '../../domain/sending/idempotency.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { idempotencyRows } from '../messages/idempotency.ts';

const PREFIX = `${ID_PREFIXES.message}_`;
/** The characters of an id after its prefix. */
const RANDOM_CHARACTERS = 21;

/** Ids of messages as one text without prefixes and separators: 5,000 take 105 KB, where a row may have 400 KB. */
const packedIds = z.codec(z.string(), z.custom<readonly Id<'message'>[]>(), {
  decode: (text) =>
    Array.from({ length: text.length / RANDOM_CHARACTERS }, (_, at) => {
      const random = text.slice(at * RANDOM_CHARACTERS, (at + 1) * RANDOM_CHARACTERS);
      return `${PREFIX}${random}` as Id<'message'>;
    }),
  encode: (ids) => ids.map((messageId) => messageId.slice(PREFIX.length)).join(''),
});

interface StoredCall extends KeyedCall {
  readonly requestHash: string;
  readonly expiresAt: number;
}
/** Idempotency records of bulk sends and resends: rows of the same keys as those of messages, so that no key is used by both. */
const callRows = defineRow<StoredCall>()({
  attributes: {
    batchId: id('batch'),
    requestHash: z.string(),
    createdAt: time,
    expiresAt: z.int(),
    selected: packedIds,
  },
  key: (_, organizationId: Id<'organization'>, callerKey: string) => KEYS.idempotency(organizationId, callerKey),
});
const readCall = callRows.pick('batchId', 'createdAt', 'selected');
const readUse = idempotencyRows.pick('requestHash', 'expiresAt');
const recordRow = z.object({ batchId: z.string().optional() });

const recordOf = (row: Row, now: number): BatchKeyRecord | undefined => {
  const { batchId } = recordRow.parse(row);
  const { requestHash, expiresAt } = readUse(row);
  if (expiresAt <= now) return undefined;
  return { requestHash, ...(batchId === undefined ? {} : { call: readCall(row) }) };
};

/** Condition: the record is of this batch. */
const isOf = (batchId: Id<'batch'>): Condition => ({ text: '#batchId = :batchId', values: { batchId } });

/** The keys of bulk sends and resends, kept as long as those of messages. */
export const batchKeys = (table: Table): BatchKeys => ({
  async read(organizationId, callerKey, now) {
    const row = await table.get(KEYS.idempotency(organizationId, callerKey));
    return row && recordOf(row, now);
  },

  async take(organizationId, { callerKey, requestHash }, call, after) {
    const { createdAt: now } = call;
    const expiresAt = now + IDEMPOTENCY_MS;
    const row = callRows.write({ ...call, requestHash, expiresAt }, organizationId, callerKey);
    const isFree = { text: 'attribute_not_exists(#pk) OR #expiresAt <= :now', values: { now } };
    const written = await table.write({
      put: { ...row, ttl: Math.ceil(expiresAt / 1000) },
      when: after === undefined ? isFree : isOf(after),
    });
    if (written.ok) return { requestHash, call };
    const taken = written.row && recordOf(written.row, now);
    if (!taken) throw new Unavailable('The idempotency key changes too fast to be taken.');
    return taken;
  },

  async free(organizationId, callerKey, batchId) {
    await table.write({ delete: KEYS.idempotency(organizationId, callerKey), when: isOf(batchId) });
  },
});
