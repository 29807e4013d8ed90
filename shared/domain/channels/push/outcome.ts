import type { Id } from '../../core/ids.ts';
import type { PushDevice } from './device.ts';
import type { DispatchStatus, FailureReason } from './dispatch.ts';
import type { PushAnswer, PushRefusal } from './transport.ts';

/** The outcome of one send attempt for a device. */
export interface DeviceOutcome {
  readonly status: DispatchStatus;
  readonly reason?: FailureReason | undefined;
  readonly dead?: true;
  /** Retry-After of the push service, in ms. */
  readonly waitMs?: number;
}

/** Delays before the second and later passes over devices whose push service was busy, in ms. */
export const RETRY_DELAYS_MS = [15_000, 60_000, 300_000] as const;
const MAX_PASSES = RETRY_DELAYS_MS.length + 1;
/** Upper bound for a push service's Retry-After, in ms. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const REASONS: Readonly<Record<PushRefusal['cause'], FailureReason>> = {
  recipient: 'undeliverable',
  content: 'content_rejected',
  blacklisted: 'blacklisted',
  sender: 'credentials',
  credentials: 'credentials',
  credit: 'provider_credit',
  throttled: 'throttled',
  unavailable: 'unavailable',
};

/** The message's reason if all of its devices failed for the same reason and it is caused by the message. */
export const MESSAGE_REASONS: Readonly<Partial<Record<FailureReason, string>>> = {
  unregistered: 'invalid_recipient',
  undeliverable: 'invalid_recipient',
  opted_out: 'blacklisted',
  blacklisted: 'blacklisted',
  content_rejected: 'content_rejected',
};

/** Transient refusals: nothing was sent, and a retry may succeed. */
const isTransient = ({ cause }: PushRefusal): boolean => cause === 'throttled' || cause === 'unavailable';

/**
 * The outcome of a push service's answer in a pass (from 1). Ambiguous answers are never retried: they fail, uncharged
 * (docs/spec/sends.md#uncertain-answers).
 */
export const outcomeOf = (answer: PushAnswer, pass: number): DeviceOutcome => {
  if (answer.kind === 'accepted') return { status: 'delivered' };
  if (answer.kind === 'unknown') return { status: 'failed', reason: 'indeterminate' };
  if (isTransient(answer) && pass < MAX_PASSES)
    return { status: 'queued', waitMs: Math.min(MAX_RETRY_AFTER_MS, (answer.retryAfterSeconds ?? 0) * 1000) };
  if (answer.deadToken) return { status: 'failed', reason: 'unregistered', dead: true };
  return { status: 'failed', reason: REASONS[answer.cause] };
};

/** Why a device is skipped at send time; undefined if it may be sent to. */
export const skipReason = (
  device: PushDevice | undefined,
  denied: ReadonlySet<Id<'contact'>>,
): FailureReason | undefined => {
  if (!device || device.retiredAt !== undefined) return 'unregistered';
  if (!device.optedIn) return 'opted_out';
  return device.contactId !== undefined && denied.has(device.contactId) ? 'opted_out' : undefined;
};
