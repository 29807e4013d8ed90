import { asId, type Id } from '../../../core/ids.ts';
import type { Deferral } from '../../../message/deferral.ts';
import type { MessageRecord } from '../../../message/message.ts';
import type { RateLimit } from './number.ts';

/** When a message may be sent. `slot`: at this moment (ms), reserved for it. `later`: all slots within the horizon are taken. */
export type RateDecision =
  | { readonly kind: 'now' }
  | { readonly kind: 'slot'; readonly at: number }
  | { readonly kind: 'later' };

export interface RatePorts {
  /** The rate of the organization's number; undefined if it has no such number. */
  readonly limitOf: (organizationId: Id<'organization'>, numberId: Id<'number'>) => Promise<RateLimit | undefined>;
  /** Takes a token from a number's per-second and per-day buckets, or reserves their next slot. */
  readonly draw: (numberId: Id<'number'>, limit: RateLimit, now: number) => Promise<RateDecision>;
}

const SLOT_DETAIL = "the number's rate: its turn is given";
const NO_SLOT_DETAIL = "the number's rate: no turn is near";
/**
 * How long after its slot a message may still use it, in ms, allowing for queue delays. Without a limit, late messages would all be sent at
 * once.
 */
const SLOT_VALID_MS = 60_000;
/** Initial backoff without a slot, in ms, doubled at each attempt; and its maximum. */
const FIRST_WAIT_MS = 120_000;
const MAX_WAIT_MS = 3_600_000;

/** Whether the message holds a reserved slot that is still valid. */
const hasSlot = ({ decisions, deadline }: MessageRecord, now: number): boolean =>
  decisions.findLast(({ kind }) => kind === 'deferred')?.detail === SLOT_DETAIL && now - deadline <= SLOT_VALID_MS;

/** Jitter between half and all of a delay, deterministic per message, so that messages deferred together do not return together. */
const jitter = (id: Id<'message'>, ms: number): number => {
  const sum = [...id].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000, 7);
  return Math.round(ms * (0.5 + sum / 2_000));
};

/**
 * Applies a number's rate limit to a message about to be sent: undefined if it may go, else a deferral. Over the limit, a message reserves
 * the next slot and is sent then without another check; without a near slot it comes back later, so that a changed rate soon takes effect
 * (docs/spec/whatsapp-numbers.md#rate).
 */
export const numberRateDeferral = async (
  ports: RatePorts,
  message: MessageRecord,
  now: number,
): Promise<Deferral | undefined> => {
  const { channel, organizationId, decisions, id } = message;
  const numberId = asId('number', message.numberId);
  if (channel !== 'whatsapp' || numberId === undefined || hasSlot(message, now)) return undefined;
  const limit = await ports.limitOf(organizationId, numberId);
  if (!limit) return undefined;
  const decision = await ports.draw(numberId, limit, now);
  if (decision.kind === 'now') return undefined;
  if (decision.kind === 'slot') return { until: decision.at, detail: SLOT_DETAIL };
  const deferrals = decisions.filter(({ detail }) => detail === NO_SLOT_DETAIL).length;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(deferrals, 10), MAX_WAIT_MS);
  return { until: now + jitter(id, wait), detail: NO_SLOT_DETAIL };
};
