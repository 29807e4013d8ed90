import { movedCounts } from '../access/counters.ts';
import { organizationRows } from '../access/organizations.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { RowCodec } from '../client/row-codec.ts';
import { runRows } from '../journeys/run-rows.ts';
import type { RowKind } from './row-kinds.ts';

/** How the rows of an entity are rewritten to its newest shape. */
export interface Rewrite {
  readonly codec: Pick<RowCodec<object>, 'names' | 'upgrade' | 'version'>;
  /** Other rows that change with an old one, in the same transaction: additions, or writes with conditions of their own. */
  readonly also?: (old: Row) => readonly WriteOp[];
}
export type Rewrites = Readonly<Partial<Record<RowKind, Rewrite>>>;

/** The entities whose shape has changed, except those that need a key of the stage. All others still have their first shape. */
export const REWRITES: Rewrites = {
  organization: { codec: organizationRows, also: movedCounts },
  run: { codec: runRows },
};
