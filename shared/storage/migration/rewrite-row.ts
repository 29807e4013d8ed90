import type { Condition, WriteOp } from '../client/expressions.ts';
import { type Row, SHAPE } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import type { Rewrite } from './rewrites.ts';

/** How often a row is read again that changed while it was rewritten. */
const MAX_TURNS = 8;
const KEY_NAMES: ReadonlySet<string> = new Set(['pk', 'sk']);

/**
 * Condition: a row is as it was read. Every attribute that it had has its value, and none that its codec knows has come. It costs nothing to
 * the writers of the row, which a version of the row would.
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

/** The write that makes one row of the other: of the attributes that differ alone, if the row is unchanged. */
const differenceWrite = (old: Row, next: Row, known: readonly string[]): Extract<WriteOp, { update: unknown }> => ({
  update: { pk: old.pk, sk: old.sk },
  set: Object.fromEntries(Object.entries(next).filter(([name, value]) => !KEY_NAMES.has(name) && value !== old[name])),
  remove: Object.keys(old).filter((name) => !(name in next)),
  when: unchanged(old, known),
});

/** What became of a row: `busy` rows kept changing, `unreadable` ones do not read as their entity in the newest shape. */
export type RowOutcome = 'busy' | 'current' | 'rewritten' | 'unreadable';

const tryUpgrade = ({ codec }: Rewrite, row: Row): Row | 'current' | 'unreadable' => {
  try {
    return codec.upgrade(row) ?? 'current';
  } catch {
    return 'unreadable';
  }
};

/** What `rewriteRow` would do. */
export const judgeRow = (rewrite: Rewrite, row: Row): RowOutcome => {
  const next = tryUpgrade(rewrite, row);
  return typeof next === 'string' ? next : 'rewritten';
};

/** Brings a row to its newest shape while others write it. Of two that do, one has an effect. At most 8 turns of a write and a read. */
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
