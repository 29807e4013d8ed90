import type { Compiled } from '../domain/email/template.ts';

const INCLUDE = /<mj-include\b/i;
/** Words of the compiler that hold nothing but its own vocabulary: names of elements and attributes. */
const PLAIN = /^[A-Za-z][A-Za-z0-9 ,.:;'()_/-]*$/;

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** What the compiler says, without the values that stand in the source. */
const plainWords = (message: string): string => {
  const words = message.replace(/has invalid value: [\s\S]* for type [\s\S]*$/, 'has an invalid value').trim();
  return PLAIN.test(words) ? words : 'is not valid MJML';
};

/**
 * Compiles MJML to html, strictly: what the compiler would only warn of is a fault. It is the browser's build of the compiler, which knows
 * no file system; includes are refused all the same, since they would be left out in silence. Loaded at the first use.
 */
export const compileMjml = async (source: string): Promise<Compiled> => {
  const include = INCLUDE.exec(source);
  if (include)
    return {
      kind: 'faulty',
      faults: [{ line: lineOf(source, include.index), message: 'mj-include is not supported' }],
    };
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
