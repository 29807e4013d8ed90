import type { Actor } from '../core/actor.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import { PARTIES } from './envelope.ts';
import type { Exchange } from './ports.ts';

/** Whether the caller may see the other party's address in full. */
export const seesInFull = ({ scopes }: Actor): boolean => scopes.has('pii:full');

/** The unmasked address of the other party in a body; undefined when there is none. */
const addressIn = (body: string): string | undefined => {
  if (body === '') return undefined;
  const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
  const addresses = PARTIES.map((name) => data[name]);
  return addresses.find((address): address is string => typeof address === 'string' && !address.includes('***'));
};

/**
 * An attempt's exchange as the caller may see it. The endpoint may have been sent an address in full, as the subscription's creator sees it; a
 * caller without that permission sees it masked, also where the endpoint repeated it.
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
