/** An http(s) URL in a text, with its UTF-16 offsets, exactly as written. */
export interface FoundLink {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/** A replaced URL and the short link in its place. */
export interface ReplacedLink {
  readonly url: string;
  readonly short: string;
}

/** Characters that no URL in a text contains: spaces, quotation marks, invisible ones. Part of a character class. */
const OUTSIDE = String.raw`\s<>"“”«»\p{Cc}\u200b-\u200f\u2060\ufeff`;
/** Marks between the entries of a list. Part of a character class. */
const LIST_MARKS = ',;|、，；';
/** Where a URL begins: at a scheme that no letter precedes, and that is not the end of another one, such as `svn+https`. */
const BEGINNING = String.raw`(?<![A-Za-z]|[A-Za-z0-9]\+)https?://`;
/**
 * The separator between a URL and the next one: a list mark, with the next one's number or name (`,2.`, `;Blog:`), or other marks. A URL
 * may contain another one after a letter, a digit or a mark that structures URLs, as in `?to=https://b.com`. Bounded, so that finding links
 * takes linear time.
 */
const BETWEEN = `(?:[${LIST_MARKS}][^${OUTSIDE}${LIST_MARKS}/=?&#%@]{0,20}|[^${OUTSIDE}\\p{L}\\p{N}_/=?&#%@:+~$]{1,8})`;
const CANDIDATE = new RegExp(`${BEGINNING}(?:(?!${BETWEEN}${BEGINNING})[^${OUTSIDE}])+`, 'giu');
/** Trailing punctuation that belongs to the sentence, not to the URL. */
const TRAILING = new Set(".,;:!?'’‘…。、，！？；：");
const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const countOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
};

/** Cuts trailing punctuation, and closing brackets without an opening one inside the URL. */
const trimmed = (candidate: string): string => {
  const counts = countOf(candidate);
  let end = candidate.length;
  for (; end > 0; end--) {
    const last = candidate[end - 1] as string;
    const opener = OPENER[last];
    const unopened = opener !== undefined && (counts.get(last) ?? 0) > (counts.get(opener) ?? 0);
    if (!unopened && !TRAILING.has(last)) break;
    counts.set(last, (counts.get(last) ?? 0) - 1);
  }
  return candidate.slice(0, end);
};

/** Finds the http(s) URLs of a text, in order; skips those that URL cannot parse. Linear time. */
export const findLinks = (text: string): FoundLink[] => {
  const links: FoundLink[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const url = trimmed(match[0]);
    if (URL.canParse(url)) links.push({ url, start: match.index, end: match.index + url.length });
  }
  return links;
};

/**
 * Replaces each URL by `makeShort(url, index)`. Repeated URLs get a short link each, so that their clicks are counted separately. The rest
 * of the text is unchanged.
 */
export const replaceLinks = (
  text: string,
  makeShort: (url: string, index: number) => string,
): { readonly text: string; readonly links: readonly ReplacedLink[] } => {
  const links: ReplacedLink[] = [];
  const texts: string[] = [];
  let at = 0;
  for (const { url, start, end } of findLinks(text)) {
    const short = makeShort(url, links.length);
    links.push({ url, short });
    texts.push(text.slice(at, start), short);
    at = end;
  }
  texts.push(text.slice(at));
  return { text: texts.join(''), links };
};
