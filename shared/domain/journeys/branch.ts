import { createHash } from 'node:crypto';
import type { Branch } from './graph.ts';
import type { Run } from './run.ts';

/** A number from 0 to below 100, constant for a contact at a step in all versions of a journey. */
const pointOf = (rootId: string, step: string, contactId: string): number =>
  (createHash('sha256').update([rootId, step, contactId].join('\n')).digest().readUInt32BE(0) / 2 ** 32) * 100;

/**
 * The branch of a run at a `divisao` (docs/spec/journeys.md#branches): the one that its contact took before, if it still exists; else one
 * by weight, determined by the contact alone.
 */
export const branchOf = (
  { rootId, contactId, branches: kept }: Pick<Run, 'rootId' | 'contactId' | 'branches'>,
  step: string,
  branches: readonly Branch[],
): string => {
  const before = Object.hasOwn(kept, step) ? kept[step] : undefined;
  if (before !== undefined && branches.some(({ name }) => name === before)) return before;
  const point = pointOf(rootId, step, contactId);
  let upTo = 0;
  for (const { name, weight } of branches) {
    upTo += weight;
    if (point < upTo) return name;
  }
  return branches.at(-1)?.name ?? '';
};
