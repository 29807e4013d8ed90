import * as z from 'zod';
import type { RefusalCause } from '../../domain/messages/provider.ts';
import type { FcmCredentials } from '../../domain/push/credentials.ts';
import type { PushAnswer } from '../../domain/push/transport.ts';
import { callProvider, jsonOf, type ProviderReply, refusal, retryAfterSeconds } from '../http.ts';
import { GoogleTokens } from './google-tokens.ts';
import { deadToken, fieldsOf, type PushIo, type PushRequest, type PushService, TTL_SECONDS } from './notification.ts';

/**
 * FCM's own error codes (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode) and the canonical ones of Google's APIs that
 * stand where FCM adds none. What is missing says nothing certain: INTERNAL, UNSPECIFIED_ERROR.
 */
const FCM_CAUSES: Readonly<Record<string, RefusalCause>> = {
  UNREGISTERED: 'recipient',
  INVALID_ARGUMENT: 'content',
  SENDER_ID_MISMATCH: 'sender',
  QUOTA_EXCEEDED: 'throttled',
  RESOURCE_EXHAUSTED: 'throttled',
  THIRD_PARTY_AUTH_ERROR: 'credentials',
  UNAUTHENTICATED: 'credentials',
  PERMISSION_DENIED: 'credentials',
  // The server was overloaded and did not take it; Google asks for the same request again.
  UNAVAILABLE: 'unavailable',
  // Without UNREGISTERED beside it, it is the project that was not found: no reason to give up its devices.
  NOT_FOUND: 'unavailable',
};
/** Statuses that are certain whoever says them. */
const CERTAIN: Readonly<Record<number, RefusalCause>> = { 401: 'credentials', 429: 'throttled' };
/** How long a throttled caller waits where FCM names no time, in seconds (Error codes: a minimum initial delay of 1 minute). */
const QUOTA_SECONDS = 60;

type Answered = Extract<ProviderReply, { kind: 'answered' }>;

const sent = z.object({ name: z.string().regex(/^projects\/[^/\s]{1,200}\/messages\/\S{1,300}$/) });
const detail = z.object({
  errorCode: z
    .string()
    .regex(/^[A-Z_]{1,40}$/)
    .optional(),
  fieldViolations: z.array(z.object({ field: z.string().default('') })).optional(),
});
const problem = z.object({
  error: z.object({
    message: z.string().default(''),
    status: z.string().regex(/^[A-Z_]{1,40}$/),
    details: z.array(z.unknown()).default([]),
  }),
});

/** INVALID_ARGUMENT names a token that is none in one of two ways; anything else in the request may be at fault, too. */
const isBadToken = (message: string, details: readonly z.infer<typeof detail>[]): boolean =>
  /\bregistration token is not a valid\b/i.test(message) ||
  details.some(({ fieldViolations = [] }) => fieldViolations.some(({ field }) => field === 'message.token'));

/** FCM's own code, or the canonical one where it adds none; undefined when the answer is not Google's. */
const codeOf = (reply: Answered) => {
  const error = jsonOf(problem, reply)?.error;
  const details = error?.details.flatMap((each) => detail.safeParse(each).data ?? []) ?? [];
  const code = details.find(({ errorCode }) => errorCode)?.errorCode ?? error?.status;
  return { code, badToken: code === 'INVALID_ARGUMENT' && isBadToken(error?.message ?? '', details) };
};

const refusalOf = (reply: Answered, now: number): PushAnswer => {
  const { code, badToken } = codeOf(reply);
  const words = `fcm: HTTP ${reply.status}${code ? ` ${code}` : ''}`;
  const cause = (code === undefined ? undefined : FCM_CAUSES[code]) ?? CERTAIN[reply.status];
  if (!cause) return { kind: 'unknown', detail: words };
  if (code === 'UNREGISTERED' || badToken) return deadToken(words);
  const wait = retryAfterSeconds(reply.headers.get('retry-after'), now);
  return refusal(cause, words, wait ?? (cause === 'throttled' ? QUOTA_SECONDS : undefined));
};

const answerOf = (reply: ProviderReply, now: number): PushAnswer => {
  if (reply.kind === 'not_sent') return refusal('unavailable', `fcm cannot be reached: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `fcm: ${reply.detail}` };
  if (reply.status !== 200) return refusalOf(reply, now);
  const name = jsonOf(sent, reply)?.name;
  return name === undefined
    ? { kind: 'unknown', detail: 'fcm: HTTP 200 without a message name' }
    : { kind: 'accepted', providerMessageId: name };
};

/** A message in FCM's form (REST Resource: projects.messages). Values of `data` are text, so the buttons are JSON in a text. */
const messageOf = ({ device, notification, dispatchId }: PushRequest<FcmCredentials>) => {
  const { title, body, imageUrl, silent } = notification;
  const { actions, ...fields } = fieldsOf(notification, dispatchId);
  return {
    token: device.token,
    data: { ...fields, ...(actions ? { actions: JSON.stringify(actions) } : {}) },
    ...(silent ? {} : { notification: { title, body, ...(imageUrl === undefined ? {} : { image: imageUrl }) } }),
    android: {
      priority: silent ? 'NORMAL' : 'HIGH',
      ttl: `${TTL_SECONDS}s`,
      // A dispatch that comes twice replaces itself on the screen.
      ...(silent ? {} : { notification: { tag: dispatchId } }),
    },
  };
};

/** Firebase Cloud Messaging, HTTP v1 (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send). */
export const createFcm = (
  io: PushIo,
  urls: { readonly fcm: string; readonly token: string },
): PushService<FcmCredentials> => {
  const tokens = new GoogleTokens(io, urls.token);
  return {
    async send(request) {
      const { credentials } = request;
      const deadline = performance.now() + io.timeoutMs;
      const token = await tokens.get(credentials, io.timeoutMs);
      if (typeof token !== 'string') return token;
      const timeoutMs = Math.floor(deadline - performance.now());
      if (timeoutMs <= 0) return refusal('unavailable', 'fcm: no time was left after waiting for a token');
      const reply = await callProvider(io, {
        url: new URL(`/v1/projects/${encodeURIComponent(credentials.project_id)}/messages:send`, urls.fcm).href,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ message: messageOf(request) }),
        timeoutMs,
      });
      // The other 401 is about Apple's or a browser's credentials that the project holds.
      if (reply.kind === 'answered' && reply.status === 401 && codeOf(reply).code !== 'THIRD_PARTY_AUTH_ERROR')
        await tokens.forget(credentials, token);
      return answerOf(reply, io.now());
    },
    close() {},
  };
};
