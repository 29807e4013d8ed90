import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { SendFrequency } from '../sending/frequency.ts';
import { IDEMPOTENCY_MS, requestKey } from '../sending/idempotency.ts';
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
import { type EarlierSend, earlierSend, freeKey, takeKey } from './batch-key.ts';
import type { Batch, BulkEntry, BulkPorts } from './ports.ts';
import { isKeyOfRequest, type Prepared, prepare } from './prepare.ts';

/** The parsed body, and the key of the request. */
export interface BulkRequest {
  readonly messages: readonly BulkEntry[];
  readonly mode: BulkMode;
  readonly callerKey?: string | undefined;
  /** Counts its messages for their contacts' frequency caps (docs/spec/sends.md#frequency). */
  readonly frequency?: SendFrequency | undefined;
}

/** The batch of an earlier call that has the totals of a repeat, so that its `GET` agrees with the answer; else the repeat's own. */
const repeatedBatch = async (
  { store }: BulkPorts,
  { batch: latest }: EarlierSend,
  { result: { batch: own, replays } }: Decided,
): Promise<Id<'batch'>> => {
  const isSame = (batch: Batch | undefined) =>
    batch?.state === 'accepted' && batch.total === own.total && batch.accepted === own.accepted;
  if (latest && isSame(latest)) return latest.id;
  // The latest call was refused or cut short: its key's messages are of the one before it.
  const [message] = await store.readMessages(replays.slice(0, 1).map(({ messageId }) => messageId));
  const before = message?.batchId && (await store.readBatch(message.batchId));
  return before && isSame(before) ? before.id : own.id;
};

/**
 * The response to an accepted batch. If the request repeats an earlier one under its key and nothing was left to accept, that one's
 * response. Messages that were refused then used no key, and were checked again.
 */
const answered = async (ports: BulkPorts, decided: Decided, earlier: EarlierSend | undefined): Promise<BulkSent> => {
  const { result, isNew } = decided;
  const answer = answerOf(result);
  if (!earlier || isNew || result.replays.length === 0) return { ...answer, replayed: false };
  return { ...answer, batchId: await repeatedBatch(ports, earlier, decided), replayed: true };
};

/** Whether the call needs the request's key: it may accept a message that no earlier call with the key did. */
const needsKey = ({ items, replays }: Prepared, earlier: EarlierSend | undefined): boolean =>
  items.length > 0 || (earlier === undefined && replays.length > 0);

/**
 * Accepts up to 5,000 messages (docs/spec/bulk.md#bulk-send), each of which is then sent as if it had been sent alone. The request's key is
 * taken before anything is reserved, and freed if its first call accepts nothing: a crash between leaves it to repeats of that request.
 */
export const sendBulk = async (
  ports: BulkPorts,
  actor: Tenant,
  { messages, mode, callerKey, frequency }: BulkRequest,
): Promise<BulkSent | BatchRefusal> => {
  const now = ports.clock();
  const batch = newBatch(actor, messages.length, now);
  const key = callerKey === undefined ? undefined : requestKey(callerKey, 'bulk.send', { messages, mode });
  const earlier = key && (await earlierSend(ports, actor, key));
  if (isRefusal(earlier)) return earlier;
  // The keys of its messages end with the request's.
  const ofMessages = key && { ...key, keepMs: (earlier?.createdAt ?? now) + IDEMPOTENCY_MS - now };
  const prepared = await prepare(ports, actor, { batchId: batch.id, now, requestKey: ofMessages, frequency }, messages);
  const taken = prepared.refused.find(isKeyOfRequest);
  if (taken) return taken.refusal as BatchRefusal;
  const refusal = mode === 'strict' ? await strictRefusal(ports, actor, batch, prepared) : undefined;
  if (refusal) return refusal;
  const conflict = key && needsKey(prepared, earlier) ? await takeKey(ports, batch, key, earlier) : undefined;
  if (conflict) return conflict;
  const decided = await reserveAndDecide(ports, actor, batch, prepared, mode);
  const isUnused = isRefusal(decided) || decided.result.batch.accepted === 0;
  if (key && !earlier && isUnused) await freeKey(ports, batch, key);
  return isRefusal(decided) ? decided : answered(ports, decided, earlier);
};

/** A batch with its message counts per status; 404 when the organization has none with this id. */
export const readBatch = async (
  ports: Pick<BulkPorts, 'store'>,
  { organizationId }: Tenant,
  id: Id<'batch'>,
): Promise<
  | (Omit<Batch, 'organizationId' | 'state' | 'chunks' | 'others'> & {
      counts: Awaited<ReturnType<BulkPorts['store']['countBatch']>>;
    })
  | Refusal<'NOT_FOUND'>
> => {
  const batch = await ports.store.readBatch(id);
  if (batch?.organizationId !== organizationId) return refuse('NOT_FOUND', 'There is no such batch.');
  const { total, accepted, rejected, createdAt } = batch;
  return { id: batch.id, total, accepted, rejected, createdAt, counts: await ports.store.countBatch(batch) };
};
