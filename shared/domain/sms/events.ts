import type { MessageRecord } from '../messages/message.ts';
import { maskPhone } from '../phone.ts';

const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** `data` of an SMS event (decisions, part 5): the recipient is masked here, and unmasked only at delivery to whoever may see it. */
export const smsEventData = (
  message: MessageRecord,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  id: message.id,
  channel: message.channel,
  to: maskPhone(message.to),
  status: message.status,
  route: message.route,
  ...given({
    reason: message.reason,
    contactId: message.contactId,
    campaignId: message.campaignId,
    metadata: message.metadata ? { ...message.metadata } : undefined,
  }),
  ...more,
});
