import type { PushDevice } from './device.ts';
import type { DispatchStatus, FailureReason } from './dispatch.ts';
import type { PushAnswer, PushRefusal } from './transport.ts';

/** What an answer makes of a device. */
export interface DeviceOutcome {
  readonly status: DispatchStatus;
  readonly reason?: FailureReason | undefined;
  /** Its token reaches no device any more. */
  readonly dead?: true;
  /** Its push service asked for so much time, in ms. */
  readonly waitMs?: number;
}

/** Passes over a chunk's devices: push services that are busy are asked so often. Waits before the second and the ones after, in ms. */
export const RETRY_WAITS_MS = [15_000, 60_000, 300_000] as const;
const MOST_PASSES = RETRY_WAITS_MS.length + 1;
/** The longest that a push service's Retry-After is heeded, in ms. */
const MOST_WAIT_MS = 3_600_000;

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

/** Refusals that are certain and of the moment: nothing was sent, and the same may be accepted later. */
const isBusy = ({ cause }: PushRefusal): boolean => cause === 'throttled' || cause === 'unavailable';

/** What a push service's answer in a pass (from 1) makes of a device. An ambiguous one is never sent again: it failed, unpaid. */
export const outcomeOf = (answer: PushAnswer, pass: number): DeviceOutcome => {
  if (answer.kind === 'accepted') return { status: 'delivered' };
  if (answer.kind === 'unknown') return { status: 'failed', reason: 'indeterminate' };
  if (isBusy(answer) && pass < MOST_PASSES)
    return { status: 'queued', waitMs: Math.min(MOST_WAIT_MS, (answer.retryAfterSeconds ?? 0) * 1000) };
  if (answer.deadToken) return { status: 'failed', reason: 'unregistered', dead: true };
  return { status: 'failed', reason: REASONS[answer.cause] };
};

/** Why a device is left out at the moment of its send; undefined when it may be sent to. */
export const leftOut = (device: PushDevice | undefined, denied: ReadonlySet<string>): FailureReason | undefined => {
  if (!device || device.retiredAt !== undefined) return 'unregistered';
  if (!device.optedIn) return 'opted_out';
  return device.contactId !== undefined && denied.has(device.contactId) ? 'opted_out' : undefined;
};
