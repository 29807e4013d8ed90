import * as z from 'zod';
import { type NumberPlatform, PLATFORM_FLOW_STATUSES } from '../../domain/numbers/platform.ts';
import type { GraphClient } from './graph.ts';
import { findInList, managed, segment, success } from './management-answers.ts';

const made = z.object({ id: z.string().min(1) });
const listed = z.object({ id: z.string().min(1), name: z.string() });
const state = z.object({ status: z.enum(PLATFORM_FLOW_STATUSES) });
/** Flows API, updating a flow's JSON: `success` is true though there are faults. */
const uploaded = z.object({
  success: z.boolean(),
  validation_errors: z
    .array(z.object({ error: z.string().default('INVALID'), line_start: z.int().optional() }))
    .default([]),
});

type FlowCalls = Pick<
  NumberPlatform,
  'createFlow' | 'findFlow' | 'changeFlow' | 'uploadFlow' | 'readFlow' | 'publishFlow' | 'deprecateFlow' | 'deleteFlow'
>;

/** Flows of a business account. */
export const flowCalls = (graph: GraphClient): FlowCalls => ({
  createFlow: async (wabaId, flow) =>
    managed(await graph.request('POST', `${segment(wabaId)}/flows`, made, { json: flow }), ({ id }) => id),
  findFlow: async (wabaId, name) => {
    const query = { fields: 'id,name', limit: 100 };
    const answer = await findInList(graph, `${segment(wabaId)}/flows`, listed, query, (each) => each.name === name);
    return answer.kind === 'done' ? { kind: 'done', value: answer.value?.id } : answer;
  },
  changeFlow: async (id, flow) =>
    managed(await graph.request('POST', segment(id), success, { json: flow }), () => undefined),
  uploadFlow: async (id, json) => {
    const form = new FormData();
    form.set('name', 'flow.json');
    form.set('asset_type', 'FLOW_JSON');
    form.set('file', new Blob([json], { type: 'application/json' }), 'flow.json');
    return managed(await graph.request('POST', `${segment(id)}/assets`, uploaded, { form }), (answer) =>
      answer.validation_errors.map(({ error, line_start: line }) => ({ error, line })),
    );
  },
  readFlow: async (id) =>
    managed(await graph.request('GET', segment(id), state, { query: { fields: 'id,status' } }), ({ status }) => status),
  publishFlow: async (id) => managed(await graph.request('POST', `${segment(id)}/publish`, success), () => undefined),
  deprecateFlow: async (id) =>
    managed(await graph.request('POST', `${segment(id)}/deprecate`, success), () => undefined),
  deleteFlow: async (id) => managed(await graph.request('DELETE', segment(id), success), () => undefined),
});
