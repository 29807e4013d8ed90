/** An http(s) address inside a text: its UTF-16 offsets and its characters as they stand. */
export interface FoundLink {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/** A link that was replaced, with what stands in its place. */
export interface ReplacedLink {
  readonly url: string;
  readonly short: string;
}

// A scheme that begins a word, then everything up to a space, a quotation mark or an invisible character: one class, no backtracking.
const CANDIDATE = /(?<![A-Za-z0-9+.-])https?:\/\/[^\s<>"“”«»\p{Cc}\u200b-\u200f\u2060\ufeff]+/giu;
/** What ends a sentence, not an address, when it comes last. */
const TRAILING = new Set(".,;:!?'’‘…。、，！？；：");
const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const countOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
};

/** Cuts sentence marks from the end, and closing brackets that were opened before the address began. */
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

/** The http and https addresses of a text, in order. What URL cannot read is none. Linear in the text. */
export const findLinks = (text: string): FoundLink[] => {
  const links: FoundLink[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const url = trimmed(match[0]);
    if (URL.canParse(url)) links.push({ url, start: match.index, end: match.index + url.length });
  }
  return links;
};

/**
 * Puts `makeShort(url, index)` in the place of each address of the text, repeated ones included: each occurrence has its own
 * short link, so that clicks tell them apart. Everything around them stays as it is.
 */
export const replaceLinks = (
  text: string,
  makeShort: (url: string, index: number) => string,
): { readonly text: string; readonly links: readonly ReplacedLink[] } => {
  const links: ReplacedLink[] = [];
  const pieces: string[] = [];
  let at = 0;
  for (const { url, start, end } of findLinks(text)) {
    const short = makeShort(url, links.length);
    links.push({ url, short });
    pieces.push(text.slice(at, start), short);
    at = end;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(''), links };
};
