/** A tag without its partner; `line` counts from 1. */
export interface TagFault {
  readonly line: number;
  readonly message: string;
}

/**
 * One piece of a source, as an HTML tokenizer cuts it (https://html.spec.whatwg.org/multipage/parsing.html, 13.2.5), which the compiler of
 * MJML uses: what holds no tags (comments, CDATA, declarations, scripts, styles), else a tag with its slash, name and closing slash. A quote begins a
 * value only after `=`, and a slash within a bare value closes nothing. Each way may end with the source, so that a match never goes back
 * over what it read.
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

/** The most faults that are told at once. */
const MOST_FAULTS = 20;

const isOfMjml = (name: string): boolean => name === 'mjml' || name.startsWith('mj-');

/** An element of MJML that is open. */
interface Open {
  readonly name: string;
  readonly line: number;
}

const unclosed = ({ name, line }: Open): TagFault => ({ line, message: `${plain(name)} is not closed` });

/** Names are letters, digits and hyphens; another is the tenant's own text, and not repeated. */
const plain = (name: string): string => (/^[a-z0-9-]{1,40}$/.test(name) ? name : 'an element');

/** Opens or closes an element; what this finds wrong. */
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
 * Elements of MJML (`mjml`, `mj-…`) that nothing closes, or that are closed without being open: the compiler completes them in silence.
 * HTML within them is left to HTML's own rules. Linear in the source. At most 20 faults, in the order in which they are met.
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
    if (faults.length >= MOST_FAULTS) break;
  }
  return [...faults, ...open.map(unclosed)].slice(0, MOST_FAULTS);
};
