import * as z from 'zod';
import type { Figures } from '../../domain/campaigns/ports.ts';
import type { Portion } from '../../domain/campaigns/campaign.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { FIGURE_SHARDS } from '../table-indexes.ts';

/** What portions count of a campaign, each in the transaction that stores what was done. */
type OwnFigures = Pick<Figures, 'accepted' | 'portionsDone' | 'skipped'>;

/** Adds figures to one of the rows that they are spread over: a portion's own, so that portions seldom meet. */
export const figureWrites = (
  { campaignId, organizationId, portion }: Pick<Portion, 'campaignId' | 'organizationId' | 'portion'>,
  figures: OwnFigures,
): WriteOp[] => {
  const add = Object.fromEntries(Object.entries(figures).filter(([, count]) => count !== 0));
  if (Object.keys(add).length === 0) return [];
  return [
    { update: KEYS.campaignFigures(campaignId, portion % FIGURE_SHARDS), set: { org: organizationId }, add },
  ];
};

const figuresRow = z.object({
  accepted: z.int().default(0),
  skipped: z.int().default(0),
  portionsDone: z.int().default(0),
});

/** What portions counted of a campaign. One consistent query of 32 rows at most. */
export const readFigures = async (table: Table, id: Id<'campaign'>): Promise<OwnFigures> => {
  const rows = await table.queryAll({ partition: KEYS.campaignFigures(id, 0).pk, consistent: true });
  const sum = { accepted: 0, skipped: 0, portionsDone: 0 };
  for (const row of rows) {
    const figures = figuresRow.parse(row);
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += figures[name];
  }
  return sum;
};

/** All figures of a campaign. */
export const campaignFigures = async (table: Table, id: Id<'campaign'>): Promise<Figures> => ({
  sent: 0,
  delivered: 0,
  read: 0,
  clicked: 0,
  failed: 0,
  coinsCaptured: 0,
  coinsHeld: 0,
  ...(await readFigures(table, id)),
});
