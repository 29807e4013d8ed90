import type { Actor } from '../core/actor.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import { PARTIES } from './envelope.ts';
import type { Exchange } from './ports.ts';

/** Whether somebody may see whom an event is about in full. */
export const seesInFull = ({ scopes }: Actor): boolean => scopes.has('pii:full');

/** The other party's address that a body carries in full; undefined when it carries none, or a masked one. */
const addressIn = (body: string): string | undefined => {
  if (body === '') return undefined;
  const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
  const addresses = PARTIES.map((name) => data[name]);
  return addresses.find((address): address is string => typeof address === 'string' && !address.includes('***'));
};

/**
 * An attempt's exchange as somebody reads it. Its endpoint may have been sent an address in full, as the subscription's creator sees it;
 * who may not sees it masked, also where the endpoint repeated it.
 */
export const exchangeFor = (actor: Actor, exchange: Exchange): Exchange => {
  const address = seesInFull(actor) ? undefined : addressIn(exchange.requestBody);
  if (address === undefined) return exchange;
  const mask = address.includes('@') ? maskEmail(address) : maskPhone(address);
  const written = JSON.stringify(address).slice(1, -1);
  const hide = (text: string) => text.replaceAll(written, mask).replaceAll(address, mask);
  const { requestHeaders, requestBody, responseHeaders, responseBody } = exchange;
  return {
    requestHeaders,
    requestBody: hide(requestBody),
    ...(responseHeaders
      ? {
          responseHeaders: Object.fromEntries(
            Object.entries(responseHeaders).map(([name, text]) => [name, hide(text)]),
          ),
        }
      : {}),
    ...(responseBody === undefined ? {} : { responseBody: hide(responseBody) }),
  };
};
