import type { ProviderAnswer, RefusalCause } from '../../domain/messages/provider.ts';
import { refusal } from '../http.ts';
import { type GraphError, type GraphReply, graphWords } from './graph.ts';

/** What an error of the Graph API means to us. */
export interface KnownError {
  /** `ambiguous`: it may strike after the message was taken, so that nothing is certain. */
  readonly cause: RefusalCause | 'ambiguous';
  /** Our words for it: what may be logged. */
  readonly title: string;
  /** A reason of the channel's that is nearer than that of the cause. */
  readonly reason?: string;
}
/** By code, or by code and subcode: `10/2534022`. */
export type ErrorTable = Readonly<Record<string, KnownError>>;

/**
 * Errors that every use of the Graph API has (developers.facebook.com/docs/graph-api/guides/error-handling and
 * docs/graph-api/overview/rate-limiting). 1 and 2 are answered for messages that were sent all the same (Messenger Platform, Common
 * Error Codes).
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
const isPermission = (code: number) => code >= 200 && code <= 299;

/** What an error means; undefined for one that nobody knows. The nearest of subcode and code wins. */
export const knownError = (
  own: ErrorTable,
  { code, subcode }: Pick<GraphError, 'code' | 'subcode'>,
): KnownError | undefined =>
  own[`${code}/${subcode}`] ??
  COMMON[`${code}/${subcode}`] ??
  own[code] ??
  COMMON[code] ??
  (isPermission(code) ? { cause: 'credentials', title: 'a permission is missing' } : undefined);

const errorAnswer = (own: ErrorTable, error: GraphError): ProviderAnswer => {
  const known = knownError(own, error);
  const words = `${graphWords(error)}${known ? `: ${known.title}` : ''}`;
  if (known?.cause === 'ambiguous') return { kind: 'unknown', detail: words };
  if (known)
    return {
      ...refusal(known.cause, words, error.retryAfterSeconds),
      ...(known.reason === undefined ? {} : { reason: known.reason }),
    };
  if (error.httpStatus === 429) return refusal('throttled', words, error.retryAfterSeconds);
  // An unknown error is a refusal only where the platform says that it is the request's: it names the request's fault with 4xx.
  const certain = error.httpStatus >= 400 && error.httpStatus < 500 && !error.isTransient;
  return certain ? refusal('unavailable', words) : { kind: 'unknown', detail: words };
};

/** What a reply of the Graph API to a send means; `idOf` finds the platform's id in its value. */
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
