import * as z from 'zod';
import type { Campaign } from '../../domain/campaigns/campaign.ts';
import type { CampaignStore } from '../../domain/campaigns/ports.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { equal } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, commit } from '../client/optimistic-commit.ts';
import { newestPageOf } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { type Content, campaignRows, contentRows } from './campaign-rows.ts';

const contentOf = ({ audience, message, variants }: Campaign): Content => ({ audience, message, variants });
/** A change creates a new object for changed content only. */
const isSameContent = (one: Campaign, other: Campaign): boolean =>
  one.audience === other.audience && one.message === other.message && one.variants === other.variants;

/** The attributes that make a campaign due at a time (ms). */
export const campaignDue = (id: Id<'campaign'>, at: number) => INDEX_KEYS.due('campaign_work', id, at);

/** The writes of a campaign and, if changed, of its content; due at `dueAt` (ms), or not. */
export const campaignWrites = (
  before: Campaign & Versioned,
  after: Campaign,
  dueAt: number | undefined,
): { readonly row: Row; readonly also: readonly WriteOp[] } => {
  const isSame = isSameContent(before, after);
  const contentVersion = isSame ? before.contentVersion : after.version;
  const row = campaignRows.write({ ...after, contentVersion });
  return {
    row: dueAt === undefined ? row : { ...row, ...campaignDue(after.id, dueAt) },
    also: isSame ? [] : [contentWrite(after)],
  };
};
const contentWrite = (campaign: Campaign): WriteOp => {
  const { organizationId, version, id } = campaign;
  return { put: contentRows.write({ organizationId, content: contentOf(campaign), version }, id) };
};

/** A campaign as it was read: with the version of its content. */
export interface Versioned {
  readonly contentVersion: number;
}
/** Campaigns that the store returns carry the version of their content. */
const versioned = (campaign: Campaign): Campaign & Versioned => {
  if ('contentVersion' in campaign) return campaign as Campaign & Versioned;
  throw new TypeError('a campaign that no store answered');
};

type Found = Promise<(Campaign & Versioned) | undefined>;
const keysOf = (id: Id<'campaign'>) => [KEYS.campaign(id), KEYS.campaignContent(id)];
/** A campaign from its two rows. */
const joined = async (table: Table, id: Id<'campaign'>, row: Row | undefined, content: Row | undefined): Found => {
  if (!row || !content) return undefined;
  const campaign = campaignRows.read(row);
  const { content: said, version } = contentRows.read(content);
  // Changed between the reads of its two rows.
  return version === campaign.contentVersion ? { ...campaign, ...said } : readCampaign(table, id);
};
const readCampaign = async (table: Table, id: Id<'campaign'>): Found => {
  const [row, content] = await table.getMany(keysOf(id), { consistent: true });
  return joined(table, id, row, content);
};

/** The campaigns of an index's rows: their rows and contents, 50 in a round trip. */
const withContents = async (table: Table, rows: readonly Row[]): Promise<Campaign[]> => {
  const ids = rows.map((row) => campaignRows.read(row).id);
  const found = await table.getMany(ids.flatMap(keysOf), { consistent: true });
  const campaigns = await Promise.all(ids.map((id, at) => joined(table, id, found[2 * at], found[2 * at + 1])));
  return campaigns.filter((campaign) => campaign !== undefined);
};

const budgetRow = z.object({ spent: z.int().default(0) });

/** Campaigns in the table of one stage. `raised` receives the committed events that have subscribers. */
export const campaignStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): CampaignStore => {
  const spentOf = async (id: Id<'campaign'>): Promise<number> =>
    budgetRow.parse((await table.get(KEYS.campaignBudget(id))) ?? {}).spent;
  return {
    async create(campaign, entry) {
      await table.transact([
        { put: campaignRows.write({ ...campaign, contentVersion: campaign.version }) },
        contentWrite(campaign),
        ...auditWrites(entry),
      ]);
    },
    async read(organizationId, id) {
      const campaign = await readCampaign(table, id);
      return campaign?.organizationId === organizationId ? campaign : undefined;
    },
    readById: (id) => readCampaign(table, id),
    async page(organizationId, status, page) {
      const partition = INDEX_KEYS.campaignsOf(organizationId, '', '').gsi1pk;
      const filter = equal({ org: organizationId, status });
      const { items, total } = await newestPageOf(table, { index: 'gsi1', partition, filter }, page, (row) => row);
      return { items: await withContents(table, items), total };
    },
    async change(before, after, { dueAt, events = [], entry } = {}) {
      const taken = await takenEvents(table, after.organizationId, events);
      const { row, also } = campaignWrites(versioned(before), after, dueAt);
      const others = [...also, ...taken.map(eventWrite), ...auditWrites(entry)];
      const outcome = await commit(table, { row, over: before.version, also: others });
      if (outcome.kind === 'saved') raised(taken);
      return outcome.kind === 'saved';
    },
    async remove({ id, version }, entry) {
      const outcome = await table.transact([
        { delete: KEYS.campaign(id), when: atVersion(version) },
        { delete: KEYS.campaignContent(id) },
        ...auditWrites(entry),
      ]);
      return outcome.ok;
    },
    async rest({ id, version }) {
      await table.write({
        update: KEYS.campaign(id),
        remove: ['duePk', 'dueAt', 'repeats'],
        when: atVersion(version),
      });
    },
    async allot({ id, organizationId, maxCoins = 0 }, { portion, fence, allotted }, coins) {
      const key = KEYS.campaignPortion(id, portion);
      for (;;) {
        const take = Math.min(coins, maxCoins - (await spentOf(id)));
        if (take <= 0) return 0;
        const outcome = await table.transact([
          {
            update: KEYS.campaignBudget(id),
            set: { org: organizationId },
            add: { spent: take },
            when: { text: '(attribute_not_exists(#spent) OR #spent <= :most)', values: { most: maxCoins - take } },
          },
          {
            update: key,
            set: { allotted: allotted + take },
            when: { text: '#fence = :fence AND #allotted = :allotted', values: { fence, allotted } },
          },
        ]);
        if (outcome.ok) return take;
        const row = outcome.reasons[1]?.row;
        // Written by an earlier attempt of this call whose response was lost.
        if (row?.fence === fence && row.allotted === allotted + take) return take;
        if (row) return 'lost';
      }
    },
  };
};
