import { BATCH_UNDECIDED, type Refused } from '../bulk/prepare.ts';
import { type Refusal, toV1Error } from '../core/errors.ts';
import type { PauseReason } from './campaign.ts';

/** The consequence of a refusal for a campaign: the recipient is skipped, is retried at a time (ms), or the campaign pauses. */
export type Judgement =
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'defer'; readonly until: number }
  | { readonly kind: 'pause'; readonly reason: PauseReason };

/** The delay before a recipient is retried whose key belongs to an undecided batch, in ms. */
export const UNDECIDED_MS = 15_000;

/** Fields whose errors are not the recipient's: a template that is gone, a number that was disconnected. */
const PAUSE_OF_FIELD: ReadonlyMap<string, PauseReason> = new Map([
  ['template', 'template_unavailable'],
  ['templateId', 'template_unavailable'],
  ['payload.email.templateId', 'template_unavailable'],
  ['numberId', 'sender_unavailable'],
  ['instagramAccountId', 'sender_unavailable'],
]);
const pauseOfFields = ({ details: { errors = [] } }: Refusal): PauseReason | undefined =>
  errors.map(({ path }) => PAUSE_OF_FIELD.get(path)).find((reason) => reason !== undefined);

/** The pause reason of a refusal that is not the recipient's own; undefined for one that is. */
const pauseOf = (refusal: Refusal): PauseReason | undefined => {
  const { meta } = refusal.details;
  switch (refusal.name) {
    case 'PAYMENT_REQUIRED':
      return 'insufficient_funds';
    case 'DEPENDENCY_FAILED':
      return 'provider_unavailable';
    case 'PRECONDITION_FAILED':
      // A refusal for the recipient has a reason; without one the organization lacks a working sender.
      if (meta?.maxCoins !== undefined) return undefined;
      if (meta?.motivo === 'route_not_priced') return 'provider_unavailable';
      return meta?.motivo === undefined || meta.motivo === 'no_verified_sender' ? 'sender_unavailable' : undefined;
    case 'CONFLICT':
      return meta?.code === 'template_not_approved' ? 'template_unavailable' : undefined;
    case 'VALIDATION_ERROR':
      return pauseOfFields(refusal);
    default:
      return undefined;
  }
};

const freeAtOf = ({ details: { meta } }: Refusal): number | undefined =>
  meta?.motivo === 'frequency_cap' ? Date.parse(String(meta.freeAt)) : undefined;

/** Whether the same send may be accepted a moment later. */
const isBusy = ({ name, details: { meta } }: Refusal): boolean =>
  name === 'RATE_LIMITED' || name === 'SERVICE_UNAVAILABLE' || meta?.code === 'EM_ANDAMENTO';

/** The recipient has no address on the channel, or no device to send to. */
export const NO_ADDRESS = 'no_address';
/** The recipient's person already has a message of the campaign. */
export const SENT_BEFORE = 'sent_before';

/** The reason to record for a recipient that is skipped because of this refusal. */
export const reasonOf = (refusal: Refusal): string => {
  const { reason, code } = toV1Error(refusal);
  return reason ?? (code === 'invalid_recipient' ? NO_ADDRESS : code);
};

/** Classifies the refusal of one recipient at `now` (ms); a recipient that could only be retried after `triedUntil` is skipped. */
export const judgeRefusal = (refusal: Refusal, now: number, triedUntil: number): Judgement => {
  const reason = reasonOf(refusal);
  const deferred = (until: number): Judgement =>
    until > triedUntil ? { kind: 'skip', reason } : { kind: 'defer', until };
  if (refusal === BATCH_UNDECIDED) return { kind: 'defer', until: now + UNDECIDED_MS };
  const freeAt = freeAtOf(refusal);
  if (freeAt !== undefined) return deferred(freeAt);
  if (isBusy(refusal)) return deferred(now + (refusal.details.retryAfterSeconds ?? 1) * 1000);
  if (refusal.details.meta?.code === 'JA_ENVIADA') return { kind: 'skip', reason: SENT_BEFORE };
  const pause = pauseOf(refusal);
  return pause ? { kind: 'pause', reason: pause } : { kind: 'skip', reason };
};

/** The combined result for a portion's refused recipients. */
export interface Judged {
  readonly skipped: readonly (readonly [index: number, reason: string])[];
  /** When the first deferred recipient is retried (ms). */
  readonly retryAt?: number | undefined;
  readonly pause?: PauseReason | undefined;
}

/** Classifies all refusals of a portion. `shortOfMaxCoins`: the campaign's `maxCoins` is used up, whatever the wallet has. */
export const judge = (
  refused: readonly Refused[],
  { now, triedUntil, shortOfMaxCoins }: { now: number; triedUntil: number; shortOfMaxCoins: boolean },
): Judged => {
  const judgements = refused.map(({ index, refusal }) => ({
    index,
    judgement: judgeRefusal(refusal, now, triedUntil),
  }));
  const skipped = judgements.flatMap(({ index, judgement }) =>
    judgement.kind === 'skip' ? [[index, judgement.reason] as const] : [],
  );
  const deferred = judgements.flatMap(({ judgement }) => (judgement.kind === 'defer' ? [judgement.until] : []));
  const pauses = judgements.flatMap(({ judgement }) => (judgement.kind === 'pause' ? [judgement.reason] : []));
  const money = pauses.includes('insufficient_funds') && shortOfMaxCoins ? 'max_coins' : pauses[0];
  return {
    skipped,
    ...(deferred.length > 0 ? { retryAt: Math.min(...deferred) } : {}),
    ...(money === undefined ? {} : { pause: money }),
  };
};
