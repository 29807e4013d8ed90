import type { SmsRoute } from '../channels/sms/content.ts';
import { prepareText } from '../channels/sms/text.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import { phoneOf } from '../message/recipient.ts';
import { routePrice } from '../sending/destinations.ts';
import type { QuotePorts, RoutePorts } from '../sending/ports.ts';
import { priceOf, quote } from '../sending/quote.ts';

/**
 * Previews an SMS (docs/spec/sms.md#sms-preview): nothing is sent, charged or counted. Priced only with a route: by the
 * recipient under the rules of its send, else for Brazil. 412 or 422 if the send would be refused for its route or
 * destination.
 */
export const previewSms = async (
  ports: QuotePorts & RoutePorts,
  actor: Actor,
  {
    body,
    route,
    to,
  }: { readonly body: string; readonly route?: SmsRoute | undefined; readonly to?: string | undefined },
) => {
  const phone = to === undefined ? undefined : phoneOf(to);
  if (isRefusal(phone)) return phone;
  const { text, encoding, length, segments } = prepareText(body);
  const counted = { body: text, encoding, length, segments };
  if (route === undefined) return counted;
  const row =
    phone === undefined
      ? await priceOf(ports, 'sms', route)
      : await routePrice(ports, actor, { channel: 'sms', route, to: phone });
  if (isRefusal(row)) return row;
  const { coins } = await quote(ports, actor.organizationId, 'test', row, segments);
  return { ...counted, billing: { coins } };
};
