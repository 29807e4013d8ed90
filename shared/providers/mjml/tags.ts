/** A missing or surplus tag; `line` counts from 1. */
export interface TagFault {
  readonly line: number;
  readonly message: string;
}

/**
 * One token of the source, as an HTML tokenizer cuts it (https://html.spec.whatwg.org/multipage/parsing.html, 13.2.5), which the MJML
 * compiler uses: a part without tags (comment, CDATA, declaration, script, style), or a tag with its slash, name and closing slash. A quote
 * starts a value only after `=`, and a slash in an unquoted value does not close the tag. Every alternative may end with the source, so
 * matching never backtracks over what it consumed.
 */
const PIECE = new RegExp(
  [
    /<!--(?:-?>|[\s\S]*?(?:-->|$))/,
    /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/,
    /<(?:[!?]|\/(?![a-z]))[^>]*(?:>|$)/,
    /<(script|style|textarea|title)(?=[\s/>])[\s\S]*?(?:<\/\1(?=[\s/>])|$)/,
    /<(\/?)([a-z][^\s/>]*)(?:=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>][^\s>]*)|[^>=/]|\/(?!\s*>)|=)*(?:(\/)\s*)?(?:>|$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Faults reported at once. */
const MAX_FAULTS = 20;

const isOfMjml = (name: string): boolean => name === 'mjml' || name.startsWith('mj-');

/** An open MJML element. */
interface Open {
  readonly name: string;
  readonly line: number;
}

const unclosed = ({ name, line }: Open): TagFault => ({ line, message: `${plain(name)} is not closed` });

/** An element's name; anything but letters, digits and hyphens is tenant data and is not repeated. */
const plain = (name: string): string => (/^[a-z0-9-]{1,40}$/.test(name) ? name : 'an element');

/** Opens or closes an element; returns the faults found. */
const step = (open: Open[], closes: boolean, element: Open): TagFault[] => {
  if (!closes) {
    open.push(element);
    return [];
  }
  const at = open.findLastIndex(({ name }) => name === element.name);
  if (at < 0) return [{ line: element.line, message: `${plain(element.name)} is closed and was not open` }];
  return open.splice(at).slice(1).map(unclosed);
};

/**
 * Finds MJML elements (`mjml`, `mj-…`) that are never closed, or closed without being open: the compiler would complete them silently. HTML
 * inside of them is not checked. Linear in the source. At most 20 faults, in source order.
 */
export const tagFaults = (source: string): readonly TagFault[] => {
  const open: Open[] = [];
  const faults: TagFault[] = [];
  let [line, read] = [1, 0];
  for (const { index, 2: slash, 3: written = '', 4: selfClosing } of source.matchAll(PIECE)) {
    const name = written.toLowerCase();
    if (!isOfMjml(name)) continue;
    for (; read < index; read++) if (source[read] === '\n') line++;
    if (selfClosing === undefined || slash === '/') faults.push(...step(open, slash === '/', { name, line }));
    if (faults.length >= MAX_FAULTS) break;
  }
  return [...faults, ...open.map(unclosed)].slice(0, MAX_FAULTS);
};
