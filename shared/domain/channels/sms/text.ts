import { GSM_BASIC, GSM_EXTENSION } from '../../core/gsm-alphabet.ts';

/** GSM 03.38 septets or UTF-16 code units. */
export type SmsEncoding = 'GSM-7' | 'UCS-2';

/** A text as it is sent and billed (docs/spec/sms.md#text-as-sent). */
export interface PreparedText {
  readonly text: string;
  readonly encoding: SmsEncoding;
  /** Septets in GSM-7 (extension characters count two), UTF-16 code units in UCS-2. */
  readonly length: number;
  readonly segments: number;
}

/** Characters per segment, alone and as a part of several (docs/spec/sms.md#segments). */
const LIMITS = { 'GSM-7': { single: 160, part: 152 }, 'UCS-2': { single: 70, part: 67 } } as const;

const SEPTETS: ReadonlyMap<string, number> = new Map([
  ...Array.from(GSM_BASIC, (character) => [character, 1] as const),
  ...Array.from(GSM_EXTENSION, (character) => [character, 2] as const),
]);

/** GSM-7 equivalents that Unicode decomposition does not find: each character of a value is replaced by its key. */
const EQUIVALENTS = {
  "'": '\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb`\u00b4',
  '"': '\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u02ba\u02ee\u275d\u275e',
  '-': '\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63',
  ' ': '\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
  '\n': '\v\u0085\u2028\u2029',
  '*': '\u2022\u2023\u2219\u25cf\u25aa',
  '.': '\u00b7\u2024',
  ',': '\u00b8',
  '/': '\u00f7\u2044\u2215',
  '^': '\u02c6',
  '~': '\u02dc\u223c',
  '|': '\u00a6\u01c0',
  '1': '\u00b9',
  '2': '\u00b2',
  '3': '\u00b3',
  a: 'ª',
  c: '¢',
  d: 'đð',
  D: 'ĐÐ',
  h: 'ħ',
  H: 'Ħ',
  i: 'ı',
  k: 'ĸ',
  l: 'ł',
  L: 'Ł',
  n: 'ŋ',
  N: 'Ŋ',
  o: 'º°',
  s: 'ſ',
  t: 'ŧ',
  T: 'Ŧ',
  x: '×',
  ß: 'ẞ',
  '...': '…',
  '!!': '‼',
  '(C)': '©',
  '(R)': '®',
  TM: '™',
  No: '№',
  oe: 'œ',
  OE: 'Œ',
  th: 'þ',
  TH: 'Þ',
  ff: 'ﬀ',
  fi: 'ﬁ',
  fl: 'ﬂ',
  ffi: 'ﬃ',
  ffl: 'ﬄ',
};
const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries(EQUIVALENTS).flatMap(([plain, characters]) => Array.from(characters, (one) => [one, plain] as const)),
);

const MARK = /^\p{Mn}$/u;
const MARKS = /\p{Mn}+/gu;
/** Combining strokes change the meaning, so they are not dropped: without its stroke, ≠ would read =. */
const STROKE = /[\u0334-\u0338\u20d2\u20d3\u20e5]/;
/** Invisible characters. They shape emoji and other scripts, so they are dropped only if the rest of the text is GSM-7. */
const INVISIBLE =
  /^(?:[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\u034f|[\ufe00-\ufe0f])$/;

const isGsm = (text: string): boolean => {
  for (const character of text) if (!SEPTETS.has(character)) return false;
  return true;
};

/** Full-width forms of ASCII are at a fixed offset from it. */
const halfWidth = (character: string): string | undefined => {
  const code = character.charCodeAt(0);
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : undefined;
};

/** The GSM-7 equivalent of a character and its combining marks, or undefined. */
const plainOf = (base: string, marks: readonly string[]): string | undefined => {
  // GSM-7 has no character with two accents; skipping longer runs keeps this linear.
  if (marks.length <= 1) {
    const composed = (base + marks.join('')).normalize('NFC');
    if (SEPTETS.has(composed)) return composed;
  }
  const decomposed = base.normalize('NFD');
  if (STROKE.test(decomposed) || marks.some((mark) => STROKE.test(mark))) return undefined;
  const bare = PLAIN.get(base) ?? halfWidth(base) ?? decomposed.replace(MARKS, '');
  if (bare === '') return undefined;
  return isGsm(bare) ? bare : PLAIN.get(bare);
};

/** A character with its combining marks. Without `plain` it is sent as is. */
interface Cluster {
  readonly original: string;
  readonly plain?: string;
  readonly invisible?: true;
}

const clustersOf = (body: string): Cluster[] => {
  const characters = Array.from(body);
  const clusters: Cluster[] = [];
  for (let at = 0; at < characters.length; ) {
    const base = characters[at++] as string;
    if (INVISIBLE.test(base)) {
      clusters.push({ original: base, invisible: true });
      continue;
    }
    const from = at;
    while (at < characters.length && MARK.test(characters[at] as string) && !INVISIBLE.test(characters[at] as string))
      at++;
    const marks = characters.slice(from, at);
    const plain = plainOf(base, marks);
    clusters.push({ original: base + marks.join(''), ...(plain === undefined ? {} : { plain }) });
  }
  return clusters;
};

const measure = (text: string): PreparedText => {
  const encoding = isGsm(text) ? 'GSM-7' : 'UCS-2';
  const { single, part } = LIMITS[encoding];
  let length = 0;
  for (const character of text) length += encoding === 'GSM-7' ? (SEPTETS.get(character) as number) : character.length;
  return { text, encoding, length, segments: length <= single ? 1 : Math.ceil(length / part) };
};

/**
 * Prepares a text for sending. Characters outside GSM-7 are replaced by GSM-7 equivalents; one without an equivalent switches the whole
 * message to UCS-2. Equivalents longer than the original (three dots for an ellipsis) are not used if they would add a segment. Linear
 * time. `body` must be well-formed Unicode (docs/spec/sms.md#text-as-sent).
 */
export const prepareText = (body: string): PreparedText => {
  if (isGsm(body)) return measure(body);
  const clusters = clustersOf(body);
  const write = (one: (cluster: Cluster) => string) => measure(clusters.map(one).join(''));
  const bare = write(({ original, plain, invisible }) => (invisible ? '' : (plain ?? original)));
  const full = bare.encoding === 'GSM-7' && bare.text !== '' ? bare : write(({ original, plain }) => plain ?? original);
  const short = write(({ original, plain }) =>
    plain !== undefined && plain.length <= original.length ? plain : original,
  );
  return full.segments <= short.segments ? full : short;
};
