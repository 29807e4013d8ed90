import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';
import type { SendPlan } from './plan.ts';
import type { Candidates } from './ports.ts';

/** Why consent forbids a send. */
/** 503 while every provider of a route is failing, for `restMs`: nothing is stored, and no provider is called. */
export const providersRest = (restMs: number) =>
  refuse('SERVICE_UNAVAILABLE', {
    detail: 'Every provider of this route fails right now; send again later.',
    retryAfterSeconds: Math.max(1, Math.ceil(restMs / 1000)),
  });

/** Reasons (`meta.motivo`) of refusals that depend on the recipient alone. */
export const RECIPIENT_REASONS: readonly unknown[] = ['opt_out', 'suppressed'];

export type ConsentFault = 'opted_out' | 'unknown_contact';

const CONSENT_REFUSALS = {
  opted_out: refuse('VALIDATION_ERROR', { detail: 'The contact opted out.', meta: { motivo: 'opt_out' } }),
  unknown_contact: refuse('VALIDATION_ERROR', {
    detail: 'The contact does not exist.',
    errors: [{ path: 'contactId', message: 'is not a contact of the organization' }],
  }),
} as const;
/** 422 for a send that consent forbids. */
export const consentRefusal = (fault: ConsentFault): Refusal<'VALIDATION_ERROR'> => CONSENT_REFUSALS[fault];

/** The caller's key was used by another request. */
export const REUSED_KEY = refuse('CONFLICT', 'This Idempotency-Key was used with another body.');

/** The caller's key belongs to a message that its batch may still withdraw: neither a replay nor available. */
export const KEY_IN_PROGRESS = refuse('CONFLICT', {
  detail: 'The first request with this key is still running.',
  meta: { code: 'EM_ANDAMENTO' },
  retryAfterSeconds: 1,
});

/** The message of a long-lived key has left the table. */
export const sentBefore = (messageId: Id<'message'>) =>
  refuse('CONFLICT', {
    detail: 'The message of this key was accepted long ago, and has been archived.',
    meta: { code: 'JA_ENVIADA', messageId },
  });

/** 402: the available balance is below the price. */
export const NO_FUNDS = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the message.');

/** The contracted sends of this second are used up (docs/spec/sms.md#contracted-sms-per-second). */
export const RATE_EXCEEDED = refuse('RATE_LIMITED', {
  detail: "The account's SMS per second are used up.",
  retryAfterSeconds: 1,
});

/** The price exceeds the caller's `maxCoins`. */
export const exceedsMaxCoins = (maxCoins: number) =>
  refuse('PRECONDITION_FAILED', { detail: 'It costs more than maxCoins allows.', meta: { maxCoins } });

/** A rule of the service stopped the message before its provider was called; `motivo` is the channel's reason. */
export const stoppedRefusal = (
  { detail }: RefusedAnswer,
  motivo: string | undefined,
  meta: { messageId?: Id<'message'> } = {},
) =>
  refuse('VALIDATION_ERROR', {
    detail: `The message was stopped: ${detail}.`,
    meta: { ...meta, ...(motivo === undefined ? {} : { motivo }) },
  });

/** The first refusal of a plan at its current price, in the order of checks (docs/spec/sends.md#order-of-checks); undefined when there is none. */
export const precheckRefusal = (
  { maxCoins }: Pick<SendPlan, 'maxCoins'>,
  coins: number,
  current: { readonly consent: ConsentFault | undefined; readonly balance: number; readonly candidates: Candidates },
): Refusal<'VALIDATION_ERROR' | 'PAYMENT_REQUIRED' | 'PRECONDITION_FAILED' | 'DEPENDENCY_FAILED'> | undefined => {
  if (maxCoins !== undefined && coins > maxCoins) return exceedsMaxCoins(maxCoins);
  if (current.consent) return consentRefusal(current.consent);
  if (coins > current.balance) return NO_FUNDS;
  return current.candidates.kind === 'none' ? refuse('DEPENDENCY_FAILED', current.candidates.missing) : undefined;
};
