import type { Tenant } from '../core/actor.ts';
import { type Id, newId } from '../core/ids.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import { REUSED_KEY } from '../sending/refusals.ts';

/** The batch of a caller's key. */
export interface KeyedBatch {
  readonly batchId: Id<'batch'>;
  readonly createdAt: number;
  /** The messages that the filter of a bulk resend selected, in order; empty for other requests. */
  readonly selected: readonly Id<'message'>[];
}

/** The record of a caller's key; without `first` if another operation used it. */
export interface BatchKeyRecord {
  readonly requestHash: string;
  readonly first?: KeyedBatch;
}

/** Storage of the keys of bulk sends and resends, in the namespace of all callers' keys. */
export interface BatchKeys {
  read(organizationId: Id<'organization'>, callerKey: string, now: number): Promise<BatchKeyRecord | undefined>;
  /** Stores the record of a key that has none, by one conditional write. Returns the record that the key has then. */
  take(
    organizationId: Id<'organization'>,
    key: Pick<RequestKey, 'callerKey' | 'requestHash'>,
    first: KeyedBatch,
  ): Promise<BatchKeyRecord>;
  /** Frees a key that still has this batch, which was refused. */
  free(organizationId: Id<'organization'>, callerKey: string, batchId: Id<'batch'>): Promise<void>;
  /** Gives a key that still has the batch `from` a later batch of the same request. */
  pass(
    organizationId: Id<'organization'>,
    callerKey: string,
    batches: { readonly from: Id<'batch'>; readonly to: Id<'batch'> },
  ): Promise<void>;
}

/** The batch of a request's key; undefined if another request used the key. */
export const batchOf = (
  { first, requestHash }: BatchKeyRecord,
  key: Pick<RequestKey, 'requestHash'>,
): KeyedBatch | undefined => (requestHash === key.requestHash ? first : undefined);

/** A bulk resend that may begin. */
export interface BegunBatch extends KeyedBatch {
  /** An earlier call with the key began it, and resent some or all of it. */
  readonly isRepeat: boolean;
}

interface KeyPorts {
  readonly clock: () => number;
  readonly batchKeys: BatchKeys;
}

/** Begins a resend under its caller's key, or repeats the first one: its batch and its selection. 409 if another request used the key. */
export const beginBatch = async (
  { clock, batchKeys }: KeyPorts,
  { organizationId }: Tenant,
  key: RequestKey | undefined,
  select: () => Promise<readonly Id<'message'>[]>,
): Promise<BegunBatch | typeof REUSED_KEY> => {
  const createdAt = clock();
  const batchId = newId('batch');
  if (!key) return { batchId, createdAt, selected: await select(), isRepeat: false };
  const record =
    (await batchKeys.read(organizationId, key.callerKey, createdAt)) ??
    (await batchKeys.take(organizationId, key, { batchId, createdAt, selected: await select() }));
  const first = batchOf(record, key);
  return first ? { ...first, isRepeat: first.batchId !== batchId } : REUSED_KEY;
};
