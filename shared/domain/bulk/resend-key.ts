import type { Tenant } from '../core/actor.ts';
import { type Id, newId } from '../core/ids.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import { REUSED_KEY } from '../sending/refusals.ts';

/** The first bulk resend under a caller's key. */
export interface FirstResend {
  readonly batchId: Id<'batch'>;
  readonly createdAt: number;
  /** The messages that its filter selected, in order; empty if the request has no filter. */
  readonly selected: readonly Id<'message'>[];
}

/** The record of a caller's key; without `first` if another operation used it. */
export interface ResendRecord {
  readonly requestHash: string;
  readonly first?: FirstResend;
}

/** Storage of the keys of bulk resends, in the namespace of all callers' keys. */
export interface ResendKeys {
  read(organizationId: Id<'organization'>, callerKey: string, now: number): Promise<ResendRecord | undefined>;
  /** Stores the record of a key that has none, by one conditional write. Returns the record that the key has then. */
  take(
    organizationId: Id<'organization'>,
    key: Pick<RequestKey, 'callerKey' | 'requestHash'>,
    first: FirstResend,
  ): Promise<ResendRecord>;
}

/** A bulk resend that may begin. */
export interface BegunResend extends FirstResend {
  /** An earlier call with the key began it, and resent some or all of it. */
  readonly isRepeat: boolean;
}

interface KeyPorts {
  readonly clock: () => number;
  readonly resendKeys: ResendKeys;
}

/** Begins a resend under its caller's key, or repeats the first one: its batch and its selection. 409 if another request used the key. */
export const beginResend = async (
  { clock, resendKeys }: KeyPorts,
  { organizationId }: Tenant,
  key: RequestKey | undefined,
  select: () => Promise<readonly Id<'message'>[]>,
): Promise<BegunResend | typeof REUSED_KEY> => {
  const createdAt = clock();
  const batchId = newId('batch');
  if (!key) return { batchId, createdAt, selected: await select(), isRepeat: false };
  const record =
    (await resendKeys.read(organizationId, key.callerKey, createdAt)) ??
    (await resendKeys.take(organizationId, key, { batchId, createdAt, selected: await select() }));
  const { first, requestHash } = record;
  if (!first || requestHash !== key.requestHash) return REUSED_KEY;
  return { ...first, isRepeat: first.batchId !== batchId };
};
