import type { ProviderAnswer, RefusalCause } from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';
import { describeGraphError, type GraphError, type GraphReply } from './graph.ts';

/** How an error of the Graph API is mapped. */
export interface KnownError {
  /** `ambiguous`: it can occur after the message was accepted, so the outcome is uncertain. */
  readonly cause: RefusalCause | 'ambiguous';
  /** Our description, safe to log. */
  readonly title: string;
  /** A channel's reason that is more precise than the cause. */
  readonly reason?: string;
}
/** Keyed by code, or by code and subcode: `10/2534022`. */
export type ErrorTable = Readonly<Record<string, KnownError>>;

/**
 * Errors of every Graph API call (developers.facebook.com/docs/graph-api/guides/error-handling and docs/graph-api/overview/rate-limiting).
 * 1 and 2 are also returned for messages that were sent (Messenger Platform, Common Error Codes).
 */
const COMMON: ErrorTable = {
  0: { cause: 'credentials', title: 'the app could not be authenticated' },
  1: { cause: 'ambiguous', title: 'unknown error' },
  2: { cause: 'ambiguous', title: 'service temporarily unavailable' },
  3: { cause: 'credentials', title: 'the app lacks the capability' },
  4: { cause: 'throttled', title: 'too many calls of the app' },
  10: { cause: 'credentials', title: 'permission denied' },
  17: { cause: 'throttled', title: 'too many calls of the user' },
  32: { cause: 'throttled', title: 'too many calls of the page' },
  100: { cause: 'content', title: 'invalid parameter' },
  '100/33': { cause: 'credentials', title: 'no such object, or no permission for it' },
  102: { cause: 'credentials', title: 'no session' },
  190: { cause: 'credentials', title: 'the access token is invalid or has expired' },
  341: { cause: 'throttled', title: 'the limit of the app is reached' },
  368: { cause: 'sender', title: 'blocked for violations of policies' },
  613: { cause: 'throttled', title: 'too many calls' },
  80007: { cause: 'throttled', title: 'the limit of the business account is reached' },
};
/** 200 to 299: a permission is missing (same page). */
const isPermissionError = (code: number) => code >= 200 && code <= 299;

/** Looks an error up; undefined if unknown. A subcode takes precedence over its code, a channel's table over the common one. */
export const knownError = (
  own: ErrorTable,
  { code, subcode }: Pick<GraphError, 'code' | 'subcode'>,
): KnownError | undefined =>
  own[`${code}/${subcode}`] ??
  COMMON[`${code}/${subcode}`] ??
  own[code] ??
  COMMON[code] ??
  (isPermissionError(code) ? { cause: 'credentials', title: 'a permission is missing' } : undefined);

const errorAnswer = (own: ErrorTable, error: GraphError): ProviderAnswer => {
  const known = knownError(own, error);
  const summary = `${describeGraphError(error)}${known ? `: ${known.title}` : ''}`;
  if (known?.cause === 'ambiguous') return { kind: 'unknown', detail: summary };
  if (known)
    return {
      ...refusal(known.cause, summary, error.retryAfterSeconds),
      ...(known.reason === undefined ? {} : { reason: known.reason }),
    };
  if (error.httpStatus === 429) return refusal('throttled', summary, error.retryAfterSeconds);
  // An unknown error is a certain refusal only with a 4xx status, by which Meta blames the request.
  const certain = error.httpStatus >= 400 && error.httpStatus < 500 && !error.isTransient;
  return certain ? refusal('unavailable', summary) : { kind: 'unknown', detail: summary };
};

/** Converts the reply to a send; `idOf` extracts Meta's message id from it. */
export const graphAnswer = <T>(reply: GraphReply<T>, own: ErrorTable, idOf: (value: T) => string): ProviderAnswer => {
  switch (reply.kind) {
    case 'ok':
      return { kind: 'accepted', providerMessageId: idOf(reply.value) };
    case 'error':
      return errorAnswer(own, reply);
    case 'not_sent':
      return refusal('unavailable', `meta cannot be reached: ${reply.detail}`);
    case 'lost':
      return { kind: 'unknown', detail: `meta: ${reply.detail}` };
    case 'unreadable':
      return { kind: 'unknown', detail: `meta: HTTP ${reply.httpStatus} without a message` };
  }
};
