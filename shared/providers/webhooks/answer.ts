/** What is kept of a stranger's answer: enough to understand a failure, never more than fits beside the delivery. */

export const MOST_BODY_BYTES = 16 * 1024;
const MOST_HEADERS = 64;
const MOST_HEADERS_BYTES = 8 * 1024;
/** The one header that decides something: kept whatever stands before it. */
const DECIDING = 'retry-after';
const LONGEST_DECIDING = 64;

const decode = (bytes: Uint8Array, cut: boolean): string =>
  // A cut may fall inside a character: `stream` leaves such a beginning out instead of replacing it.
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });

/** A body as text of at most 16 KB. Replacements are longer than the bytes that they stand for, hence the second cut. */
export const answerText = (bytes: Uint8Array): string => {
  const text = decode(bytes.subarray(0, MOST_BODY_BYTES), bytes.byteLength > MOST_BODY_BYTES);
  const encoded = Buffer.from(text);
  return encoded.byteLength > MOST_BODY_BYTES ? decode(encoded.subarray(0, MOST_BODY_BYTES), true) : text;
};

/** Headers by their lower-case names, as many as are kept; those of one name are joined (RFC 9110, 5.3). */
export const answerHeaders = (raw: readonly string[]): Record<string, string> => {
  const kept = new Map<string, string>();
  let bytes = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    const decides = name === DECIDING && value.length <= LONGEST_DECIDING && !kept.has(DECIDING);
    const size = name.length + value.length;
    if (!decides && (index / 2 >= MOST_HEADERS || bytes + size > MOST_HEADERS_BYTES)) continue;
    bytes += size;
    const before = kept.get(name);
    kept.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  // As own properties, so that a header named __proto__ is data.
  return Object.fromEntries(kept);
};
