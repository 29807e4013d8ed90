import type { Tenant } from '../core/actor.ts';
import { isRefusal, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import { REUSED_KEY } from '../sending/refusals.ts';
import {
  type Batch,
  type BatchKeyRecord,
  type BatchKeys,
  type BatchStore,
  DECISION_TIMEOUT_MS,
  type KeyedCall,
} from './ports.ts';
import { REQUEST_RUNNING } from './prepare.ts';

/** A bulk resend that may begin. */
export interface BegunResend extends KeyedCall {
  /** An earlier call with the key began it, and resent some or all of it. */
  readonly isRepeat: boolean;
}

interface KeyPorts {
  readonly clock: () => number;
  readonly batchKeys: BatchKeys;
}

/** The call of a key's record; 409 if another request used the key. */
const callOf = ({ call, requestHash }: BatchKeyRecord, key: RequestKey): KeyedCall | typeof REUSED_KEY =>
  call && requestHash === key.requestHash ? call : REUSED_KEY;

/** Begins a resend under its caller's key, or repeats the first one: its batch and its selection. 409 if another request used the key. */
export const beginResend = async (
  { clock, batchKeys }: KeyPorts,
  { organizationId }: Tenant,
  key: RequestKey | undefined,
  select: () => Promise<readonly Id<'message'>[]>,
): Promise<BegunResend | typeof REUSED_KEY> => {
  const createdAt = clock();
  const batchId = newId('batch');
  if (!key) return { batchId, createdAt, selected: await select(), isRepeat: false };
  const record =
    (await batchKeys.read(organizationId, key.callerKey, createdAt)) ??
    (await batchKeys.take(organizationId, key, { batchId, createdAt, selected: await select() }));
  const call = callOf(record, key);
  return isRefusal(call) ? call : { ...call, isRepeat: call.batchId !== batchId };
};

/** An earlier call of a bulk send, and its batch; without it, the call ended before it stored one. */
export interface EarlierSend extends KeyedCall {
  readonly batch?: Batch | undefined;
}

type SendPorts = KeyPorts & { readonly store: Pick<BatchStore, 'readBatch'> };

/** The earlier call of a bulk send's key, if any; 409 if another request used the key, or while that call runs. */
export const earlierSend = async (
  { clock, batchKeys, store }: SendPorts,
  { organizationId }: Tenant,
  key: RequestKey,
): Promise<EarlierSend | typeof REUSED_KEY | typeof REQUEST_RUNNING | undefined> => {
  const now = clock();
  const record = await batchKeys.read(organizationId, key.callerKey, now);
  const call = record && callOf(record, key);
  if (!call || isRefusal(call)) return call;
  const batch = await store.readBatch(call.batchId);
  const isRunning = batch?.state === 'pending' && now <= batch.createdAt + DECISION_TIMEOUT_MS;
  return isRunning ? REQUEST_RUNNING : { ...call, batch };
};

/**
 * Takes the key for the batch of a bulk send, before any of it is reserved; of concurrent calls one succeeds, the others are 409. A repeat
 * replaces the batch of the earlier call, so that a refusal of that one no longer frees the key.
 */
export const takeKey = async (
  { batchKeys }: KeyPorts,
  { id: batchId, organizationId, createdAt }: Batch,
  key: RequestKey,
  earlier: EarlierSend | undefined,
): Promise<typeof REUSED_KEY | typeof REQUEST_RUNNING | undefined> => {
  const own = { batchId, createdAt: earlier?.createdAt ?? createdAt, selected: [] };
  const call = callOf(await batchKeys.take(organizationId, key, own, earlier?.batchId), key);
  if (isRefusal(call)) return call;
  return call.batchId === batchId ? undefined : REQUEST_RUNNING;
};

/** Frees the key of a batch that accepted nothing. If the store does not answer, the same request can still be repeated under it. */
export const freeKey = async ({ batchKeys }: KeyPorts, batch: Batch, { callerKey }: RequestKey): Promise<void> => {
  try {
    await batchKeys.free(batch.organizationId, callerKey, batch.id);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
};
