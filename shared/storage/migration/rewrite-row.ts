import type { Condition, WriteOp } from '../client/expressions.ts';
import { type Row, SHAPE } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import type { Rewrite } from './rewrites.ts';

/** How often a row that changed during its rewrite is read again. */
const MAX_TURNS = 8;
const KEY_NAMES: ReadonlySet<string> = new Set(['pk', 'sk']);

/**
 * Condition: a row is unchanged since it was read: every attribute has the same value, and none that its codec knows was added. Unlike a
 * version attribute, this costs the writers of the row nothing.
 */
const unchanged = (row: Row, known: readonly string[]): Condition => {
  const had = Object.keys(row).filter((name) => !KEY_NAMES.has(name));
  const absent = [...known, SHAPE].filter((name) => !(name in row));
  const texts = [
    'attribute_exists(#pk)',
    ...had.map((name) => `#${name} = :was_${name}`),
    ...absent.map((name) => `attribute_not_exists(#${name})`),
  ];
  return { text: texts.join(' AND '), values: Object.fromEntries(had.map((name) => [`was_${name}`, row[name]])) };
};

/** The write that turns one row into the other: only the differing attributes, if the row is unchanged. */
const differenceWrite = (old: Row, next: Row, known: readonly string[]): Extract<WriteOp, { update: unknown }> => ({
  update: { pk: old.pk, sk: old.sk },
  set: Object.fromEntries(Object.entries(next).filter(([name, value]) => !KEY_NAMES.has(name) && value !== old[name])),
  remove: Object.keys(old).filter((name) => !(name in next)),
  when: unchanged(old, known),
});

/** The result for a row: `busy` ones kept changing, `unreadable` ones can't be parsed as their entity in the newest shape. */
export type RowOutcome = 'busy' | 'current' | 'rewritten' | 'unreadable';

const tryUpgrade = ({ codec }: Rewrite, row: Row): Row | 'current' | 'unreadable' => {
  try {
    return codec.upgrade(row) ?? 'current';
  } catch {
    return 'unreadable';
  }
};

/** The result of `rewriteRow`, without writing. */
export const judgeRow = (rewrite: Rewrite, row: Row): RowOutcome => {
  const next = tryUpgrade(rewrite, row);
  return typeof next === 'string' ? next : 'rewritten';
};

/**
 * Rewrites a row to its newest shape while others write it. Of two concurrent rewrites only one has an effect. At most 8 rounds of a write
 * and a read.
 */
export const rewriteRow = async (table: Table, rewrite: Rewrite, found: Row): Promise<RowOutcome> => {
  let row: Row | undefined = found;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const next = tryUpgrade(rewrite, row);
    if (typeof next === 'string') return next;
    const write = differenceWrite(row, next, rewrite.codec.names);
    const also = rewrite.also?.(row) ?? [];
    const { ok } = also.length === 0 ? await table.write(write) : await table.transact([write, ...also]);
    if (ok) return 'rewritten';
    row = await table.get(row);
    // Deleted meanwhile.
    if (!row) return 'current';
  }
  return 'busy';
};
