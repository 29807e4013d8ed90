import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import {
  FLOW_CATEGORIES,
  FLOW_STATUSES,
  type FlowOutcome,
  type FlowStore,
  type WhatsappFlow,
} from '../domain/flows/flow.ts';
import { flowJsonSchema } from '../domain/flows/flow-json.ts';
import { PLATFORM_FLOW_STATUSES } from '../domain/numbers/platform.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Key, Row, Table } from './table.ts';
import { atVersion, type CommitOutcome, commit, listPage } from './versioned.ts';

/** Flows that one organization may have. */
const MOST = 1_000;
/** The most that the compressed JSON may take, in bytes, and the most that it may come to again. */
const MOST_PACKED = 300 * 1024;
const MOST_UNPACKED = 1024 * 1024;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const flowRow = z.object({
  id: z.string(),
  org: z.string(),
  numberId: z.string(),
  wabaId: z.string(),
  name: z.string(),
  description: z.string().optional(),
  status: z.enum(FLOW_STATUSES),
  platformCategories: z.array(z.enum(FLOW_CATEGORIES)),
  packed: z.instanceof(Uint8Array),
  platformFlowId: z.string().optional(),
  platformStatus: z.enum(PLATFORM_FLOW_STATUSES).optional(),
  heard: z.object({ at: z.int(), event: z.string() }).optional(),
  publishing: z.object({ until: z.int() }).optional(),
  publishedAt: time.optional(),
  contentVersion: z.int(),
  version: z.int(),
  createdAt: time,
  updatedAt: time,
});

/** Reads a flow's row; every field is checked. */
const parse = (row: Row): WhatsappFlow => {
  const { org, contentVersion, version, packed, ...fields } = flowRow.parse(row);
  const json: unknown = JSON.parse(gunzipSync(packed, { maxOutputLength: MOST_UNPACKED }).toString('utf8'));
  return {
    ...fields,
    organizationId: org,
    flowJson: flowJsonSchema.parse(json),
    version: contentVersion,
    revision: version,
  } as unknown as WhatsappFlow;
};

const rowOf = (
  { organizationId: org, version: contentVersion, revision, flowJson: _, ...flow }: WhatsappFlow,
  packed: Uint8Array,
) => {
  const createdAt = isoTime(flow.createdAt);
  return {
    ...flow,
    ...KEYS.flow(flow.id),
    ...FINDS.flowsOf(org, createdAt, flow.id),
    org,
    packed,
    contentVersion,
    version: revision,
    publishedAt: flow.publishedAt === undefined ? undefined : isoTime(flow.publishedAt),
    createdAt,
    updatedAt: isoTime(flow.updatedAt),
  };
};

/** Where the platform's id of a flow finds it; undefined until the platform has given one. */
const platformKey = ({ organizationId, wabaId, platformFlowId }: WhatsappFlow): Key | undefined =>
  platformFlowId === undefined ? undefined : KEYS.flowOnPlatform(organizationId, wabaId, platformFlowId);
const forgetName = (flow: WhatsappFlow): WriteOp[] => {
  const key = platformKey(flow);
  return key ? [{ delete: key }] : [];
};
/** What a change of the platform's id writes beside the flow: nothing where it stays. */
const nameWrites = (before: WhatsappFlow, after: WhatsappFlow): WriteOp[] => {
  if (before.platformFlowId === after.platformFlowId) return [];
  const key = platformKey(after);
  return [...forgetName(before), ...(key ? [{ put: { ...key, org: after.organizationId, flowId: after.id } }] : [])];
};

const outcomeOf = (outcome: CommitOutcome): FlowOutcome => (outcome.kind === 'refused' ? { kind: 'full' } : outcome);

/** WhatsApp flows in the table of one stage: a row each, with its JSON compressed. */
export const flowStore = (table: Table): FlowStore => {
  const save = async (flow: WhatsappFlow, over: number | undefined, also: readonly WriteOp[]): Promise<FlowOutcome> => {
    const packed = gzipSync(JSON.stringify(flow.flowJson));
    if (packed.byteLength > MOST_PACKED) return { kind: 'too_large' };
    return outcomeOf(await commit(table, { row: rowOf(flow, packed), over, also }));
  };
  return {
    create: (flow) =>
      save(flow, undefined, [
        {
          update: KEYS.organization(flow.organizationId),
          add: { flows: 1 },
          when: {
            text: 'attribute_exists(#pk) AND (attribute_not_exists(#flows) OR #flows < :most)',
            values: { most: MOST },
          },
        },
      ]),
    change: (before, after) => save(after, before.revision, nameWrites(before, after)),
    async remove(flow) {
      const outcome = await table.transact([
        { delete: KEYS.flow(flow.id), when: atVersion(flow.revision) },
        ...forgetName(flow),
        { update: KEYS.organization(flow.organizationId), add: { flows: -1 } },
      ]);
      return outcome.ok;
    },
    async read(organizationId, id) {
      const row = await table.get(KEYS.flow(id));
      return row && row.org === organizationId ? parse(row) : undefined;
    },
    async named(organizationId, { wabaId, platformFlowId }) {
      const row = await table.get(KEYS.flowOnPlatform(organizationId, wabaId, platformFlowId));
      return row && z.string().parse(row.flowId);
    },
    async page(organizationId, { status, platformStatus, category, numberId }, page) {
      const partition = FINDS.flowsOf(organizationId, '', '').gsi1pk;
      const filter = { is: { status, platformStatus, numberId }, contains: { platformCategories: category } };
      const { rows, total } = await listPage(table, partition, filter, page);
      return { items: rows.map(parse), total };
    },
  };
};
