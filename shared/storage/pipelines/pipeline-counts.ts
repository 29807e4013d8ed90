import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { CurrencySum, Pipeline, PipelineCounts, StageCounts } from '../../domain/pipelines/pipeline.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { PIPELINE_SHARDS, shardOf } from '../table-indexes.ts';

/*
 * The counters of a pipeline, in rows besides its own: a card is counted on the row of its id, so that each row is exact by itself. A row
 * has, besides `cards`, `won` and `lost`, for each stage `c_<key>`, its cards, and for each currency `o_<key>_<currency>` and
 * `v_<key>_<currency>`, its open cards and their cents. The presence of `c_<key>` proves that the stage exists, that of `archived` that the
 * pipeline is archived.
 */

/** The fields of a card that its pipeline counts. */
export interface CountedCard {
  readonly id: Id<'card'>;
  readonly organizationId: Id<'organization'>;
  readonly pipelineId: Id<'pipeline'>;
  readonly stageKey: string;
  readonly status: 'aberto' | 'ganho' | 'perdido';
  readonly currency: string;
  readonly cents?: number | undefined;
}
/** A card before and after a change; undefined if it does not exist. */
export interface CardChange {
  readonly before?: CountedCard | undefined;
  readonly after?: CountedCard | undefined;
}

const cardsOf = (key: string) => `c_${key}`;

/** A card's contribution to each counter; these names are the attributes of the row. */
const countsOf = ({ stageKey, status, currency, cents = 0 }: CountedCard): Readonly<Record<string, number>> => ({
  cards: 1,
  [cardsOf(stageKey)]: 1,
  ...(status === 'aberto' ? { [`o_${stageKey}_${currency}`]: 1, [`v_${stageKey}_${currency}`]: cents } : {}),
  ...(status === 'ganho' ? { won: 1 } : {}),
  ...(status === 'perdido' ? { lost: 1 } : {}),
});

interface Tally {
  readonly organizationId: Id<'organization'>;
  readonly pipelineId: Id<'pipeline'>;
  readonly shard: number;
  readonly by: Map<string, number>;
  /** The keys of the stages that cards enter. */
  readonly entered: Set<string>;
}

const tallyOf = (tallies: Map<string, Tally>, { id, pipelineId, organizationId }: CountedCard): Tally => {
  const shard = shardOf(id, PIPELINE_SHARDS);
  const at = `${pipelineId}#${shard}`;
  const found = tallies.get(at) ?? { organizationId, pipelineId, shard, by: new Map(), entered: new Set() };
  tallies.set(at, found);
  return found;
};
const add = ({ by }: Tally, card: CountedCard, sign: 1 | -1): void => {
  for (const [name, count] of Object.entries(countsOf(card))) by.set(name, (by.get(name) ?? 0) + sign * count);
};

const writeOf = ({ organizationId: org, pipelineId, shard, by, entered }: Tally): WriteOp[] => {
  const changes = [...by].filter(([, change]) => change !== 0);
  if (changes.length === 0) return [];
  const isThere = [...entered].map((key) => `attribute_exists(#${cardsOf(key)})`);
  const isOpen = entered.size > 0 ? ['attribute_not_exists(#archived)'] : [];
  const when = { text: ['#org = :org', ...isOpen, ...isThere].join(' AND '), values: { org } };
  return [{ update: KEYS.pipelineCounts(pipelineId, shard), add: Object.fromEntries(changes), when }];
};

/**
 * Updates the counters of pipelines for changes of cards, in the transaction of the changes: one write per changed row, none without a
 * change. Condition: the stages that cards enter exist, as they were read, in a pipeline of the organization that is not archived.
 */
export const pipelineCountWrites = (changes: readonly CardChange[]): WriteOp[] => {
  const tallies = new Map<string, Tally>();
  for (const { before, after } of changes) {
    if (before) add(tallyOf(tallies, before), before, -1);
    if (!after) continue;
    const tally = tallyOf(tallies, after);
    add(tally, after, 1);
    if (before?.stageKey !== after.stageKey || before.pipelineId !== after.pipelineId)
      tally.entered.add(after.stageKey);
  }
  return [...tallies.values()].flatMap(writeOf);
};

const shards = Array.from({ length: PIPELINE_SHARDS }, (_, shard) => shard);

/** The counter rows of a new pipeline, with zero counts. */
export const newCountWrites = ({ id, organizationId: org, stages }: Pipeline): WriteOp[] =>
  shards.map((shard) => ({
    put: {
      ...KEYS.pipelineCounts(id, shard),
      org,
      cards: 0,
      ...Object.fromEntries(stages.map(({ key }) => [cardsOf(key), 0])),
    },
  }));

const isOfStage = (name: string, key: string): boolean =>
  name === cardsOf(key) || (/^[ov]_/.test(name) && name.split('_')[1] === key);

/** The changes of the counter rows for a change of a pipeline; `rows` as they were read. */
export const changedCountWrites = (before: Pipeline, after: Pipeline, rows: readonly Row[]): WriteOp[] => {
  const keys = (pipeline: Pipeline) => new Set(pipeline.stages.map(({ key }) => key));
  const [were, are] = [keys(before), keys(after)];
  const gone = [...were].filter((key) => !are.has(key));
  const added = [...are].filter((key) => !were.has(key));
  const archivingChanged = before.archived !== after.archived;
  if (gone.length + added.length === 0 && !archivingChanged) return [];
  const empty = gone.map((key) => `#${cardsOf(key)} = :none`);
  const values = { org: after.organizationId, ...(gone.length > 0 ? { none: 0 } : {}) };
  return shards.map((shard) => {
    const key = KEYS.pipelineCounts(after.id, shard);
    const row = rows.find(({ sk }) => sk === key.sk) ?? {};
    const names = Object.keys(row).filter((name) => gone.some((stage) => isOfStage(name, stage)));
    return {
      update: key,
      set: {
        ...Object.fromEntries(added.map((stage) => [cardsOf(stage), 0])),
        ...(archivingChanged && after.archived ? { archived: true } : {}),
      },
      remove: [
        ...new Set([...names, ...gone.map(cardsOf)]),
        ...(archivingChanged && !after.archived ? ['archived'] : []),
      ],
      when: { text: ['#org = :org', ...empty].join(' AND '), values },
    };
  });
};

/** Deletes the counter rows of a pipeline without cards. */
export const removeCountWrites = ({ id }: Pipeline): WriteOp[] =>
  shards.map((shard) => ({
    delete: KEYS.pipelineCounts(id, shard),
    when: { text: '#cards = :none', values: { none: 0 } },
  }));

const number = z.number().catch(0);
const sumOf = (rows: readonly Row[], name: string): number =>
  rows.reduce((sum, row) => sum + number.parse(row[name]), 0);

/** The counters of a pipeline from its rows, without those of removed stages. */
export const readCounts = ({ stages }: Pipeline, rows: readonly Row[]): PipelineCounts => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const openOf = (key: string): CurrencySum[] =>
    names
      .filter((name) => name.startsWith(`o_${key}_`))
      .map((name) => name.slice(`o_${key}_`.length))
      .sort()
      .map((currency) => ({
        currency,
        cards: sumOf(rows, `o_${key}_${currency}`),
        cents: sumOf(rows, `v_${key}_${currency}`),
      }));
  const countsOfStage = (key: string): StageCounts => ({ cards: sumOf(rows, cardsOf(key)), open: openOf(key) });
  return {
    cards: sumOf(rows, 'cards'),
    won: sumOf(rows, 'won'),
    lost: sumOf(rows, 'lost'),
    stages: new Map(stages.map(({ key }) => [key, countsOfStage(key)])),
  };
};
