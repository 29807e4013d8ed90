import * as z from 'zod';
import { CHANNELS, channelOf } from '../../domain/channels/registry.ts';
import { V1_CODES, type V1Code } from '../../domain/core/errors.ts';
import { PRIORITIES } from '../../domain/core/priority.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { Channel } from '../../domain/message/channel.ts';
import {
  MESSAGE_ORIGINS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  type MessageOf,
  type MessageRecord,
} from '../../domain/message/message.ts';
import { OUTCOME_FIELDS } from '../../domain/message/outcome.ts';
import type { ProviderReceipt } from '../../domain/message/provider-port.ts';
import { RECEIPT_WISHES } from '../../domain/message/smpp-origin.ts';
import { KEYS } from '../access-patterns.ts';
import { journeyLabel } from '../automation/labels.ts';
import { coins, id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { listShardOf } from '../table-indexes.ts';

const text = z.string().optional();
const decision = z.object({
  at: z.int(),
  kind: z.enum(['accepted', 'deferred', 'route', 'provider', 'receipt', 'resolution', 'fallback', 'operator']),
  detail: z.string(),
  coins: z.int().exactOptional(),
});

const takenPositions = z.object({
  month: z.string(),
  positions: z.array(z.object({ from: z.int(), units: z.int() })),
});

const listedState = z
  .object({
    status: z.enum(MESSAGE_STATUSES),
    via: z.enum(['rcs', 'sms']).optional(),
    archived: z.boolean().optional(),
  })
  .nullable()
  .optional();

const stepRefusal = z.object({
  code: z.enum(Object.keys(V1_CODES) as [V1Code, ...V1Code[]]),
  detail: z.string(),
  reason: text,
});

const smppOrigin = z.object({
  accountId: id('smppAccount'),
  receipts: z.array(z.object({ id: text, wants: z.enum(RECEIPT_WISHES), intermediate: z.literal(true).optional() })),
  assembled: z
    .object({
      id: id('smppParts'),
      version: z.int(),
      last: z.object({ number: z.int(), characters: z.int() }).optional(),
    })
    .optional(),
});

/** A message except for its content, whose schema depends on the channel. `deadline` is stored as a number, because conditions compare it. */
const commonRows = defineRow<Omit<MessageOf<Channel>, 'content'>>()({
  attributes: {
    id: id('message'),
    ...tenant,
    direction: z.literal('outbound'),
    channel: z.enum(CHANNELS),
    type: z.enum(MESSAGE_TYPES),
    priority: z.enum(PRIORITIES),
    status: z.enum(MESSAGE_STATUSES),
    reason: text,
    to: z.string(),
    recipientHash: z.string(),
    region: z.enum(['BR', 'INTL']).optional(),
    route: z.string(),
    provider: z.string(),
    via: z.enum(['rcs', 'sms']).optional(),
    units: z.int(),
    contactId: id('contact').optional(),
    countedHour: z.int().optional(),
    campaignId: text,
    journey: journeyLabel.optional(),
    campaign: id('campaign').optional(),
    smpp: smppOrigin.optional(),
    numberId: text,
    instagramAccountId: text,
    templateId: text,
    templateVars: z.array(z.string()).optional(),
    batchId: id('batch').optional(),
    lane: z.int().optional(),
    escrow: text,
    sentByAccountId: id('account').optional(),
    sentByName: text,
    mediaStorage: z.object({ mimeType: z.string(), size: z.int(), storedAt: z.int() }).optional(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    coins,
    positions: takenPositions.optional(),
    band: z.object({ index: z.int(), from: z.int(), upTo: z.int().nullable() }).optional(),
    fallbackCoins: z.array(z.int()).optional(),
    fallbackRefusals: z.array(stepRefusal.nullable()).optional(),
    hasBody: z.boolean().optional(),
    hold: z.enum(['open', 'captured', 'released']),
    capturedCoins: coins.optional(),
    carrierCoins: z.object({ rcs: coins, sms: coins }).optional(),
    refunded: coins.optional(),
    fence: z.int(),
    deadline: z.int(),
    dispatchedAt: z.int().optional(),
    uncertain: z.boolean().optional(),
    inquiries: z.int().optional(),
    force: z.boolean().optional(),
    scheduledAt: time.optional(),
    validUntil: time.optional(),
    deferredTo: time.optional(),
    origin: z.enum(MESSAGE_ORIGINS).optional(),
    fallbackId: id('message').optional(),
    replaces: id('message').optional(),
    replacedBy: id('message').optional(),
    archivedAt: time.optional(),
    settledHour: listedState,
    settledDay: listedState,
    withdrawn: z.literal(true).optional(),
    callerKey: z.string(),
    attempts: z.int(),
    lastError: text,
    originalError: text,
    providerMessageId: text,
    providerReceipt: z.custom<ProviderReceipt>((value) => typeof value === 'object').optional(),
    createdAt: time,
    updatedAt: time,
    sentAt: time.optional(),
    deliveredAt: time.optional(),
    readAt: time.optional(),
    failedAt: time.optional(),
    decisions: z.array(decision),
  },
  key: (message) => KEYS.message(message.id),
});

/** The fields that the metrics count by, with the message's organization. */
export const countedFields = commonRows.pick('organizationId', ...OUTCOME_FIELDS);

/** The entries of a message in the lists that show it. */
const listEntries = (message: MessageRecord) => {
  const { organizationId: org, id, channel, recipientHash, contactId, campaignId, lane = 0 } = message;
  const createdAt = isoTime(message.createdAt);
  const shard = listShardOf(lane);
  return {
    ...INDEX_KEYS.messagesOf(org, channel, createdAt, id, shard),
    ...INDEX_KEYS.messagesTo(org, recipientHash, channel, createdAt, id),
    ...(contactId ? INDEX_KEYS.messagesOfContact(contactId, channel, createdAt, id) : {}),
    ...(campaignId ? INDEX_KEYS.messagesOfCampaign(org, campaignId, channel, createdAt, id, shard) : {}),
  };
};

/**
 * Whether no list shows a message yet: it is being sent while its caller waits, for seconds. Its entries are written with its result, so
 * that they are written only once.
 */
export const isUnlisted = ({ status, dispatchedAt }: MessageRecord): boolean =>
  status === 'sending' && dispatchedAt === undefined;

/** The list entries that the first change of such a message writes. */
export const firstEntries = (message: MessageRecord): Readonly<Record<string, string>> =>
  isUnlisted(message) ? listEntries(message) : {};

/** The attributes of a message's list entries. */
const LIST_ENTRIES = ['gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk', 'gsi3pk', 'gsi3sk', 'gsi4pk', 'gsi4sk'] as const;

/** A channel's content as it is stored: one text, as `fixed` is. */
const contentText = ({ channel, content }: Pick<MessageRecord, 'channel' | 'content'>): string =>
  JSON.stringify(z.encode(channelOf(channel).storedContent, content));

/** The attributes that no update changes, and no condition, filter or index reads. Stored rows have them in this order: it may only grow, at its end. */
const FIXED = [
  'env',
  'direction',
  'type',
  'priority',
  'route',
  'units',
  'callerKey',
  'band',
  'instagramAccountId',
  'templateId',
] as const;
type Fixed = (typeof FIXED)[number];
const fixedText = z.tuple([z.array(z.unknown()), z.array(decision)]);
const isFixed = (name: string): boolean => (FIXED as readonly string[]).includes(name);

/**
 * A row with its fixed attributes, and the decisions of its acceptance, in one text: each time that a row is written, it is parsed and stored
 * attribute by attribute, and pays for their names. Its key has its id.
 */
const withFixed = ({ decisions, pk, sk, id: _, ...row }: Row): Row => {
  const others = Object.fromEntries(Object.entries(row).filter(([name]) => !isFixed(name)));
  return { ...others, pk, sk, fixed: JSON.stringify([FIXED.map((name) => row[name]), decisions]) };
};
/** The row with each of its attributes by itself, as older rows have them; later decisions follow the first. */
const withoutFixed = ({ fixed, ...row }: Row): Row => {
  const content = typeof row.content === 'string' ? JSON.parse(row.content) : row.content;
  if (fixed === undefined) return { ...row, content };
  const [values, decisions] = fixedText.parse(JSON.parse(z.string().parse(fixed)));
  const later = Array.isArray(row.decisions) ? row.decisions : [];
  const present = values.flatMap((value, at) => (value === null ? [] : [[FIXED[at], value] as const]));
  const named = { id: PARSE_KEY.message(row), ...Object.fromEntries(present) };
  return { ...named, ...row, content, decisions: [...decisions, ...later] };
};

/** Sent messages, with the index entries of their lists but for `firstEntries`; `dueEntry` is the entry of their due work. */
export const messageRows = {
  read(stored: Row): MessageRecord {
    const row = withoutFixed(stored);
    const message = commonRows.read(row);
    // Fields and content belong to the same channel.
    return { ...message, content: channelOf(message.channel).storedContent.parse(row.content) } as MessageRecord;
  },
  write: (message: MessageRecord): Row => ({
    ...withFixed(commonRows.write(message)),
    ...(isUnlisted(message) || message.withdrawn ? {} : listEntries(message)),
    content: contentText(message),
  }),
  /** Content is never updated, nor what is fixed. */
  set: (fields: Parameters<typeof commonRows.set>[0] & { readonly [K in Fixed | 'decisions']?: never }) =>
    commonRows.set(fields),
};

/** A channel's content without its personal data, as it is stored. */
const erasedText = (channel: Channel, content: MessageRecord['content']): string =>
  contentText({ channel, content: channelOf(channel).erased(content) });

/** Attributes of a message with personal data besides its content, including its index entries of that person. */
const OF_PERSON = ['contactId', 'templateVars', 'providerReceipt', 'lastError', 'originalError'] as const;
const ENTRIES_OF_PERSON = ['gsi2pk', 'gsi2sk', 'gsi4pk', 'gsi4sk'] as const;

/**
 * Removes the person from a message whose hold is resolved, once: recipient, content, and the index entries of that person. Cost and status
 * stay.
 */
export const erasedWrite = ({ id, channel, content }: MessageRecord, at: number): WriteOp => ({
  update: KEYS.message(id),
  set: {
    ...commonRows.set({ to: '', recipientHash: '' }),
    content: erasedText(channel, content),
    erasedAt: isoTime(at),
  },
  remove: [...OF_PERSON, ...ENTRIES_OF_PERSON],
  when: { text: '#hold <> :open AND attribute_not_exists(#erasedAt)', values: { open: 'open' } },
});

/**
 * The change of a message when its batch is refused as a whole: it is removed from all lists, and its personal data is erased immediately,
 * since a later erasure would not find it.
 */
export const withdrawal = ({ channel, content }: MessageRecord, at: number) => ({
  set: {
    ...commonRows.set({ withdrawn: true, to: '', recipientHash: '' }),
    content: erasedText(channel, content),
    erasedAt: isoTime(at),
  },
  remove: ['contactId', 'templateVars', 'metadata', ...LIST_ENTRIES],
});

/** The due entry of a message in flight: if its worker crashes, its hold is resolved by recovery, or its fan-out is resumed. */
export const inFlightEntry = ({ id, channel }: Pick<MessageRecord, 'id' | 'channel'>, at: number) =>
  INDEX_KEYS.due(channelOf(channel).fansOut ? 'send_push' : 'recover_send', id, at);

/** The due entry of a new message: a queued one is sent then, any other is recovered. */
export const dueEntry = (message: MessageRecord) =>
  message.status === 'queued'
    ? INDEX_KEYS.due('send_message', message.id, message.deadline)
    : inFlightEntry(message, message.deadline);
