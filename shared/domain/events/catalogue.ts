/**
 * Every kind of event a subscription can name (interface, part 6), with where it comes from.
 * Closed: an event outside of it does not compile.
 */
export const EVENT_TYPES = [
  'message.queued', 'message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.received',
  'campaign.completed', 'number.quality_changed', 'template.approved', 'template.rejected',
  'contact.created', 'contact.opted_out', 'apikey.created', 'apikey.rotated',
  'sms.delivered', 'sms.failed', 'sms.undelivered', 'sms.received', 'sms.clicked',
  'email.delivered', 'email.bounced', 'email.complained', 'email.opened', 'email.clicked',
  'rcs.delivered', 'rcs.read', 'rcs.failed', 'rcs.clicked',
  'wallet.low_balance', 'wallet.depleted',
  'instagram.message.received', 'instagram.message.sent', 'instagram.message.failed', 'ai.interaction',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
