import * as z from 'zod';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import {
  MAX_PIPELINES,
  PIPELINE_TYPES,
  type Pipeline,
  type PipelineOutcome,
  type PipelineStore,
  STAGE_TYPES,
} from '../../domain/pipelines/pipeline.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { fullRows } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readOwnRow, readRow } from '../read-row.ts';
import { changedCountWrites, newCountWrites, readCounts, removeCountWrites } from './pipeline-counts.ts';

const pipelineRows = defineRow<Pipeline>()({
  attributes: {
    id: id('pipeline'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    name: z.string(),
    type: z.enum(PIPELINE_TYPES),
    archived: z.boolean(),
    stages: z.array(
      z.object({
        id: id('stage'),
        key: z.string(),
        name: z.string(),
        type: z.enum(STAGE_TYPES),
        probability: z.number().optional(),
        maxDays: z.int().optional(),
        requiredFields: z.array(z.string()),
      }),
    ),
    stageKeys: z.int(),
    sweep: z.object({ since: time, at: time, stages: z.array(id('stage')) }).optional(),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  rename: { organizationId: 'org' },
  key: (pipeline) => KEYS.pipeline(pipeline.id),
  index: ({ id: pipelineId, organizationId, createdAt, sweep }) => ({
    ...INDEX_KEYS.pipelinesOf(organizationId, isoTime(createdAt), pipelineId),
    ...(sweep ? INDEX_KEYS.due('check_cards', pipelineId, sweep.at) : {}),
  }),
});

const { sk: PIPELINE_SORT_KEY } = KEYS.pipeline('' as Id<'pipeline'>);
const partitionOf = (table: Table, pipelineId: Id<'pipeline'>): Promise<Row[]> =>
  table.queryAll({ partition: KEYS.pipeline(pipelineId).pk, consistent: true });

/** Any other failed write is a counter of a stage that has cards, or of a pipeline that changed. */
const outcomeOf = (outcome: CommitOutcome): PipelineOutcome => {
  if (outcome.kind !== 'refused') return outcome.kind;
  return outcome.row === undefined ? 'conflict' : 'has_cards';
};

const change =
  (table: Table): PipelineStore['change'] =>
  async (before, after) => {
    const keys = new Set(after.stages.map(({ key }) => key));
    const isAnyGone = before.stages.some(({ key }) => !keys.has(key));
    const rows = isAnyGone ? await partitionOf(table, before.id) : [];
    const also = changedCountWrites(before, after, rows);
    return outcomeOf(await commit(table, { row: pipelineRows.write(after), over: before.version, also }));
  };

const remove =
  (table: Table): PipelineStore['remove'] =>
  async (pipeline) => {
    const counts = removeCountWrites(pipeline);
    const outcome = await table.transact([
      { delete: KEYS.pipeline(pipeline.id), when: atVersion(pipeline.version) },
      ...counts,
      countDown(pipeline.organizationId, 'pipelines', pipeline.id),
    ]);
    if (outcome.ok) return 'saved';
    const [own, ...others] = outcome.reasons;
    return !own?.conditionFailed && others.some(({ row }) => row !== undefined) ? 'has_cards' : 'conflict';
  };

/** Pipelines in the table of one stage. */
export const pipelineStore = (table: Table): PipelineStore => ({
  async create(pipeline) {
    const { organizationId } = pipeline;
    const limit = { organizationId, counted: 'pipelines', max: MAX_PIPELINES } as const;
    const save = async (count: WriteOp) => {
      const also = [count, ...newCountWrites(pipeline)];
      const { kind } = await commit(table, { row: pipelineRows.write(pipeline), also });
      return kind === 'saved' ? ('saved' as const) : ('limit_reached' as const);
    };
    return createWithin(table, limit, pipeline.id, save, (outcome) => outcome === 'limit_reached');
  },
  change: change(table),
  remove: remove(table),
  find: (pipelineId) => readRow(table, KEYS.pipeline(pipelineId), pipelineRows.read),
  read: (organizationId, pipelineId) => readOwnRow(table, organizationId, KEYS.pipeline(pipelineId), pipelineRows.read),
  async readCounted(organizationId, pipelineId) {
    const rows = await partitionOf(table, pipelineId);
    const own = rows.find(({ sk }) => sk === PIPELINE_SORT_KEY);
    if (own?.org !== organizationId) return undefined;
    const pipeline = pipelineRows.read(own);
    return {
      pipeline,
      counts: readCounts(
        pipeline,
        rows.filter((row) => row !== own),
      ),
    };
  },
  async all(organizationId) {
    const { gsi1pk: partition } = INDEX_KEYS.pipelinesOf(organizationId, '', '');
    const keys = await table.queryAll({ index: 'gsi1', partition, newestFirst: true, only: ['pk', 'sk'] });
    return (await fullRows(table, keys)).map(pipelineRows.read);
  },
});
