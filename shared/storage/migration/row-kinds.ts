import { KEYS } from '../access-patterns.ts';
import type { Key } from '../client/row.ts';

/** An entry of the key table. */
export type RowKind = keyof typeof KEYS;

/** The common part of an entry's keys: everything, or the text before the first variable part. */
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

/** Longer than any padded number, and enough that their hashes share no prefix. */
const ARGUMENTS = [...'abcdefgh'].map((letter) => Array<string>(4).fill(letter.repeat(40)));

const SHAPES = (Object.keys(KEYS) as RowKind[]).map((kind) => {
  // Keys are built from their arguments' text, so that any text works.
  const make = KEYS[kind] as (...parts: string[]) => Key;
  const keys = ARGUMENTS.map((parts) => make(...parts));
  return { kind, pk: commonOf(keys.map(({ pk }) => pk)), sk: commonOf(keys.map(({ sk }) => sk)) };
});

const fits = ({ text, whole }: Shape, part: string): boolean => (whole ? part === text : part.startsWith(text));
const weight = ({ text, whole }: Shape): number => text.length + (whole ? 1_000 : 0);

/**
 * The entry of the key table that built a key; undefined if none did. If several match, the most specific one, or the first of equals: the
 * three kinds of `RATE#` rows can't all be distinguished.
 */
export const kindOfRow = ({ pk, sk }: Key): RowKind | undefined =>
  SHAPES.filter((shape) => fits(shape.pk, pk) && fits(shape.sk, sk)).reduce<(typeof SHAPES)[number] | undefined>(
    (best, shape) => (best && weight(best.pk) + weight(best.sk) >= weight(shape.pk) + weight(shape.sk) ? best : shape),
    undefined,
  )?.kind;
