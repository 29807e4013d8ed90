import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import type { SmsPorts } from './ports.ts';
import type { SmsRoute } from './provider.ts';
import { quoteSms, smsPriceRow } from './quote.ts';
import { prepareText } from './text.ts';

/** What a send of the text would be: nothing is sent, charged or counted. Priced only when a route is given; 412 for one without a table price. */
export const previewSms = async (
  ports: Pick<SmsPorts, 'clock' | 'prices' | 'volume'>,
  actor: Actor,
  { body, route }: { readonly body: string; readonly route?: SmsRoute | undefined },
) => {
  const { text, encoding, length, segments } = prepareText(body);
  const counted = { body: text, encoding, length, segments };
  if (route === undefined) return counted;
  const row: Awaited<ReturnType<typeof smsPriceRow>> | Refusal<'PRECONDITION_FAILED'> = await smsPriceRow(ports, route);
  if (isRefusal(row)) return row;
  const { coins } = await quoteSms(ports, actor.organizationId, 'test', row, segments);
  return { ...counted, billing: { coins } };
};
