import { definedFields } from '../core/patch.ts';
import { type CustomHeader, isReservedHeader, MASK } from './headers.ts';
import type { Exchange, WebhookPorts } from './ports.ts';
import type { StoredHeader, Subscription } from './subscription.ts';

/** Shorter values are masked completely, and not searched for in an endpoint's response. */
const MIN_SHOWN_LENGTH = 8;

/** A header's value as responses show it (docs/spec/webhooks.md#header-values). */
export const maskHeaderValue = (value: string): string =>
  value.startsWith(MASK) ? value : MASK + (value.length < MIN_SHOWN_LENGTH ? '' : value.slice(-4));

/** A stored header as responses show it. */
export const shownHeader = (header: StoredHeader): CustomHeader => ({
  key: header.key,
  value: 'sealed' in header ? header.shown : maskHeaderValue(header.value),
});

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The stored header that a caller sent back in masked form; undefined if the value is new. */
const keptOf = (stored: readonly StoredHeader[], given: CustomHeader): StoredHeader | undefined =>
  given.value.startsWith(MASK)
    ? stored.find((each) => isSameName(each.key, given.key) && shownHeader(each).value === given.value)
    : undefined;

/** The given headers, with empty values where they keep a stored one, ready for validation. */
export const headersToCheck = (
  stored: readonly StoredHeader[] | undefined,
  given: readonly CustomHeader[],
): readonly CustomHeader[] =>
  given.map((header) => (keptOf(stored ?? [], header) ? { key: header.key, value: '' } : header));

/** Whether a change keeps stored values. */
export const keepsValues = (
  stored: readonly StoredHeader[] = [],
  given: readonly CustomHeader[] | null | undefined,
): boolean =>
  given === undefined ? stored.length > 0 : (given ?? []).some((header) => keptOf(stored, header) !== undefined);

/** Whether a change results in different headers. */
export const changesHeaders = (
  stored: readonly StoredHeader[] = [],
  given: readonly CustomHeader[] | null | undefined,
): boolean =>
  given !== undefined &&
  ((given ?? []).length !== stored.length || (given ?? []).some((header) => !keptOf(stored, header)));

type Place = Pick<Subscription, 'organizationId' | 'id'>;

const sealed = async (
  ports: Pick<WebhookPorts, 'sealHeader'>,
  { organizationId, id }: Place,
  { key, value }: CustomHeader,
): Promise<StoredHeader> => ({
  key,
  sealed: await ports.sealHeader(organizationId, id, key.toLowerCase(), value),
  shown: maskHeaderValue(value),
});

/** Headers to store: new values sealed, kept ones as they are, and those stored in plain text sealed, too. */
export const storedHeaders = (
  ports: Pick<WebhookPorts, 'sealHeader'>,
  place: Place,
  stored: readonly StoredHeader[] | undefined,
  given: readonly CustomHeader[] | null | undefined,
): Promise<readonly StoredHeader[] | undefined> => {
  if (given === null) return Promise.resolve(undefined);
  const headers = given?.map((header) => keptOf(stored ?? [], header) ?? header) ?? stored;
  return headers
    ? Promise.all(headers.map(async (header) => ('sealed' in header ? header : sealed(ports, place, header))))
    : Promise.resolve(undefined);
};

/** The headers to send, decrypted, under lower-case names. A reserved name is omitted, even if it was stored. */
export const openHeaders = async (
  ports: Pick<WebhookPorts, 'openHeader'>,
  { organizationId, id, headers = [] }: Place & Pick<Subscription, 'headers'>,
): Promise<Record<string, string>> => {
  const open = async (header: StoredHeader): Promise<[string, string]> => {
    const name = header.key.toLowerCase();
    return [name, 'sealed' in header ? await ports.openHeader(organizationId, id, name, header.sealed) : header.value];
  };
  return Object.fromEntries(await Promise.all(headers.filter(({ key }) => !isReservedHeader(key)).map(open)));
};

const mapValues = (fields: Readonly<Record<string, string>>, map: (value: string, name: string) => string) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));

/**
 * An exchange without the values of the subscription's own headers: masked in the request, and, if eight or more
 * characters long, wherever the response repeats them.
 */
export const hideHeaderValues = (exchange: Exchange): Exchange => {
  const { requestHeaders, requestBody, responseHeaders, responseBody } = exchange;
  const values = Object.entries(requestHeaders).flatMap(([name, value]) =>
    isReservedHeader(name) || value.startsWith(MASK) || value.length < MIN_SHOWN_LENGTH ? [] : [value],
  );
  const hide = (text: string): string =>
    values.reduce((left, value) => left.replaceAll(value, maskHeaderValue(value)), text);
  return {
    requestHeaders: mapValues(requestHeaders, (value, name) =>
      isReservedHeader(name) ? value : maskHeaderValue(value),
    ),
    requestBody,
    ...definedFields({
      responseHeaders: responseHeaders && mapValues(responseHeaders, hide),
      responseBody: responseBody === undefined ? undefined : hide(responseBody),
    }),
  };
};
