import { BLOCK_SIZE, type BlockSet, numberAt } from './block.ts';

/** A page of search results. */
export interface FoundPage {
  readonly skip: number;
  readonly limit: number;
  /** Only contacts with smaller numbers. */
  readonly below?: number | undefined;
}

/** The contacts of an organization that a selection matched. */
export interface Found {
  readonly count: number;
  /** Up to `limit` of their numbers, newest first, after skipping `skip`. */
  numbers(page: FoundPage): Promise<readonly number[]>;
}

/** The result for a block: its matching contacts, or only their number. */
export type FoundInBlock = BlockSet | number;
/** The number of matching contacts in a block. */
export const countIn = (block: FoundInBlock): number => (typeof block === 'number' ? block : block.size);

type Blocks = ReadonlyMap<number, FoundInBlock>;
type Load = (blocks: readonly number[]) => Promise<ReadonlyMap<number, BlockSet>>;

/** The next blocks of a page, in order: enough for `count` contacts by their counts, unless limited by a number. */
const nextBlocks = (order: readonly number[], blocks: Blocks, count: number): readonly number[] => {
  let counted = 0;
  const end = order.findIndex((block) => {
    counted += countIn(blocks.get(block) ?? 0);
    return counted >= count;
  });
  return end === -1 ? order : order.slice(0, end + 1);
};

/** Drops the blocks that a page skips entirely. */
const skipBlocks = (
  order: readonly number[],
  blocks: Blocks,
  { skip, below = Number.POSITIVE_INFINITY }: FoundPage,
) => {
  let left = skip;
  const first = order.findIndex((block) => {
    const count = countIn(blocks.get(block) ?? 0);
    if (count > left || below < numberAt(block, BLOCK_SIZE)) return true;
    left -= count;
    return false;
  });
  return { order: first === -1 ? [] : order.slice(first), skip: left };
};

/**
 * The results in blocks. `load` determines the contacts of blocks of which only the number is known; it is called only for the blocks of a
 * page.
 */
export const foundIn = (blocks: Blocks, load: Load): Found => ({
  count: [...blocks.values()].reduce<number>((sum, block) => sum + countIn(block), 0),

  async numbers(page) {
    const { limit, below = Number.POSITIVE_INFINITY } = page;
    const all = [...blocks.keys()]
      .filter((block) => countIn(blocks.get(block) ?? 0) > 0 && numberAt(block, 0) < below)
      .sort((a, b) => b - a);
    let { order, skip } = skipBlocks(all, blocks, page);
    const numbers: number[] = [];
    while (order.length > 0 && numbers.length < limit) {
      const next = nextBlocks(order, blocks, skip + limit - numbers.length);
      const loaded = await load(next.filter((block) => typeof blocks.get(block) === 'number'));
      for (const block of next) {
        const known = loaded.get(block) ?? blocks.get(block);
        if (known === undefined || typeof known === 'number') continue;
        for (const offset of known.newestFirst()) {
          const number = numberAt(block, offset);
          if (number >= below) continue;
          if (skip > 0) skip -= 1;
          else numbers.push(number);
        }
      }
      order = order.slice(next.length);
    }
    return numbers.slice(0, limit);
  },
});
