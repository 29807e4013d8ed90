import type { Direction, Finding } from './rules.ts';
import type { Schema } from './schema.ts';

const UPPER = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'] as const;
const EXACT = ['pattern', 'format', 'multipleOf', 'uniqueItems'] as const;

const isBeyond = (keyword: string, given: unknown, bound: number): boolean => {
  if (typeof given !== 'number') return true;
  return (UPPER as readonly string[]).includes(keyword) ? given > bound : given < bound;
};

/**
 * Bounds of a request that became narrower. Of an answer only the format counts: what a client does with a value seldom depends on how long it may
 * be, but on whether it is a date.
 */
export const findBounds = (direction: Direction, given: Schema, taken: Schema, place: string): readonly Finding[] => {
  if (direction === 'response')
    return taken.format === undefined || taken.format === given.format
      ? []
      : [{ rule: 'response-type-widened', place, detail: `format ${taken.format} → ${given.format ?? 'none'}` }];
  const narrower = [...UPPER, ...LOWER].filter((keyword) => {
    const bound = taken[keyword];
    return typeof bound === 'number' && isBeyond(keyword, given[keyword], bound);
  });
  const other = EXACT.filter((keyword) => taken[keyword] !== undefined && taken[keyword] !== given[keyword]);
  return [...narrower, ...other].map((keyword) => ({
    rule: 'request-bound-narrowed',
    place,
    detail: `${keyword} ${String(given[keyword] ?? 'none')} → ${String(taken[keyword])}`,
  }));
};
