import * as z from 'zod';
import { META_FLOW_STATUSES, type MetaApi } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import type { GraphClient } from './graph.ts';
import { findInList, managementAnswer, pathSegment, success } from './management-answers.ts';

const created = z.object({ id: z.string().min(1) });
const listed = z.object({ id: z.string().min(1), name: z.string() });
const state = z.object({ status: z.enum(META_FLOW_STATUSES) });
/** Flows API, updating a flow's JSON: `success` is true even with validation errors. */
const uploaded = z.object({
  success: z.boolean(),
  validation_errors: z
    .array(z.object({ error: z.string().default('INVALID'), line_start: z.int().optional() }))
    .default([]),
});

type FlowCalls = Pick<
  MetaApi,
  'createFlow' | 'findFlow' | 'changeFlow' | 'uploadFlow' | 'readFlow' | 'publishFlow' | 'deprecateFlow' | 'deleteFlow'
>;

export const flowCalls = (graph: GraphClient): FlowCalls => ({
  createFlow: async (wabaId, flow) =>
    managementAnswer(
      await graph.request('POST', `${pathSegment(wabaId)}/flows`, created, { json: flow }),
      ({ id }) => id,
    ),
  findFlow: async (wabaId, name) => {
    const query = { fields: 'id,name', limit: 100 };
    const answer = await findInList(graph, `${pathSegment(wabaId)}/flows`, listed, query, (each) => each.name === name);
    return answer.kind === 'done' ? { kind: 'done', value: answer.value?.id } : answer;
  },
  changeFlow: async (id, flow) =>
    managementAnswer(await graph.request('POST', pathSegment(id), success, { json: flow }), () => undefined),
  uploadFlow: async (id, json) => {
    const form = new FormData();
    form.set('name', 'flow.json');
    form.set('asset_type', 'FLOW_JSON');
    form.set('file', new Blob([json], { type: 'application/json' }), 'flow.json');
    return managementAnswer(await graph.request('POST', `${pathSegment(id)}/assets`, uploaded, { form }), (answer) =>
      answer.validation_errors.map(({ error, line_start: line }) => ({ error, line })),
    );
  },
  readFlow: async (id) =>
    managementAnswer(
      await graph.request('GET', pathSegment(id), state, { query: { fields: 'id,status' } }),
      ({ status }) => status,
    ),
  publishFlow: async (id) =>
    managementAnswer(await graph.request('POST', `${pathSegment(id)}/publish`, success), () => undefined),
  deprecateFlow: async (id) =>
    managementAnswer(await graph.request('POST', `${pathSegment(id)}/deprecate`, success), () => undefined),
  deleteFlow: async (id) => managementAnswer(await graph.request('DELETE', pathSegment(id), success), () => undefined),
});
