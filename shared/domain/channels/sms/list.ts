import type { Actor } from '../../core/actor.ts';
import { parsePhone } from '../../core/phone.ts';
import { refuseField } from '../../core/refuse-field.ts';
import { isoWindow } from '../../core/time.ts';
import type { ListPorts, MessageFilter, PageRequest } from '../../message/lists.ts';

/** The parsed query: `phone` in E.164, time bounds in ISO 8601. */
type Query = Pick<MessageFilter, 'status' | 'region' | 'contactId' | 'campaignId'> &
  PageRequest & { readonly [K in 'phone' | 'from' | 'to']?: string | undefined };

/** A page of the caller's SMS, newest first. 422 if `phone` is not an existing number (docs/spec/sms.md#sms-lists). */
export const listSms = async (
  { recipients, page }: ListPorts,
  { organizationId }: Actor,
  { phone, limit, skip, from, to, ...filter }: Query,
) => {
  const number = phone === undefined ? undefined : parsePhone(phone);
  if (phone !== undefined && number === undefined)
    return refuseField(
      'The query violates the contract.',
      'phone',
      'must be an existing number in E.164; in an address its + is written %2B',
    );
  const recipientHash = number && (await recipients()).blindIndex(organizationId, 'phone', number);
  return page(organizationId, 'sms', { ...filter, ...isoWindow(from, to), recipientHash }, { limit, skip });
};
