/** Names of the ISO 8859-1 characters from 160 on, in order (HTML, 13.5): covers Portuguese. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(' ').map((name, at): [string, string] => [name, String.fromCharCode(160 + at)]),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", hellip: '…', ndash: '–', mdash: '—' }),
  ...Object.entries({ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•', euro: '€', trade: '™', zwnj: '' }),
]);

const numeric = (digits: string): string => {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10);
  const none = !(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff);
  return none ? '\ufffd' : String.fromCodePoint(code);
};

const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(x[0-9a-f]{1,6}|\d{1,7})|([a-z][a-z0-9]{1,31}));/gi, (all, digits?: string, name?: string) =>
    digits === undefined ? (ENTITIES.get(name ?? '') ?? all) : numeric(digits),
  );

/** Block elements, with the number of line breaks around them. */
const BREAKS: ReadonlyMap<string, number> = new Map([
  ...'p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table hr figure'.split(' ').map((n): [string, number] => [n, 2]),
  ...'div tr li dt dd section article header footer main nav aside address center caption form body'
    .split(' ')
    .map((n): [string, number] => [n, 1]),
]);
/** Elements whose content is not rendered. */
const HIDDEN: ReadonlyMap<string, RegExp> = new Map(
  ['head', 'script', 'style', 'title', 'template'].map((name) => [name, new RegExp(`</${name}(?![a-z0-9-])`, 'gi')]),
);

/** Lays out text like a browser: collapses spaces, starts blocks on new lines. */
class Lines {
  readonly #pieces: string[] = [];
  #breaks = 0;
  #space = false;

  text(raw: string): void {
    const words = decodeEntities(raw)
      .replaceAll(/[ \t\r\n\f]+/g, ' ')
      .replaceAll('\u00ad', '');
    const inner = words.trim();
    if (words.startsWith(' ')) this.#space = true;
    if (inner === '') return;
    this.append(inner);
    this.#space = words.endsWith(' ');
  }
  /** Appends text verbatim, after any pending breaks or space. */
  append(text: string): void {
    if (this.#pieces.length > 0)
      this.#pieces.push(this.#breaks > 0 ? '\n'.repeat(this.#breaks) : this.#space ? ' ' : '');
    this.#pieces.push(text);
    this.#breaks = 0;
    this.#space = false;
  }
  space(): void {
    this.#space = true;
  }
  breakLine(minimum: number): void {
    if (minimum === 0) return;
    this.#breaks = Math.max(this.#breaks, minimum);
    this.#space = false;
  }
  addBreak(): void {
    this.#breaks = Math.min(this.#breaks + 1, 3);
    this.#space = false;
  }
  /** Position in the output, for `since`. */
  get mark(): number {
    return this.#pieces.length;
  }
  since(mark: number): string {
    return this.#pieces.slice(mark).join('').trim();
  }
  toString(): string {
    return this.#pieces.join('').replaceAll('\u00a0', ' ').trim();
  }
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly attributes: string;
  /** Offset after the tag. */
  readonly end: number;
}

/** Parses the tag at a `<`, or undefined if it is text. As in a browser, quotes hide a `>`. */
const tagAt = (html: string, at: number): Tag | undefined => {
  const head = /\/?[a-z][a-z0-9:-]*/iy;
  head.lastIndex = at + 1;
  const [found] = head.exec(html) ?? [];
  if (found === undefined) return undefined;
  const start = head.lastIndex;
  let end = start;
  for (let quote = ''; end < html.length; end++) {
    const character = html.charAt(end);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') break;
    else if ((character === '"' || character === "'") && html[end - 1] === '=') quote = character;
  }
  const closing = found.startsWith('/');
  const name = (closing ? found.slice(1) : found).toLowerCase();
  return { name, closing, attributes: html.slice(start, end), end: end + 1 };
};

const HREF = /\shref=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
/** A link's target, if it makes sense as text: a web address, a mailbox or a phone number. */
const hrefOf = (attributes: string): string | undefined => {
  const match = HREF.exec(attributes.slice(0, 8_192));
  const href = decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(href) ? href : undefined;
};

/** The end of a comment, declaration or unrendered element that starts at a `<`; undefined if none does. */
const skippedUntil = (html: string, at: number, tag: Tag | undefined): number | undefined => {
  const after = (index: number, length: number) => (index < 0 ? html.length : index + length);
  if (html.startsWith('<!--', at)) return after(html.indexOf('-->', at + 4), 3);
  if (/[!?]/.test(html.charAt(at + 1))) return after(html.indexOf('>', at), 1);
  const closing = tag && !tag.closing ? HIDDEN.get(tag.name) : undefined;
  if (!tag || !closing) return undefined;
  closing.lastIndex = tag.end;
  const match = closing.exec(html);
  return match ? after(html.indexOf('>', match.index), 1) : html.length;
};

/** Renders tags as breaks, bullets and link targets. */
const tagWriter = (lines: Lines) => {
  let link: { href: string; mark: number } | undefined;
  const endLink = () => {
    if (!link) return;
    const text = lines.since(link.mark);
    const known = text === link.href || `mailto:${text}` === link.href || `tel:${text}` === link.href;
    if (text !== '' && !known) {
      lines.space();
      lines.append(`(${link.href.replace(/^(?:mailto|tel):/i, '')})`);
    }
    link = undefined;
  };
  return ({ name, closing, attributes }: Tag): void => {
    if (name === 'a') {
      endLink();
      const href = closing ? undefined : hrefOf(attributes);
      if (href !== undefined) link = { href, mark: lines.mark };
    } else if (name === 'br') lines.addBreak();
    else if (name === 'td' || name === 'th') lines.space();
    else {
      lines.breakLine(BREAKS.get(name) ?? 0);
      if (name === 'li' && !closing) lines.append('- ');
    }
  };
};

/**
 * Converts HTML to the plain-text part of an e-mail: blocks as lines, list items with a hyphen, link targets in parentheses, no images.
 * Linear time for any input; text without HTML is returned as text.
 */
export const textFromHtml = (html: string): string => {
  const lines = new Lines();
  const write = tagWriter(lines);
  const markup = /<(?=[a-z!?]|\/[a-z])/gi;
  let at = 0;
  while (at < html.length) {
    markup.lastIndex = at;
    const open = markup.exec(html)?.index ?? html.length;
    if (open > at) lines.text(html.slice(at, open));
    const tag = tagAt(html, open);
    const end = skippedUntil(html, open, tag);
    if (end === undefined && tag) write(tag);
    at = end ?? tag?.end ?? html.length;
  }
  return lines.toString();
};
