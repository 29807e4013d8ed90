/** A source of chance that a seed repeats: mulberry32. */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit: number) => Math.floor(next() * limit),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
  };
};
export type Chance = ReturnType<typeof chanceOf>;
