/** The stored part of an endpoint's response: enough to understand a failure, bounded so that it fits into the delivery's row. */

export const MAX_BODY_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const MAX_HEADERS_BYTES = 8 * 1024;
/** The only header that affects retries; always kept. */
const KEPT_HEADER = 'retry-after';
const MAX_KEPT_HEADER_LENGTH = 64;

const decode = (bytes: Uint8Array, cut: boolean): string =>
  // With `stream`, a character cut in half is dropped instead of replaced.
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });

/** A body as text, at most 16 KB. Replacement characters are longer than the bytes they replace, hence the second cut. */
export const responseText = (bytes: Uint8Array): string => {
  const text = decode(bytes.subarray(0, MAX_BODY_BYTES), bytes.byteLength > MAX_BODY_BYTES);
  const encoded = Buffer.from(text);
  return encoded.byteLength > MAX_BODY_BYTES ? decode(encoded.subarray(0, MAX_BODY_BYTES), true) : text;
};

/** Headers by lower-case name, bounded; repeated ones are joined (RFC 9110, 5.3). */
export const responseHeaders = (raw: readonly string[]): Record<string, string> => {
  const kept = new Map<string, string>();
  let bytes = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const isKeptHeader = name === KEPT_HEADER && value.length <= MAX_KEPT_HEADER_LENGTH && !kept.has(KEPT_HEADER);
    const size = name.length + value.length;
    if (!isKeptHeader && (index / 2 >= MAX_HEADERS || bytes + size > MAX_HEADERS_BYTES)) continue;
    bytes += size;
    const before = kept.get(name);
    kept.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  // Defines own properties, so that a header named __proto__ is data.
  return Object.fromEntries(kept);
};
