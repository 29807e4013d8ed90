import * as z from 'zod';
import { FLOW_CATEGORIES, FLOW_STATUSES } from '../domain/channels/whatsapp/flows/flow.ts';
import { flowJsonSchema, flowJsonShape } from '../domain/channels/whatsapp/flows/flow-json.ts';
import { META_FLOW_STATUSES } from '../domain/channels/whatsapp/numbers/meta-port.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  closedObject,
  dateTime,
  oneLine,
  openObject,
  optionalText,
  ordinal,
  paged,
  pageOf,
  pathId,
  text,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

const FLOW_JSON = {
  version: '6.2',
  data_api_version: '3.0',
  screens: [
    {
      id: 'DADOS',
      title: 'Seus dados',
      terminal: true,
      success: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextHeading', text: 'Como podemos ajudar?' },
          { type: 'Footer', label: 'Enviar', 'on-click-action': { name: 'complete', payload: {} } },
        ],
      },
    },
  ],
};

const name = oneLine(160, 'The name; recipients do not see it.', 'Atendimento');
const description = z.string().max(1_000).meta({ description: 'The purpose of the flow.', example: 'Abre um chamado' });
const category = z.enum(FLOW_CATEGORIES).meta({ description: 'The category of a flow.', example: 'CUSTOMER_SUPPORT' });
const categories = z
  .array(category)
  .min(1)
  .max(FLOW_CATEGORIES.length)
  .meta({
    description: "The categories of the flow, in WhatsApp's terms.",
    example: ['CUSTOMER_SUPPORT'],
  });
const flowJson = flowJsonSchema.meta({ description: 'The screens; at most 100 KB.', example: FLOW_JSON });
const numberId = idSchema('number', 'The number whose business account owns the flow.');
const status = z.enum(FLOW_STATUSES).meta({ description: 'The status of the flow.', example: 'draft' });
const platformStatus = z
  .enum(META_FLOW_STATUSES)
  .meta({ description: 'The status at Meta; absent until the flow exists there.', example: 'DRAFT' });

const Flow = openObject('Flow', 'A WhatsApp flow.', {
  id: idSchema('flow'),
  organizationId: idSchema('organization', 'The organization that owns it.'),
  numberId,
  name: text('The name.', 'Atendimento'),
  description: optionalText('The purpose of the flow.'),
  status,
  version: ordinal('The number of the version, from 1; every change of the contents adds one.', 1),
  platformCategories: z.array(category).meta({ description: "The categories of the flow, in WhatsApp's terms." }),
  platformFlowId: optionalText("Meta's id of the flow.", '1234567890'),
  platformStatus: platformStatus.optional(),
  flowJson: flowJsonShape,
  publishedAt: dateTime('When it was published.').optional(),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
});

const id = z.object({ id: pathId('flow', 'The id of the flow.') });
const tag = 'WhatsApp flows';
const reads = { permission: 'flows:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'flows:write', tag, uses: { table: 'write' } } as const;
const callsMeta = {
  ...writes,
  uses: { table: 'write', rootKeys: ['numbers', 'providers'] },
  timeoutSeconds: 28,
  errors: ['CONFLICT', 'VALIDATION_ERROR', 'PRECONDITION_FAILED', 'DEPENDENCY_FAILED'],
} as const;

export const listFlows = defineOperation({
  ...reads,
  id: 'flows.list',
  route: 'GET /v2/flows',
  summary: 'List WhatsApp flows, newest first',
  description:
    "Fields named `platform…`, here and in the query, are Meta's own: its statuses, ids and categories. A page ends before `limit` if its flows exceed 5 MB together: continue at `skip` plus the number of items.",
  query: z.strictObject({
    status: status.optional(),
    platformStatus: platformStatus.optional(),
    category: category.optional(),
    numberId: numberId.optional(),
    ...paged(50, 200),
  }),
  answer: pageOf(Flow, 'FlowPage', 'flows', 'WhatsApp flows'),
});

export const createFlow = defineOperation({
  ...writes,
  id: 'flows.create',
  route: 'POST /v2/flows',
  summary: 'Create a WhatsApp flow',
  description: 'Creates a draft: Meta gets it when it is published.',
  body: closedObject('CreateFlow', 'A new flow.', {
    numberId,
    name,
    description: description.optional(),
    platformCategories: categories,
    flowJson,
  }),
  responses: { 201: Flow },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getFlow = defineOperation({
  ...reads,
  id: 'flows.get',
  route: 'GET /v2/flows/{id}',
  summary: 'Read a WhatsApp flow',
  params: id,
  answer: Flow,
});

export const changeFlow = defineOperation({
  ...writes,
  id: 'flows.change',
  route: 'PATCH /v2/flows/{id}',
  summary: 'Change a WhatsApp flow',
  description:
    'Only a draft; increments `version`. JSON Merge Patch: absent fields stay, `description: null` clears. 409 while it is being published, and after a publication with an unknown outcome, until publishing it again has determined it.',
  params: id,
  body: closedObject('ChangeFlow', 'A change to a flow.', {
    name: name.optional(),
    description: description.nullable().optional(),
    platformCategories: categories.optional(),
    flowJson: flowJson.optional(),
  }),
  answer: Flow,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteFlow = defineOperation({
  ...callsMeta,
  id: 'flows.delete',
  route: 'DELETE /v2/flows/{id}',
  summary: 'Delete a WhatsApp flow',
  description: 'Only a draft; it is also deleted at Meta if it exists there. 409 while it is being published.',
  params: id,
  responses: { 204: null },
  errors: ['CONFLICT', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
});

export const publishFlow = defineOperation({
  ...callsMeta,
  id: 'flows.publish',
  route: 'POST /v2/flows/{id}/publish',
  summary: 'Publish a WhatsApp flow',
  description:
    'The draft is created at Meta, its JSON is uploaded and it is published: it is `active` and can no longer be changed. 422 with the errors that Meta finds. After a 502, publishing again continues where it stopped.',
  params: id,
  answer: Flow,
});

export const deprecateFlow = defineOperation({
  ...callsMeta,
  id: 'flows.deprecate',
  route: 'POST /v2/flows/{id}/deprecate',
  summary: 'Deprecate a WhatsApp flow',
  description: 'Only an active or a paused flow; it is also deprecated at Meta. This cannot be undone.',
  params: id,
  answer: Flow,
});

export const syncFlow = defineOperation({
  ...callsMeta,
  id: 'flows.sync',
  route: 'POST /v2/flows/{id}/sync',
  summary: 'Read a WhatsApp flow’s status from Meta',
  description:
    'Meta blocks, throttles and releases flows on its own: an active flow that it blocked is `paused`, and active again once it is released. 409 for a flow that was never published.',
  params: id,
  answer: Flow,
});

export const archiveFlow = defineOperation({
  ...writes,
  id: 'flows.archive',
  route: 'POST /v2/flows/{id}/archive',
  summary: 'Archive a WhatsApp flow',
  description: 'Only a draft or a deprecated flow. This cannot be undone.',
  params: id,
  answer: Flow,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});
