import type { Figures } from '../../domain/campaigns/ports.ts';
import type { Id } from '../../domain/core/ids.ts';
import { countWrites, readCampaignCounts } from '../automation/counters.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

/** The counters that portions add to a campaign's, besides those of its messages. */
type PortionFigures = Pick<Figures, 'portionsDone' | 'skipped'>;

/** Adds a portion's results to the campaign's counters, in the transaction that stores them. */
export const figureWrites = (campaignId: Id<'campaign'>, counts: PortionFigures): WriteOp[] =>
  countWrites([{ counted: { campaignId }, counts: { ...counts } }]);

const NOTHING: Figures = {
  accepted: 0,
  unsent: 0,
  replaced: 0,
  cancelled: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  clicked: 0,
  failed: 0,
  skipped: 0,
  portionsDone: 0,
  coinsCaptured: 0,
  coinsHeld: 0,
};

/** The counters of a campaign, consistent: a query of each of their partitions. */
export const campaignFigures = async (table: Table, id: Id<'campaign'>): Promise<Figures> => ({
  ...NOTHING,
  ...(await readCampaignCounts(table, id, { consistent: true })),
});
