/**
 * The maximum size of a page's items as a function answers them, in bytes: its response has at most 6,291,456, in which the body is a text,
 * so that quotes and backslashes are escaped once more.
 */
const MAX_PAGE_BYTES = 5_500_000;

const carriedBytes = (item: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(item)));

/** The first items of a page that fit into one response, at least one; `shown`: an item as it is answered. */
export const withinBytes = <T>(items: readonly T[], shown: (item: T) => object): readonly T[] => {
  let bytes = 0;
  const end = items.findIndex((item, at) => {
    bytes += carriedBytes(shown(item));
    return at > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end < 0 ? items : items.slice(0, end);
};
