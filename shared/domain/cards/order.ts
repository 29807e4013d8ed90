/*
 * Positions of cards in a stage, as sortable text. A position is a list of integers, each encoded so that text order equals numeric order.
 * Before the first and after the last position there is always another number, so that positions at the ends grow only logarithmically.
 * Between two positions, a number between theirs is taken, or one more is appended. Numbers are drawn randomly within their range, so that
 * concurrent inserts at one position rarely collide.
 */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;
/** The first character encodes sign and number of digits: `a` one, `b` two, …; `Z` one of a negative number, `Y` two, …. */
const [FIRST_POSITIVE, FIRST_NEGATIVE] = ['a'.charCodeAt(0), 'Z'.charCodeAt(0)];
/** The mean distance between neighbours at an end: about 20 cards can be inserted between two before a number is appended. */
const STRIDE = 2 ** 20;
/** In a smaller range, concurrent inserts would often collide. */
const MIN_RANGE = 64;
/** The maximum length of a position: with a card's id it is a sort key, which DynamoDB limits to 1,024 bytes. */
export const MAX_ORDER = 900;

/** Returns a random number from 0 up to, but not including, 1. */
export type Draw = () => number;

const digitsOf = (number: number): string => {
  let [text, left] = ['', number];
  do {
    text = DIGITS.charAt(left % BASE) + text;
    left = Math.floor(left / BASE);
  } while (left > 0);
  return text;
};

const write = (number: number): string => {
  if (!Number.isSafeInteger(number)) throw new RangeError('a stage has no more places at its end');
  if (number >= 0) {
    const digits = digitsOf(number);
    return String.fromCharCode(FIRST_POSITIVE + digits.length - 1) + digits;
  }
  const digits = digitsOf(-number - 1);
  const complement = [...digits].map((digit) => DIGITS.charAt(BASE - 1 - DIGITS.indexOf(digit))).join('');
  return String.fromCharCode(FIRST_NEGATIVE - digits.length + 1) + complement;
};

/** Parses a position. Throws a TypeError for any other text. */
const read = (order: string): number[] => {
  const numbers: number[] = [];
  for (let at = 0; at < order.length; ) {
    const head = order.charCodeAt(at);
    const isPositive = head >= FIRST_POSITIVE;
    const length = isPositive ? head - FIRST_POSITIVE + 1 : FIRST_NEGATIVE - head + 1;
    const digits = Array.from(order.slice(at + 1, at + 1 + length), (digit) => DIGITS.indexOf(digit));
    if (length < 1 || digits.length < length || digits.includes(-1)) throw new TypeError('not the place of a card');
    const value = digits.reduce((sum, digit) => sum * BASE + (isPositive ? digit : BASE - 1 - digit), 0);
    numbers.push(isPositive ? value : -value - 1);
    at += 1 + length;
  }
  return numbers;
};

/** A number in the middle half of the range between two, neither included. */
const within = (low: number, high: number, draw: Draw): number => {
  const quarter = (high - low) / 4;
  return Math.min(high - 1, Math.max(low + 1, Math.floor(low + quarter + draw() * quarter * 2)));
};
const above = (low: number, draw: Draw): number => within(low, low + STRIDE * 2, draw);
const below = (high: number, draw: Draw): number => within(high - STRIDE * 2, high, draw);
const first = (draw: Draw): number => within(-STRIDE, STRIDE, draw);

const between = (before: readonly number[], after: readonly number[], draw: Draw): number[] => {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const shared = before.slice(0, same);
  const [low, high] = [before[same], after[same]];
  if (high === undefined || (low !== undefined && low > high)) throw new RangeError('the places are not in order');
  // `before` is a prefix of `after`, so the next number is only bounded above.
  if (low === undefined) return [...shared, below(high, draw)];
  if (high - low >= MIN_RANGE) return [...shared, within(low, high, draw)];
  const next = before[same + 1];
  return [...shared, low, next === undefined ? first(draw) : above(next, draw)];
};

/**
 * A position between two, the first of which sorts before the second; without one of them, at that end. Undefined if it would exceed the
 * maximum length, which takes thousands of inserts between the latest two.
 */
export const orderBetween = (
  before: string | undefined,
  after: string | undefined,
  draw: Draw = Math.random,
): string | undefined => {
  const [low, high] = [before, after].map((order) => (order === undefined ? undefined : read(order)));
  const numbers =
    low && high
      ? between(low, high, draw)
      : low
        ? [above(low[0] ?? 0, draw)]
        : high
          ? [below(high[0] ?? 0, draw)]
          : [first(draw)];
  const order = numbers.map(write).join('');
  return order.length > MAX_ORDER ? undefined : order;
};
