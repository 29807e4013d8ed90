import type { SmsRoute } from '../channels/sms/content.ts';
import { prepareText } from '../channels/sms/text.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import type { QuotePorts } from '../sending/ports.ts';
import { priceOf, quote } from '../sending/quote.ts';

/** Previews an SMS (docs/spec/sms.md#sms-preview): nothing is sent, charged or counted. Priced only with a route; 412 for one without a table price. */
export const previewSms = async (
  ports: QuotePorts,
  actor: Actor,
  { body, route }: { readonly body: string; readonly route?: SmsRoute | undefined },
) => {
  const { text, encoding, length, segments } = prepareText(body);
  const counted = { body: text, encoding, length, segments };
  if (route === undefined) return counted;
  const row = await priceOf(ports, 'sms', route);
  if (isRefusal(row)) return row;
  const { coins } = await quote(ports, actor.organizationId, 'test', row, segments);
  return { ...counted, billing: { coins } };
};
