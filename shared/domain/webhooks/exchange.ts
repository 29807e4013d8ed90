import type { Actor } from '../core/actor.ts';
import { maskAddress } from '../core/phone.ts';
import { PARTIES } from './envelope.ts';
import type { Exchange } from './ports.ts';

/** Whether the caller may see the other party's address in full. */
export const seesInFull = ({ scopes }: Actor): boolean => scopes.has('pii:full');

/** The unmasked addresses of the other party in a body. */
const addressesIn = (body: string): readonly string[] => {
  if (body === '') return [];
  const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
  return PARTIES.map((name) => data[name]).filter(
    (address): address is string => typeof address === 'string' && maskAddress(address) !== address,
  );
};

const hideAddress = (text: string, address: string): string => {
  const mask = maskAddress(address);
  return text.replaceAll(JSON.stringify(address).slice(1, -1), mask).replaceAll(address, mask);
};

/**
 * An attempt's exchange as the caller may see it. The endpoint may have received an address in full, as the
 * subscription's creator sees it; a caller without that permission gets it masked, even where the endpoint's response
 * repeated it.
 */
export const exchangeFor = (actor: Actor, exchange: Exchange): Exchange => {
  const addresses = seesInFull(actor) ? [] : addressesIn(exchange.requestBody);
  if (addresses.length === 0) return exchange;
  const hide = (text: string) => addresses.reduce(hideAddress, text);
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
