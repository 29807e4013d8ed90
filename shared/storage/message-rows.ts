import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { MESSAGE_STATUSES, MESSAGE_TYPES, type MessageRecord, PRIORITIES } from '../domain/messages/message.ts';
import type { ProviderReceipt } from '../domain/messages/provider.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row } from './table.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));
const encoding = z.enum(['GSM-7', 'UCS-2']);
const platform = z.object({ payload: z.record(z.string(), z.unknown()), from: z.string().optional() });

const suggestion = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('openUrl'), label: z.string(), url: z.string() }),
  z.object({ kind: z.literal('call'), label: z.string(), phone: z.string() }),
  z.object({ kind: z.literal('reply'), label: z.string(), postback: z.string().optional() }),
]);

/** What each channel keeps of its content. */
const content = z.discriminatedUnion('channel', [
  z.object({
    channel: z.literal('sms'),
    content: z.object({
      text: z.string(),
      encoding,
      length: z.int(),
      segments: z.int(),
      senderId: z.string().optional(),
    }),
  }),
  z.object({
    channel: z.literal('rcs'),
    content: z.object({
      text: z.string().optional(),
      card: z
        .object({
          title: z.string(),
          description: z.string(),
          fileUrl: z.string().optional(),
          suggestions: z.array(suggestion).optional(),
        })
        .optional(),
      fallback: z.object({ text: z.string(), encoding }).optional(),
    }),
  }),
  z.object({
    channel: z.literal('email'),
    content: z.object({ from: z.string(), subject: z.string(), bodyBytes: z.int() }),
  }),
  z.object({ channel: z.literal('whatsapp'), content: platform }),
  z.object({ channel: z.literal('push'), content: platform }),
  z.object({ channel: z.literal('instagram'), content: platform }),
]);

/** A message's row. Times are ISO text, so that a person can read the table; `deadline` is a number, since it is compared. */
const common = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  direction: z.literal('outbound'),
  type: z.enum(MESSAGE_TYPES),
  priority: z.enum(PRIORITIES),
  status: z.enum(MESSAGE_STATUSES),
  reason: z.string().optional(),
  to: z.string(),
  toHash: z.string(),
  region: z.enum(['BR', 'INTL']).optional(),
  route: z.string(),
  provider: z.string(),
  via: z.enum(['rcs', 'sms']).optional(),
  units: z.int(),
  contactId: z.string().optional(),
  campaignId: z.string().optional(),
  numberId: z.string().optional(),
  instagramAccountId: z.string().optional(),
  templateId: z.string().optional(),
  templateVars: z.array(z.string()).optional(),
  batchId: z.string().optional(),
  escrow: z.string().optional(),
  sentByAccountId: z.string().optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  coins: z.int(),
  band: z.object({ index: z.int(), from: z.int(), upTo: z.int().nullable() }).optional(),
  fallbackCoins: z.array(z.int()).optional(),
  hasBody: z.boolean().optional(),
  hold: z.enum(['open', 'captured', 'released']),
  fence: z.int(),
  deadline: z.int(),
  leavingAt: z.int().optional(),
  uncertain: z.boolean().optional(),
  inquiries: z.int().optional(),
  force: z.boolean().optional(),
  scheduledAt: time.optional(),
  chainId: z.string().optional(),
  replaces: z.string().optional(),
  replacedBy: z.string().optional(),
  archivedAt: time.optional(),
  callerKey: z.string(),
  attempts: z.int(),
  lastError: z.string().optional(),
  originalError: z.string().optional(),
  providerMessageId: z.string().optional(),
  providerReceipt: z.custom<ProviderReceipt>((value) => typeof value === 'object').optional(),
  createdAt: time,
  updatedAt: time,
  sentAt: time.optional(),
  deliveredAt: time.optional(),
  readAt: time.optional(),
  failedAt: time.optional(),
  decisions: z.array(z.object({ at: z.int(), kind: z.string(), detail: z.string(), coins: z.int().optional() })),
});

/** Reads a message's row; every field is checked. */
export const parseMessage = (row: Row): MessageRecord => {
  const { org, ...fields } = common.parse(row);
  return { ...fields, ...content.parse(row), organizationId: org } as unknown as MessageRecord;
};

const TIMES = [
  'createdAt',
  'updatedAt',
  'scheduledAt',
  'archivedAt',
  'sentAt',
  'deliveredAt',
  'readAt',
  'failedAt',
] as const;

/** A message's row, with the index entries that its lists and its due work need. */
export const messageRow = (message: MessageRecord) => {
  const { organizationId: org, ...fields } = message;
  const { id, channel } = message;
  const times = Object.fromEntries(
    TIMES.flatMap((name) => (message[name] === undefined ? [] : [[name, isoTime(message[name])]])),
  );
  const createdAt = isoTime(message.createdAt);
  return {
    ...fields,
    ...KEYS.message(id),
    ...FINDS.messagesOf(org, channel, createdAt, id),
    ...FINDS.messagesTo(org, message.toHash, channel, createdAt, id),
    ...(message.contactId ? FINDS.messagesOfContact(message.contactId, channel, createdAt, id) : {}),
    ...(message.campaignId ? FINDS.messagesOfCampaign(org, message.campaignId, channel, createdAt, id) : {}),
    ...FINDS.due(message.status === 'queued' ? 'send_message' : 'resolve_send', id, message.deadline),
    org,
    ...times,
  };
};
