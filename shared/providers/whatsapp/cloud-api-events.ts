import * as z from 'zod';
import type { MetaEvent } from '../../domain/message/meta-event.ts';
import type { ReceiptEvent } from '../../domain/message/provider-port.ts';
import { type EntryEvents, eachOf, ignored } from '../entries.ts';
import { failureOf, STATUSES } from './cloud-api-codes.ts';
import { inboundEvents, inboundMessage } from './cloud-api-inbound.ts';
import * as templates from './cloud-api-template-events.ts';
import { personOf } from './wa-id.ts';

/**
 * An entry of a callback of the object `whatsapp_business_account`
 * (developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview). `time` is in seconds; message callbacks have none.
 */
export const accountEntry = z.object({
  id: z.string().min(1),
  time: z.number().nonnegative().optional(),
  changes: z.array(z.object({ field: z.string(), value: z.unknown() })),
});
type AccountEntry = z.infer<typeof accountEntry>;

/**
 * webhooks/reference/messages/status. `pricing` and `conversation` are what Meta bills, not our prices. The id names the message; the
 * recipient of a person with a hidden phone is empty or absent.
 */
const status = z.object({
  id: z.string().min(1).max(512),
  status: z.string(),
  timestamp: z.string().regex(/^\d{1,12}$/),
  recipient_id: z.string().optional().catch(undefined),
  recipient_user_id: z.string().optional().catch(undefined),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.object({ code: z.int() })).optional(),
});
const messages = z.object({
  metadata: z.object({ phone_number_id: z.string().min(1) }),
  contacts: z
    .array(
      z.object({
        wa_id: z.string().optional(),
        user_id: z.string().optional(),
        profile: z.object({ name: z.string() }).optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  messages: z.array(z.unknown()).optional(),
  statuses: z.array(z.unknown()).optional(),
});

const receiptOf = (found: z.infer<typeof status>): ReceiptEvent[] => {
  const newStatus = Object.hasOwn(STATUSES, found.status) ? STATUSES[found.status] : undefined;
  if (!newStatus) return [];
  const messageId = found.biz_opaque_callback_data;
  const failure = newStatus === 'failed' ? failureOf(found.errors?.[0]?.code ?? 0) : undefined;
  return [
    {
      kind: 'receipt',
      ...(messageId ? { messageId } : {}),
      providerMessageId: found.id,
      status: newStatus,
      ...(failure ? { reason: failure.reason } : {}),
      at: Number(found.timestamp) * 1000,
      receipt: {
        id: found.id,
        type: 'api_message',
        to: personOf(found.recipient_id, found.recipient_user_id)?.from ?? '',
        ...(messageId ? { reference: messageId } : {}),
        status: found.status,
        ...(failure ? { statusDescription: failure.description } : {}),
        channel: 'WHATSAPP',
      },
    },
  ];
};

const messageEvents = (value: z.infer<typeof messages>): EntryEvents => {
  const profileNames = new Map(
    (value.contacts ?? []).flatMap(({ wa_id: waId, user_id: userId, profile }) =>
      [waId, userId].flatMap((id) => (id && profile ? [[id, profile.name] as const] : [])),
    ),
  );
  const place = { phoneNumberId: value.metadata.phone_number_id, profileNames };
  return [
    ...eachOf(status, value.statuses, receiptOf),
    ...eachOf(inboundMessage, value.messages, (message) => inboundEvents(message, place)),
  ];
};

/** webhooks/reference/phone_number_quality_update. Apps from before February 2026 receive `current_limit`. */
const quality = z.object({
  display_phone_number: z.string().min(1),
  event: z.string().min(1),
  current_limit: z.string().optional(),
  max_daily_conversations_per_business: z.string().optional(),
});
const qualityEvent = (wabaId: string, at: number, value: z.infer<typeof quality>): MetaEvent => {
  const currentLimit = value.max_daily_conversations_per_business ?? value.current_limit;
  return {
    kind: 'platform',
    about: 'number_quality',
    at,
    wabaId,
    displayPhone: value.display_phone_number,
    event: value.event,
    ...(currentLimit === undefined ? {} : { currentLimit }),
  };
};

/**
 * webhooks/reference/business_capability_update: reports a changed messaging limit, now that the quality update covers throughput only. The
 * reference lists tiers while its example has a number; -1 means unlimited. Apps from before February 2026 receive `…_per_phone`.
 */
const limit = z.union([z.string(), z.int()]).optional().catch(undefined);
const capability = z.object({ max_daily_conversations_per_business: limit, max_daily_conversation_per_phone: limit });
const TIER_OF_NUMBER: Readonly<Record<number, string>> = {
  [-1]: 'TIER_UNLIMITED',
  250: 'TIER_250',
  1000: 'TIER_1K',
  2000: 'TIER_2K',
  10000: 'TIER_10K',
  100000: 'TIER_100K',
};
const capabilityEvents = (wabaId: string, at: number, value: z.infer<typeof capability>): EntryEvents => {
  const reported = value.max_daily_conversations_per_business ?? value.max_daily_conversation_per_phone;
  const tier = typeof reported === 'number' ? TIER_OF_NUMBER[reported] : reported;
  return tier === undefined ? [] : [{ kind: 'platform', about: 'account_limit', at, wabaId, limit: tier }];
};

/** webhooks/reference/phone_number_name_update. */
const numberName = z.object({
  display_phone_number: z.string().min(1),
  decision: z.string().min(1),
  requested_verified_name: z.string().min(1),
});
const numberNameEvent = (wabaId: string, at: number, value: z.infer<typeof numberName>): MetaEvent => ({
  kind: 'platform',
  about: 'number_name',
  at,
  wabaId,
  displayPhone: value.display_phone_number,
  decision: value.decision,
  name: value.requested_verified_name,
});

/** Flows, webhooks: FLOW_STATUS_CHANGE is the only one that changes a flow; error rates, latencies and availability are ignored. */
const flow = z.object({
  event: z.string(),
  flow_id: z.union([z.string(), z.number()]).transform(String),
  new_status: z.string().optional(),
});
const flowEvents = (wabaId: string, at: number, value: z.infer<typeof flow>): EntryEvents =>
  value.event === 'FLOW_STATUS_CHANGE' && value.new_status !== undefined
    ? [{ kind: 'platform', about: 'flow', at, wabaId, platformFlowId: value.flow_id, status: value.new_status }]
    : [ignored('flows')];

/** webhooks/reference/account_update. For an event about a partner, the entry's id is the partner's, and `waba_info` has the account. */
const account = z.object({
  event: z.string().min(1),
  waba_info: z.object({ waba_id: z.string().optional() }).optional(),
  ban_info: z.object({ waba_ban_state: z.string() }).optional().catch(undefined),
  violation_info: z.object({ violation_type: z.string() }).optional().catch(undefined),
  restriction_info: z
    .array(z.object({ restriction_type: z.string() }))
    .optional()
    .catch(undefined),
  disconnection_info: z.object({ reason: z.string() }).optional().catch(undefined),
});
const accountEvent = (id: string, at: number, value: z.infer<typeof account>): MetaEvent => {
  const detail =
    value.ban_info?.waba_ban_state ??
    value.violation_info?.violation_type ??
    value.disconnection_info?.reason ??
    value.restriction_info?.map(({ restriction_type: type }) => type).join(', ');
  return {
    kind: 'platform',
    about: 'account',
    at,
    wabaId: value.waba_info?.waba_id ?? id,
    event: value.event,
    ...(detail === undefined ? {} : { detail }),
  };
};

/** webhooks/reference/user_preferences; `timestamp` is in seconds. Marketing is the only category. A hidden phone leaves `wa_id` empty or absent. */
const preference = z.object({
  wa_id: z.string().optional().catch(undefined),
  user_id: z.string().optional().catch(undefined),
  category: z.string(),
  value: z.enum(['stop', 'resume']),
  timestamp: z.coerce.number().nonnegative(),
});
const preferences = z.object({
  metadata: z.object({ phone_number_id: z.string().min(1) }),
  user_preferences: z.array(z.unknown()),
});
const preferenceEvents = ({ metadata, user_preferences: list }: z.infer<typeof preferences>): EntryEvents =>
  eachOf(preference, list, ({ wa_id: waId, user_id: userId, category, value, timestamp }) => {
    if (category !== 'marketing_messages') return [ignored(category)];
    const person = personOf(waId, userId);
    if (!person) return [undefined];
    const { from } = person;
    const phoneNumberId = metadata.phone_number_id;
    return [{ kind: 'platform', about: 'preference', at: timestamp * 1000, phoneNumberId, from, value }];
  });

/**
 * The processed fields. Others that an app subscribed to are acknowledged and logged by name. Two of them report nothing that the API
 * shows: `message_template_quality_update` (any score can be sent; if it blocks the template, a status update follows) and `account_alerts`
 * (limits that were not raised, official accounts, lost profile pictures).
 */
type Field = (entry: AccountEntry, at: number, value: unknown) => EntryEvents;
const field =
  <T>(schema: z.ZodType<T>, eventsOf: (id: string, at: number, value: T) => EntryEvents): Field =>
  ({ id }, at, value) => {
    const read = schema.safeParse(value).data;
    return read === undefined ? [undefined] : eventsOf(id, at, read);
  };
const FIELDS: Readonly<Record<string, Field>> = {
  messages: field(messages, (_, __, value) => messageEvents(value)),
  message_template_status_update: field(templates.status, (id, at, value) => [templates.statusEvent(id, at, value)]),
  message_template_components_update: field(templates.components, (id, at, value) => [
    templates.componentsEvent(id, at, value),
  ]),
  template_category_update: field(templates.category, (id, at, value) => [templates.categoryEvent(id, at, value)]),
  business_capability_update: field(capability, capabilityEvents),
  phone_number_name_update: field(numberName, (id, at, value) => [numberNameEvent(id, at, value)]),
  flows: field(flow, flowEvents),
  phone_number_quality_update: field(quality, (id, at, value) => [qualityEvent(id, at, value)]),
  user_preferences: field(preferences, (_, __, value) => preferenceEvents(value)),
  account_update: field(account, (id, at, value) => [accountEvent(id, at, value)]),
};

/** Converts an entry. `now` (ms) is the time of an entry without one. */
export const accountEvents = (entry: AccountEntry, now: number): EntryEvents => {
  const at = entry.time === undefined ? now : entry.time * 1000;
  return entry.changes.flatMap(({ field: name, value }) =>
    Object.hasOwn(FIELDS, name) ? (FIELDS[name]?.(entry, at, value) ?? []) : [ignored(name)],
  );
};
