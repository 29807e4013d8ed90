/** A header that a subscription adds to every delivery. */
export interface CustomHeader {
  readonly key: string;
  readonly value: string;
}

/** The prefix of masked values in responses: it is not printable ASCII, so no real value can start with it. */
export const MASK = '••••';

const MAX_HEADERS = 20;
const MAX_NAME_LENGTH = 128;
const MAX_VALUE_LENGTH = 1024;

/** Names that this service sets itself: the body's content, the sender, and the message framing (RFC 9112). */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding', // a compressed response can expand a thousandfold
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
/** Prefix of the signature headers (Standard Webhooks 1.0, webhook headers): a customer's header could pass for ours. */
const RESERVED_PREFIX = 'webhook-';

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, space and tab (RFC 9110, 5.5): line ends and NUL would start another header, and other bytes are ambiguous. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** Whether a header of this name is never accepted from a subscription. */
export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || lower.startsWith(RESERVED_PREFIX);
};

const faultOf = ({ key, value }: CustomHeader): string | undefined => {
  if (key.length > MAX_NAME_LENGTH || !NAME.test(key))
    return `must have a header name of 1 to ${MAX_NAME_LENGTH} letters, digits or hyphens`;
  if (isReservedHeader(key)) return 'must not have a reserved header name';
  if (value.startsWith(MASK)) return 'must have its value in clear, or just as it was answered under this name';
  if (value.length > MAX_VALUE_LENGTH) return `must have a value of at most ${MAX_VALUE_LENGTH} characters`;
  return VALUE.test(value) ? undefined : 'must have a value of printable ASCII characters';
};

/**
 * The error in a subscription's headers, as a text that follows their name; undefined if they are valid. Values are
 * usually credentials, so no message repeats one; names are not repeated either, only the position.
 */
export const checkHeaders = (headers: readonly CustomHeader[]): string | undefined => {
  if (headers.length > MAX_HEADERS) return `must be at most ${MAX_HEADERS}`;
  const seen = new Set<string>();
  for (const [index, header] of headers.entries()) {
    const fault = faultOf(header) ?? (seen.has(header.key.toLowerCase()) ? 'must not repeat a header name' : undefined);
    if (fault) return `${fault} (item ${index})`;
    seen.add(header.key.toLowerCase());
  }
  return undefined;
};
