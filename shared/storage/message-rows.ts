import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { MessageRecord } from '../domain/messages/message.ts';
import { SMS_PROVIDERS } from '../domain/sms/provider.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row } from './table.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));

/** A message's row. Times are ISO text, so that a person can read the table; `deadline` is a number, since it is compared. */
const stored = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  channel: z.literal('sms'),
  direction: z.literal('outbound'),
  type: z.literal('text'),
  priority: z.literal('normal'),
  status: z.enum(['queued', 'sending', 'sent', 'delivered', 'failed', 'undelivered']),
  reason: z
    .enum(['invalid_number', 'carrier_rejected', 'blacklisted', 'expired', 'indeterminate', 'abandoned'])
    .optional(),
  to: z.string(),
  toHash: z.string(),
  region: z.enum(['BR', 'INTL']),
  route: z.enum(['premium', 'otp']),
  provider: z.enum(SMS_PROVIDERS),
  senderId: z.string().optional(),
  encoding: z.enum(['GSM-7', 'UCS-2']),
  length: z.int(),
  segments: z.int(),
  payload: z.object({ text: z.string() }),
  contactId: z.string().optional(),
  campaignId: z.string().optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  coins: z.int(),
  hold: z.enum(['open', 'captured', 'released']),
  fence: z.int(),
  deadline: z.int(),
  uncertain: z.boolean().optional(),
  inquiries: z.int().optional(),
  callerKey: z.string(),
  attempts: z.int(),
  lastError: z.string().optional(),
  providerMessageId: z.string().optional(),
  providerReceipt: z
    .custom<NonNullable<MessageRecord['providerReceipt']>>((value) => typeof value === 'object')
    .optional(),
  createdAt: time,
  updatedAt: time,
  sentAt: time.optional(),
  deliveredAt: time.optional(),
  failedAt: time.optional(),
  decisions: z.array(z.object({ at: z.int(), kind: z.string(), detail: z.string(), coins: z.int().optional() })),
});

/** Reads a message's row; every field is checked. */
export const parseMessage = (row: Row): MessageRecord => {
  const { org, ...fields } = stored.parse(row);
  return { ...fields, organizationId: org } as unknown as MessageRecord;
};

const optionalTime = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

/** A message's row, with the index entries that its lists and its deadline need. */
export const messageRow = (message: MessageRecord) => {
  const { organizationId: org, ...fields } = message;
  const createdAt = isoTime(message.createdAt);
  const { id, channel } = message;
  return {
    ...fields,
    ...KEYS.message(id),
    ...FINDS.messagesOf(org, channel, createdAt, id),
    ...FINDS.messagesTo(org, message.toHash, channel, createdAt, id),
    ...(message.contactId ? FINDS.messagesOfContact(message.contactId, channel, createdAt, id) : {}),
    ...(message.campaignId ? FINDS.messagesOfCampaign(org, message.campaignId, channel, createdAt, id) : {}),
    ...FINDS.due('resolve_send', id, message.deadline),
    org,
    createdAt,
    updatedAt: isoTime(message.updatedAt),
    sentAt: optionalTime(message.sentAt),
    deliveredAt: optionalTime(message.deliveredAt),
    failedAt: optionalTime(message.failedAt),
  };
};
