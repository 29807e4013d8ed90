import * as z from 'zod';
import type { FcmCredentials } from '../../domain/channels/push/credentials.ts';
import type { PushAnswer } from '../../domain/channels/push/transport.ts';
import type { RefusalCause } from '../../domain/message/provider-port.ts';
import { callProvider, jsonOf, type ProviderReply, refusal, retryAfterSeconds } from '../http.ts';
import { GoogleTokens } from './google-tokens.ts';
import { appDataOf, deadToken, type PushIo, type PushRequest, type PushService, TTL_SECONDS } from './notification.ts';

/**
 * FCM's error codes (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode), and Google's canonical ones where FCM adds none.
 * Unlisted ones (INTERNAL, UNSPECIFIED_ERROR) leave the outcome unknown.
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
  // The server was overloaded and did not accept it; Google asks for a retry.
  UNAVAILABLE: 'unavailable',
  // Without UNREGISTERED the project was not found; its devices are kept.
  NOT_FOUND: 'unavailable',
};
/** Statuses that are certain even if the response is not Google's. */
const CAUSES_BY_STATUS: Readonly<Record<number, RefusalCause>> = { 401: 'credentials', 429: 'throttled' };
/** Wait in seconds if a throttling response names none (Error codes: a minimum initial delay of 1 minute). */
const THROTTLED_RETRY_SECONDS = 60;

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

/** True if INVALID_ARGUMENT is about the token, which FCM says in one of two ways, and not about the rest of the request. */
const isBadToken = (message: string, details: readonly z.infer<typeof detail>[]): boolean =>
  /\bregistration token is not a valid\b/i.test(message) ||
  details.some(({ fieldViolations = [] }) => fieldViolations.some(({ field }) => field === 'message.token'));

/** FCM's error code, or the canonical one if FCM adds none; undefined if the response is not Google's. */
const codeOf = (reply: Answered) => {
  const error = jsonOf(problem, reply)?.error;
  const details = error?.details.flatMap((each) => detail.safeParse(each).data ?? []) ?? [];
  const code = details.find(({ errorCode }) => errorCode)?.errorCode ?? error?.status;
  return { code, badToken: code === 'INVALID_ARGUMENT' && isBadToken(error?.message ?? '', details) };
};

const refusalOf = (reply: Answered, now: number): PushAnswer => {
  const { code, badToken } = codeOf(reply);
  const summary = `fcm: HTTP ${reply.status}${code ? ` ${code}` : ''}`;
  const cause = (code === undefined ? undefined : FCM_CAUSES[code]) ?? CAUSES_BY_STATUS[reply.status];
  if (!cause) return { kind: 'unknown', detail: summary };
  if (code === 'UNREGISTERED' || badToken) return deadToken(summary);
  const retryAfter = retryAfterSeconds(reply.headers.get('retry-after'), now);
  return refusal(cause, summary, retryAfter ?? (cause === 'throttled' ? THROTTLED_RETRY_SECONDS : undefined));
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

/** An FCM message (REST Resource: projects.messages). Values of `data` must be strings, so the buttons are JSON. */
const messageOf = ({ device, notification, dispatchId }: PushRequest<FcmCredentials>) => {
  const { title, body, imageUrl, silent } = notification;
  const { actions, ...fields } = appDataOf(notification, dispatchId);
  return {
    token: device.token,
    data: { ...fields, ...(actions ? { actions: JSON.stringify(actions) } : {}) },
    ...(silent ? {} : { notification: { title, body, ...(imageUrl === undefined ? {} : { image: imageUrl }) } }),
    android: {
      priority: silent ? 'NORMAL' : 'HIGH',
      ttl: `${TTL_SECONDS}s`,
      // A repeated dispatch replaces itself on the screen.
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
      // THIRD_PARTY_AUTH_ERROR is about APNs or Web Push credentials of the project, not about our token.
      if (reply.kind === 'answered' && reply.status === 401 && codeOf(reply).code !== 'THIRD_PARTY_AUTH_ERROR')
        await tokens.forget(credentials, token);
      return answerOf(reply, io.now());
    },
    close() {},
  };
};
