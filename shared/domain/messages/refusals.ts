import { type Refusal, refuse } from '../errors.ts';
import type { SendPlan } from './plan.ts';
import type { Candidates } from './ports.ts';
import type { RefusedAnswer } from './provider.ts';

/** What the recipient's consent says against a send. */
export type ConsentFault = 'opted_out' | 'unknown_contact';

const CONSENT = {
  opted_out: refuse('VALIDATION_ERROR', { detail: 'The contact opted out.', meta: { motivo: 'opt_out' } }),
  unknown_contact: refuse('VALIDATION_ERROR', {
    detail: 'The contact does not exist.',
    errors: [{ path: 'contactId', message: 'is no contact of the organization' }],
  }),
} as const;
export const consentRefusal = (fault: ConsentFault): Refusal<'VALIDATION_ERROR'> => CONSENT[fault];

/** A caller's key that another request took. */
export const REUSED_KEY = refuse('CONFLICT', 'This Idempotency-Key was used with another body.');

export const NO_FUNDS = refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the message.');

/** The account's contracted sends of this second are used up. */
export const TOO_FAST = refuse('RATE_LIMITED', {
  detail: "The account's SMS per second are used up.",
  retryAfterSeconds: 1,
});

/** It costs more than its caller allows, in coins. */
export const tooDear = (maxCoins: number) =>
  refuse('PRECONDITION_FAILED', { detail: 'It costs more than maxCoins allows.', meta: { maxCoins } });

/** A message that a rule of ours stops when it leaves, before a provider is asked; `motivo` is its channel's reason. */
export const stopped = ({ detail }: RefusedAnswer, motivo: string | undefined, meta: { messageId?: string } = {}) =>
  refuse('VALIDATION_ERROR', {
    detail: `The message was stopped: ${detail}.`,
    meta: { ...meta, ...(motivo === undefined ? {} : { motivo }) },
  });

/** What stands against a plan at its price of now, in the order in which a send is checked (decisions, part 4); undefined when nothing does. */
export const faultOf = (
  { maxCoins }: Pick<SendPlan, 'maxCoins'>,
  coins: number,
  now: { readonly consent: ConsentFault | undefined; readonly balance: number; readonly candidates: Candidates },
): Refusal<'VALIDATION_ERROR' | 'PAYMENT_REQUIRED' | 'PRECONDITION_FAILED' | 'DEPENDENCY_FAILED'> | undefined => {
  if (maxCoins !== undefined && coins > maxCoins) return tooDear(maxCoins);
  if (now.consent) return consentRefusal(now.consent);
  if (coins > now.balance) return NO_FUNDS;
  return now.candidates.kind === 'none' ? refuse('DEPENDENCY_FAILED', now.candidates.missing) : undefined;
};
