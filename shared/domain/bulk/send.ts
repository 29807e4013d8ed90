import type { Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import type { SendFrequency } from '../sending/frequency.ts';
import { requestKey } from '../sending/idempotency.ts';
import { REUSED_KEY } from '../sending/refusals.ts';
import {
  answerOf,
  type BatchRefusal,
  type BulkMode,
  type BulkSent,
  type Decided,
  newBatch,
  reserveAndDecide,
  strictRefusal,
} from './accept.ts';
import { type BatchKeys, batchOf, type KeyedBatch } from './batch-key.ts';
import type { Batch, BulkEntry, BulkPorts } from './ports.ts';
import { isKeyOfRequest, type Prepared, prepare } from './prepare.ts';

/** A request's key, and the batch that it has. */
interface TakenKey {
  readonly callerKey: string;
  readonly batch: KeyedBatch;
}

/**
 * The response to an accepted batch. If the request repeats an earlier one under its key and nothing was left to accept, that of the key's
 * batch. Messages that were refused then used no key, and were checked again: a batch that accepts some of them lists the others, too, and
 * has the key from then on.
 */
const answered = async (
  ports: SendBulkPorts,
  { organizationId }: Tenant,
  { result, isNew }: Decided,
  key: TakenKey | undefined,
): Promise<BulkSent> => {
  const answer = answerOf(result);
  const { batchId } = answer;
  if (!key || key.batch.batchId === batchId) return { ...answer, replayed: false };
  if (!isNew && result.replays.length > 0) return { ...answer, batchId: key.batch.batchId, replayed: true };
  await ports.batchKeys.pass(organizationId, key.callerKey, { from: key.batch.batchId, to: batchId });
  return { ...answer, replayed: false };
};

/** Ports of a caller's bulk send. */
export interface SendBulkPorts extends BulkPorts {
  readonly batchKeys: BatchKeys;
}

/** The parsed body, and the key of the request. */
export interface BulkRequest {
  readonly messages: readonly BulkEntry[];
  readonly mode: BulkMode;
  readonly callerKey?: string | undefined;
  /** Counts its messages for their contacts' frequency caps (docs/spec/sends.md#frequency). */
  readonly frequency?: SendFrequency | undefined;
}

/** Reserves and decides a batch that has its request's key. The key of a refused batch is free again. */
const acceptUnderKey = async (
  ports: SendBulkPorts,
  actor: Tenant,
  batch: Batch,
  prepared: Prepared,
  { mode, key }: Pick<BulkRequest, 'mode'> & { readonly key: TakenKey | undefined },
): Promise<BulkSent | BatchRefusal> => {
  const decided = await reserveAndDecide(ports, actor, batch, prepared, mode);
  if (!isRefusal(decided)) return answered(ports, actor, decided, key);
  // Best effort: under a key that stays taken, the same request can be repeated.
  if (key) await ports.batchKeys.free(actor.organizationId, key.callerKey, batch.id).catch(() => undefined);
  return decided;
};

/** Accepts up to 5,000 messages (docs/spec/bulk.md#bulk-send), each of which is then sent as if it had been sent alone. */
export const sendBulk = async (
  ports: SendBulkPorts,
  actor: Tenant,
  { messages, mode, callerKey, frequency }: BulkRequest,
): Promise<BulkSent | BatchRefusal> => {
  const now = ports.clock();
  const batch = newBatch(actor, messages.length, now);
  const key = callerKey === undefined ? undefined : requestKey(callerKey, 'bulk.send', { messages, mode });
  const record = key && (await ports.batchKeys.read(actor.organizationId, key.callerKey, now));
  if (record && !batchOf(record, key)) return REUSED_KEY;
  const prepared = await prepare(ports, actor, { batchId: batch.id, now, requestKey: key, frequency }, messages);
  const taken = prepared.refused.find(isKeyOfRequest);
  if (taken) return taken.refusal as BatchRefusal;
  const refusal = mode === 'strict' ? await strictRefusal(ports, actor, batch, prepared) : undefined;
  if (refusal) return refusal;
  if (!key) return acceptUnderKey(ports, actor, batch, prepared, { mode, key });
  // Only now: a refused request uses no key.
  const first = { batchId: batch.id, createdAt: now, selected: [] };
  const keyed = batchOf(record ?? (await ports.batchKeys.take(actor.organizationId, key, first)), key);
  if (!keyed) return REUSED_KEY;
  return acceptUnderKey(ports, actor, batch, prepared, { mode, key: { callerKey: key.callerKey, batch: keyed } });
};
