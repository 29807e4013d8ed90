import { numberAt } from './block.ts';
import type { Found } from './selection.ts';

/** How many contacts were found. */
export const countOf = (found: Found): number => [...found.values()].reduce((sum, set) => sum + set.size, 0);

/** Their numbers, newest first, from below `below`. */
export function* numbersOf(found: Found, below = Number.POSITIVE_INFINITY): Generator<number> {
  for (const block of [...found.keys()].sort((a, b) => b - a))
    for (const offset of found.get(block)?.newestFirst() ?? []) {
      const number = numberAt(block, offset);
      if (number < below) yield number;
    }
}

/** Up to `limit` of their numbers, newest first, after `skip` of them. */
export const pageOf = (
  found: Found,
  { skip, limit }: { readonly skip: number; readonly limit: number },
  below?: number,
): number[] => {
  const page: number[] = [];
  let passed = 0;
  for (const number of numbersOf(found, below)) {
    if (page.length === limit) break;
    if (passed++ >= skip) page.push(number);
  }
  return page;
};
