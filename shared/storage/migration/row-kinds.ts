import { KEYS } from '../access-patterns.ts';
import type { Key } from '../client/row.ts';

/** An entry of the key table. */
export type RowKind = keyof typeof KEYS;

/** What the keys of an entry have in common: all, or what stands before the first part that differs. */
interface Shape {
  readonly text: string;
  readonly whole: boolean;
}

const commonOf = (texts: readonly string[]): Shape => {
  const [first = '', ...others] = texts;
  if (others.every((other) => other === first)) return { text: first, whole: true };
  let length = 0;
  while (others.every((other) => other[length] === first[length])) length++;
  return { text: first.slice(0, length), whole: false };
};

/** Longer than any number that is padded, and so many that hashes of them have no beginning in common. */
const ARGUMENTS = [...'abcdefgh'].map((letter) => Array<string>(4).fill(letter.repeat(40)));

const SHAPES = (Object.keys(KEYS) as RowKind[]).map((kind) => {
  // Keys are made of their arguments' text, so that any text will do.
  const make = KEYS[kind] as (...parts: string[]) => Key;
  const keys = ARGUMENTS.map((parts) => make(...parts));
  return { kind, pk: commonOf(keys.map(({ pk }) => pk)), sk: commonOf(keys.map(({ sk }) => sk)) };
});

const fits = ({ text, whole }: Shape, part: string): boolean => (whole ? part === text : part.startsWith(text));
const weight = ({ text, whole }: Shape): number => text.length + (whole ? 1_000 : 0);

/**
 * Which entry of the key table a key was made by; undefined for one of no entry. Where several may have made it, the one that says most about
 * the key, and the first of equals: the three kinds of `RATE#` rows cannot all be told apart.
 */
export const kindOfRow = ({ pk, sk }: Key): RowKind | undefined =>
  SHAPES.filter((shape) => fits(shape.pk, pk) && fits(shape.sk, sk)).reduce<(typeof SHAPES)[number] | undefined>(
    (best, shape) => (best && weight(best.pk) + weight(best.sk) >= weight(shape.pk) + weight(shape.sk) ? best : shape),
    undefined,
  )?.kind;
