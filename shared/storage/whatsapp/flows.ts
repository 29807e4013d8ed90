import * as z from 'zod';
import {
  FLOW_CATEGORIES,
  FLOW_STATUSES,
  type FlowOutcome,
  type FlowStore,
  type WhatsappFlow,
} from '../../domain/channels/whatsapp/flows/flow.ts';
import { flowJsonSchema } from '../../domain/channels/whatsapp/flows/flow-json.ts';
import { META_FLOW_STATUSES } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import { isoTime } from '../../domain/core/time.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson, time } from '../client/attributes.ts';
import { allOf, contains, equal } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { newestPageOf } from '../client/pages.ts';
import type { Key } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readOwnRow, readRow } from '../read-row.ts';

/** Flows per organization. */
const MAX_FLOWS = 1_000;
/** Maximum size of the compressed JSON, and of the JSON itself, in bytes. */
const MAX_PACKED = 300 * 1024;
const MAX_UNPACKED = 1024 * 1024;

const flowRows = defineRow<WhatsappFlow>()({
  attributes: {
    id: id('flow'),
    organizationId: id('organization'),
    numberId: id('number'),
    wabaId: z.string(),
    name: z.string(),
    description: z.string().optional(),
    status: z.enum(FLOW_STATUSES),
    platformCategories: z.array(z.enum(FLOW_CATEGORIES)),
    flowJson: packedJson(MAX_UNPACKED, (json) => flowJsonSchema.parse(json)),
    platformFlowId: z.string().optional(),
    platformStatus: z.enum(META_FLOW_STATUSES).optional(),
    heard: z.object({ at: z.int(), event: z.string() }).optional(),
    publishing: z.object({ until: z.int() }).optional(),
    publishedAt: time.optional(),
    version: z.int(),
    revision: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  // The attribute `version` counts every change, as `commit` expects.
  rename: { flowJson: 'packed', version: 'contentVersion', revision: 'version' },
  key: (flow) => KEYS.flow(flow.id),
  index: (flow) => INDEX_KEYS.flowsOf(flow.organizationId, isoTime(flow.createdAt), flow.id),
});

/** The key of the row that maps Meta's id of a flow to it; undefined until Meta has assigned one. */
const platformKey = ({ organizationId, wabaId, platformFlowId }: WhatsappFlow): Key | undefined =>
  platformFlowId === undefined ? undefined : KEYS.metaFlow(organizationId, wabaId, platformFlowId);
const deleteName = (flow: WhatsappFlow): WriteOp[] => {
  const key = platformKey(flow);
  return key ? [{ delete: key }] : [];
};
/** The writes of that row when Meta's id changes. */
const nameWrites = (before: WhatsappFlow, after: WhatsappFlow): WriteOp[] => {
  if (before.platformFlowId === after.platformFlowId) return [];
  const key = platformKey(after);
  return [...deleteName(before), ...(key ? [{ put: { ...key, org: after.organizationId, flowId: after.id } }] : [])];
};

const outcomeOf = (outcome: CommitOutcome): FlowOutcome =>
  outcome.kind === 'refused' ? { kind: 'limit_reached' } : outcome;

/** WhatsApp flows in the table of one stage: one row each, with compressed JSON. */
export const flowStore = (table: Table): FlowStore => {
  const save = async (flow: WhatsappFlow, over: number | undefined, also: readonly WriteOp[]): Promise<FlowOutcome> => {
    const row = flowRows.write(flow);
    if (row.packed.byteLength > MAX_PACKED) return { kind: 'too_large' };
    return outcomeOf(await commit(table, { row, over, also }));
  };
  return {
    create(flow) {
      const limit = { organizationId: flow.organizationId, counted: 'flows', max: MAX_FLOWS } as const;
      const create = (count: WriteOp) => save(flow, undefined, [count]);
      return createWithin(table, limit, flow.id, create, ({ kind }) => kind === 'limit_reached');
    },
    change: (before, after) => save(after, before.revision, nameWrites(before, after)),
    async remove(flow) {
      const outcome = await table.transact([
        { delete: KEYS.flow(flow.id), when: atVersion(flow.revision) },
        ...deleteName(flow),
        countDown(flow.organizationId, 'flows', flow.id),
      ]);
      return outcome.ok;
    },
    read: (organizationId, id) => readOwnRow(table, organizationId, KEYS.flow(id), flowRows.read),
    named: (organizationId, { wabaId, platformFlowId }) =>
      readRow(table, KEYS.metaFlow(organizationId, wabaId, platformFlowId), ({ flowId }) => id('flow').parse(flowId)),
    page(organizationId, { status, platformStatus, category, numberId }, page) {
      const filter = allOf([equal({ status, platformStatus, numberId }), contains('platformCategories', category)]);
      const partition = INDEX_KEYS.flowsOf(organizationId, '', '').gsi1pk;
      return newestPageOf(table, { index: 'gsi1', partition, filter }, page, flowRows.read);
    },
  };
};
