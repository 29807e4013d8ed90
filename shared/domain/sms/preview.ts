import type { Actor } from '../actor.ts';
import { isRefusal } from '../errors.ts';
import type { QuotePorts } from '../messages/ports.ts';
import { priceOf, quote } from '../messages/quote.ts';
import type { SmsRoute } from './provider.ts';
import { prepareText } from './text.ts';

/** What a send of the text would be: nothing is sent, charged or counted. Priced only when a route is given; 412 for one without a table price. */
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
