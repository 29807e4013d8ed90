import type { Compiled } from '../domain/email/template.ts';
import { tagFaults } from './mjml-tags.ts';

const INCLUDE = /<mj-include\b/i;
/** Words of the compiler that hold nothing but its own vocabulary: names of elements and attributes. */
const PLAIN = /^[A-Za-z][A-Za-z0-9 ,.:;'()_/-]*$/;

/** The characters of inline styles, times the tags of the source: inlining compares them all, and takes about a second for as many. */
const MOST_INLINING = 4_000_000;
/** Selectors whose matching takes a power of the number of elements: later siblings and functional pseudo-classes; \ may hide them. */
const COSTLY = /[~\\]|:(?:has|is|not|where|matches|i?contains|nth-[a-z-]+)\s*\(/;

/** The texts of the source from each `<name` to its `end`, or to the source's own: the compiler closes what is open. Linear. */
const partsOf = (source: string, name: string, end: string): string[] => {
  const parts: string[] = [];
  for (let at = source.indexOf(`<${name}`); at >= 0; at = source.indexOf(`<${name}`, at + 1)) {
    const stop = source.indexOf(end, at);
    parts.push(source.slice(at, stop < 0 ? undefined : stop));
    if (stop < 0) break;
    at = stop;
  }
  return parts;
};

/** What would keep the compiler at work for too long, in words: its selectors are the tenant's own. */
const costFault = (source: string): string | undefined => {
  const text = source.toLowerCase();
  const inline = partsOf(text, 'mj-style', '</mj-style').filter((part) => /\binline\s*=/.test(part));
  if ([...inline, ...partsOf(text, 'mj-selector', '</mj-selector')].some((selectors) => COSTLY.test(selectors)))
    return 'must not use ~, escapes or pseudo-classes with an argument in inline styles and in mj-selector';
  const length = inline.reduce((sum, css) => sum + css.length, 0);
  return length * text.split('<').length > MOST_INLINING ? 'has too much inline style for so many elements' : undefined;
};

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** What the compiler says, without the values that stand in the source. */
const plainWords = (message: string): string => {
  const words = message.replace(/has invalid value: [\s\S]* for type [\s\S]*$/, 'has an invalid value').trim();
  return PLAIN.test(words) ? words : 'is not valid MJML';
};

/**
 * Compiles MJML to html, strictly: what the compiler would only warn of is a fault. It is the browser's build of the compiler, which knows
 * no file system; includes are refused all the same, since they would be left out in silence, and so is what it would complete: elements
 * that nothing closes. Loaded at the first use.
 */
export const compileMjml = async (source: string): Promise<Compiled> => {
  const include = INCLUDE.exec(source);
  if (include)
    return {
      kind: 'faulty',
      faults: [{ line: lineOf(source, include.index), message: 'mj-include is not supported' }],
    };
  const costly = costFault(source);
  if (costly) return { kind: 'faulty', faults: [{ message: costly }] };
  const unpaired = tagFaults(source);
  if (unpaired.length > 0) return { kind: 'faulty', faults: unpaired };
  const { default: compile } = await import('mjml-browser');
  try {
    const { html, errors } = await compile(source, { validationLevel: 'soft' });
    if (errors.length === 0) return { kind: 'html', html };
    return { kind: 'faulty', faults: errors.map(({ line, message }) => ({ line, message: plainWords(message) })) };
  } catch (fault) {
    const message = fault instanceof RangeError ? 'is nested too deep' : 'must be one mjml element, well-formed';
    return { kind: 'faulty', faults: [{ message }] };
  }
};
