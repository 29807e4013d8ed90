import * as z from 'zod';
import type { Campaign, Portion } from '../../domain/campaigns/campaign.ts';
import type { PortionResult, PortionStore } from '../../domain/campaigns/ports.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson } from '../client/attributes.ts';
import { transactOnce, updateOnce } from '../client/claim-mark.ts';
import { ABSENT, all } from '../client/conditions.ts';
import type { Condition, Update, WriteOp } from '../client/expressions.ts';
import { commit } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { campaignWrites, type Versioned } from './campaign-store.ts';
import { figureWrites } from './figures.ts';

/** The maximum unpacked size of a portion's recipients, in bytes. */
const MAX_BYTES = 1024 * 1024;
const numberPairs = z.array(z.tuple([z.int(), z.string()]));

interface StoredPortion extends Omit<Portion, 'dueAt'> {
  /** Its due time by the pace, kept also while it is not in the due index. */
  readonly paceAt: number;
}
const portionRows = defineRow<StoredPortion>()({
  attributes: {
    campaignId: id('campaign'),
    organizationId: id('organization'),
    portion: z.int(),
    epoch: z.int(),
    numbers: packedJson(MAX_BYTES, (json) => z.array(z.int()).parse(json) as readonly number[]),
    sent: packedJson(MAX_BYTES, (json) => numberPairs.parse(json) as unknown as Portion['sent']),
    skipped: packedJson(MAX_BYTES, (json) => numberPairs.parse(json) as Portion['skipped']),
    state: z.enum(['open', 'done']),
    paceAt: z.int(),
    triedUntil: z.int().optional(),
    allotted: z.int(),
    fence: z.int(),
    claimedUntil: z.int(),
  },
  key: (portion) => KEYS.campaignPortion(portion.campaignId, portion.portion),
});

const readPortion = (row: Parameters<typeof portionRows.read>[0]): Portion => {
  const { paceAt, ...portion } = portionRows.read(row);
  return { ...portion, dueAt: paceAt };
};

/** The attributes that make a portion due at a time (ms). */
const portionDue = ({ campaignId, portion }: Pick<Portion, 'campaignId' | 'portion'>, at: number) =>
  INDEX_KEYS.due('campaign_work', `${campaignId}#${portion}`, at);
const NOT_DUE = ['duePk', 'dueAt', 'repeats'];

/** Condition: the portion was not claimed since. */
const hasFence = ({ fence }: Portion): Condition => ({ text: '#fence = :fence', values: { fence } });
/** Condition: the worker still holds its claim and has not released it, so that the result is counted only once. */
const isClaimedBy = (portion: Portion): Condition =>
  all(hasFence(portion), { text: '#claimedUntil = :claim', values: { claim: portion.claimedUntil } });
const isOfEpoch = ({ epoch }: Portion): Condition => ({ text: '#epoch = :epoch', values: { epoch } });

/** The write of a worker's result. If the portion was moved to a later epoch meanwhile, its new due time is kept. */
const resultWrite = (claimed: Portion, { portion }: PortionResult, keepsDueTime: boolean): Update => {
  const { sent, skipped, state, triedUntil, allotted, dueAt } = portion;
  const set = { ...portionRows.set({ sent, skipped, state, triedUntil, allotted }), claimedUntil: 0 };
  const update = KEYS.campaignPortion(claimed.campaignId, claimed.portion);
  if (keepsDueTime) return { update, set, when: isClaimedBy(claimed) };
  const when = all(isClaimedBy(claimed), isOfEpoch(claimed));
  if (state === 'done') return { update, set: { ...set, paceAt: dueAt }, remove: NOT_DUE, when };
  return { update, set: { ...set, paceAt: dueAt, ...portionDue(claimed, dueAt) }, when };
};

/** Portions of campaigns in the table of one stage. */
export const portionStore = (table: Table): PortionStore => {
  const keyOf = ({ campaignId, portion }: Pick<Portion, 'campaignId' | 'portion'>) =>
    KEYS.campaignPortion(campaignId, portion);
  const saveAs = async (claimed: Portion, result: PortionResult, keepsDueTime: boolean): Promise<boolean> => {
    const { skipped, returned, portion } = result;
    const figures = { skipped, portionsDone: portion.state === 'done' && claimed.state === 'open' ? 1 : 0 };
    const budget: WriteOp[] =
      returned === 0 ? [] : [{ update: KEYS.campaignBudget(claimed.campaignId), add: { spent: -returned } }];
    const also = [...figureWrites(claimed.campaignId, figures), ...budget];
    return (await transactOnce(table, resultWrite(claimed, result, keepsDueTime), also)).ok;
  };
  return {
    read: (campaignId, portion) => readRow(table, KEYS.campaignPortion(campaignId, portion), readPortion),
    async readMany(campaignId, portions) {
      const keys = portions.map((portion) => KEYS.campaignPortion(campaignId, portion));
      return (await table.getMany(keys, { consistent: true })).map((row) => row && readPortion(row));
    },
    async add(before, after, portions, dueAt) {
      const { row, also } = campaignWrites(before as Campaign & Versioned, after, dueAt);
      const puts = portions.map(
        ({ dueAt: paceAt, ...portion }): WriteOp => ({
          put: { ...portionRows.write({ ...portion, paceAt }), ...portionDue(portion, paceAt) },
          when: ABSENT,
        }),
      );
      return (await commit(table, { row, over: before.version, also: [...also, ...puts] })).kind === 'saved';
    },
    async claim(portion, now, until) {
      const row = await updateOnce(table, {
        update: keyOf(portion),
        set: { claimedUntil: until, ...portionDue(portion, until) },
        add: { fence: 1 },
        when: all({ text: '#claimedUntil <= :now', values: { now } }, hasFence(portion), isOfEpoch(portion)),
      });
      // If the answer was lost, a later epoch may have moved the portion meanwhile: the claim was made under this one.
      return row && { ...readPortion(row), epoch: portion.epoch };
    },
    save: async (claimed, result) => (await saveAs(claimed, result, false)) || (await saveAs(claimed, result, true)),
    async postpone(portion, at) {
      const when = all(isClaimedBy(portion), isOfEpoch(portion));
      await table.write({ update: keyOf(portion), set: portionDue(portion, at), when });
    },
    async park(portion) {
      await table.write({
        update: keyOf(portion),
        remove: NOT_DUE,
        when: all(hasFence(portion), isOfEpoch(portion)),
      });
    },
    async moveToEpoch(campaignId, portion, epoch, dueAt) {
      await table.write({
        update: KEYS.campaignPortion(campaignId, portion),
        set: { epoch, paceAt: dueAt, ...portionDue({ campaignId, portion }, dueAt) },
        when: { text: '#epoch < :epoch', values: { epoch } },
      });
    },
  };
};
