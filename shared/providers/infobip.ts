import * as z from 'zod';
import type { Id } from '../domain/core/ids.ts';
import type { ProviderAnswer, ProviderIo, StatusAnswer } from '../domain/message/provider-port.ts';
import { callProvider, jsonOf, type ProviderReply, refusal, retryAfterSeconds } from './http.ts';
import { infobipCallbackAuth } from './infobip-callbacks.ts';
import {
  INFOBIP_DUPLICATE_ID,
  INFOBIP_GROUP,
  INFOBIP_REJECTIONS,
  INFOBIP_STATUSES,
  INFOBIP_VIOLATIONS,
} from './infobip-codes.ts';

/** Operator settings that SMS and RCS share; each channel adds its key and its sender. */
export const infobipAccountSettings = {
  baseUrl: z
    .url()
    .default('https://api.infobip.com')
    .describe("The account's own base address (https://xxxxx.api.infobip.com), or a stand-in for it."),
  timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long Infobip may take to answer, in ms.'),
  callbackAuth: infobipCallbackAuth.describe(
    "How Infobip proves its callbacks: the security settings of the account's notification profile.",
  ),
  reportTo: z
    .enum(['message', 'subscription'])
    .default('message')
    .describe(
      'Where the address of delivery reports is set: in each message, or in the subscription of the account (whose profile has the security settings).',
    ),
  logsLagMs: z
    .int()
    .min(0)
    .max(600_000)
    .default(60_000)
    .describe(
      'How long a sent message may be missing from the logs, in ms; Infobip promises no figure. Until then a missing one is not called absent.',
    ),
};
const schema = z.object(infobipAccountSettings);
type InfobipAccount = z.infer<typeof schema> & { readonly apiKey: string };

const status = z.object({ groupId: z.number(), id: z.number(), name: z.string() });
/** The response to POST /sms/3/messages and /rcs/2/messages. */
const sent = z.object({ messages: z.array(z.object({ messageId: z.string().min(1), status })).min(1) });
/** ApiError. Its descriptions and violations may contain request data, so only codes and property paths are logged. */
const problem = z.object({
  errorCode: z.string().regex(/^[A-Z0-9_-]{1,40}$/),
  violations: z.array(z.object({ property: z.string() })).default([]),
});
/** The response to GET /sms/3/logs and /rcs/2/logs. */
const logs = z.object({ results: z.array(z.object({ messageId: z.string(), status })) });

/** How far back the logs go, in ms (docs/api, Get outbound SMS message logs). */
const LOGS_RETENTION_MS = 48 * 3_600_000;

/** Logs a status name only if it looks like one, so that no other provider text gets into the logs. */
const describeStatus = ({ id, name }: z.infer<typeof status>): string =>
  `infobip ${id}${/^[A-Z0-9_]{1,60}$/.test(name) ? `: ${name}` : ''}`;

const acceptance = (reply: ProviderReply & { kind: 'answered' }, messageId: Id<'message'>): ProviderAnswer => {
  const answer = jsonOf(sent, reply);
  const message = answer?.messages.find((each) => each.messageId === messageId);
  if (!message) return { kind: 'unknown', detail: `infobip: HTTP ${reply.status} without our message` };
  const { groupId, id } = message.status;
  if (groupId === INFOBIP_GROUP.rejected && id !== INFOBIP_DUPLICATE_ID) {
    return refusal(INFOBIP_REJECTIONS[id]?.cause ?? 'unavailable', describeStatus(message.status));
  }
  const accepted = groupId === INFOBIP_GROUP.pending || groupId === INFOBIP_GROUP.delivered;
  return accepted
    ? { kind: 'accepted', providerMessageId: message.messageId }
    : { kind: 'unknown', detail: describeStatus(message.status) };
};

const answerOf = (reply: ProviderReply, messageId: Id<'message'>, now: number): ProviderAnswer => {
  if (reply.kind === 'not_sent') return refusal('unavailable', `infobip cannot be reached: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `infobip: ${reply.detail}` };
  if (reply.status === 200) return acceptance(reply, messageId);
  const error = jsonOf(problem, reply);
  const byStatus = INFOBIP_STATUSES[reply.status];
  // Without Infobip's error body the response may come from a proxy in between; only 401 and 429 are certain then.
  const certain = byStatus && (error || reply.status === 401 || reply.status === 429);
  if (!certain) return { kind: 'unknown', detail: `infobip: HTTP ${reply.status}` };
  const violated = INFOBIP_VIOLATIONS.find(({ property }) =>
    error?.violations.some((violation) => property.test(violation.property)),
  );
  const cause = reply.status === 400 ? (violated?.cause ?? byStatus) : byStatus;
  return refusal(
    cause,
    `infobip: HTTP ${reply.status}${error ? ` ${error.errorCode}` : ''}`,
    retryAfterSeconds(reply.headers.get('retry-after'), now),
  );
};

const headersOf = ({ apiKey }: InfobipAccount) => ({ authorization: `App ${apiKey}`, accept: 'application/json' });

/** A destination with our message id, which Infobip adopts as its own. */
export const infobipDestination = (to: string, messageId: Id<'message'>) => ({ to: to.replace(/^\+/, ''), messageId });

/** The `webhooks` of a request; `kinds` are the reports that the channel has. */
export const infobipWebhooks = (
  { reportTo }: InfobipAccount,
  { messageId, callbackUrl }: { readonly messageId: Id<'message'>; readonly callbackUrl: string },
  kinds: readonly ('delivery' | 'seen')[],
) => ({
  ...(reportTo === 'message' ? Object.fromEntries(kinds.map((kind) => [kind, { url: callbackUrl }])) : {}),
  contentType: 'application/json',
  callbackData: messageId,
});

/** Sends one message to a channel's endpoint. */
export const sendByInfobip = async (
  settings: InfobipAccount,
  io: ProviderIo,
  path: `/${string}/messages`,
  messageId: Id<'message'>,
  message: object,
): Promise<ProviderAnswer> => {
  const reply = await callProvider(io, {
    url: new URL(path, settings.baseUrl).href,
    method: 'POST',
    headers: { ...headersOf(settings), 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [message] }),
    timeoutMs: settings.timeoutMs,
  });
  return answerOf(reply, messageId, io.now());
};

/**
 * Queries the logs, which can be read repeatedly. The reports endpoint is no alternative: it returns each report once, and would take it
 * from the callback. A rejected message counts as `not_found`: nothing was sent and nothing is charged.
 */
export const queryInfobipStatus = async (
  settings: InfobipAccount,
  io: ProviderIo,
  path: `/${string}/logs`,
  messageId: Id<'message'>,
  sentAt?: number,
): Promise<StatusAnswer> => {
  const url = new URL(path, settings.baseUrl);
  url.searchParams.set('messageId', messageId);
  const reply = await callProvider(io, {
    url: url.href,
    method: 'GET',
    headers: headersOf(settings),
    timeoutMs: settings.timeoutMs,
  });
  if (reply.kind !== 'answered') return { kind: 'undecided', detail: `infobip: ${reply.detail}` };
  const answer = reply.status === 200 ? jsonOf(logs, reply) : undefined;
  if (!answer) return { kind: 'undecided', detail: `infobip: HTTP ${reply.status}` };
  const entry = answer.results.find((each) => each.messageId === messageId);
  if (entry && entry.status.groupId !== INFOBIP_GROUP.rejected)
    return { kind: 'accepted', providerMessageId: entry.messageId };
  if (entry && entry.status.id !== INFOBIP_DUPLICATE_ID) return { kind: 'not_found' };
  const age = sentAt === undefined ? undefined : io.now() - sentAt;
  if (age === undefined || age < settings.logsLagMs || age > LOGS_RETENTION_MS)
    return { kind: 'undecided', detail: 'infobip: not in the logs, which may not hold it yet or any more' };
  return { kind: 'not_found' };
};
