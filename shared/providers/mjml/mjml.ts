import type { Compiled } from '../../domain/channels/email/template.ts';
import { tagFaults } from './tags.ts';

const INCLUDE = /<mj-include\b/i;
/** Compiler messages that contain nothing but element and attribute names. */
const PLAIN = /^[A-Za-z][A-Za-z0-9 ,.:;'()_/-]*$/;

/** Limit of inline style characters times tags. Inlining compares them all, which takes about a second at this limit. */
const MAX_INLINING = 4_000_000;
/**
 * Selectors that take polynomial time in the number of elements: later siblings and functional pseudo-classes; escapes (\) could hide them.
 */
const COSTLY = /[~\\]|:(?:has|is|not|where|matches|i?contains|nth-[a-z-]+)\s*\(/;

/** The parts of the source from each `<name` to its `end`, or to the end of the source, since the compiler closes open elements. Linear. */
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

/** Refuses input that would occupy the compiler for too long: selectors are tenant input. Undefined if acceptable. */
const costFault = (source: string): string | undefined => {
  const text = source.toLowerCase();
  const inline = partsOf(text, 'mj-style', '</mj-style').filter((part) => /\binline\s*=/.test(part));
  if ([...inline, ...partsOf(text, 'mj-selector', '</mj-selector')].some((selectors) => COSTLY.test(selectors)))
    return 'must not use ~, escapes or pseudo-classes with an argument in inline styles and in mj-selector';
  const length = inline.reduce((sum, css) => sum + css.length, 0);
  return length * text.split('<').length > MAX_INLINING ? 'has too much inline style for so many elements' : undefined;
};

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** The compiler's message without values from the source. */
const plainWords = (message: string): string => {
  const words = message.replace(/has invalid value: [\s\S]* for type [\s\S]*$/, 'has an invalid value').trim();
  return PLAIN.test(words) ? words : 'is not valid MJML';
};

/**
 * Compiles MJML to HTML. Strict: compiler warnings are faults, and so are elements that the compiler would close silently. It is the
 * browser build of the compiler, which has no access to files; includes are refused because it would drop them silently. The compiler is
 * loaded on first use.
 */
export const compileMjml = async (source: string): Promise<Compiled> => {
  const include = INCLUDE.exec(source);
  if (include)
    return {
      kind: 'invalid',
      errors: [{ line: lineOf(source, include.index), message: 'mj-include is not supported' }],
    };
  const costly = costFault(source);
  if (costly) return { kind: 'invalid', errors: [{ message: costly }] };
  const unpaired = tagFaults(source);
  if (unpaired.length > 0) return { kind: 'invalid', errors: unpaired };
  const { default: compile } = await import('mjml-browser');
  try {
    const { html, errors } = await compile(source, { validationLevel: 'soft' });
    if (errors.length === 0) return { kind: 'html', html };
    return { kind: 'invalid', errors: errors.map(({ line, message }) => ({ line, message: plainWords(message) })) };
  } catch (fault) {
    const message = fault instanceof RangeError ? 'is nested too deep' : 'must be one mjml element, well-formed';
    return { kind: 'invalid', errors: [{ message }] };
  }
};
