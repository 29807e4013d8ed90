import * as z from 'zod';
import type { ListedTemplate, MetaApi, Review } from '../../domain/channels/whatsapp/numbers/meta-port.ts';
import { reviewStatus } from '../../domain/channels/whatsapp/templates/review.ts';
import type { GraphClient } from './graph.ts';
import { findInList, listAll, managementAnswer, pathSegment, success } from './management-answers.ts';

const id = z.union([z.string().min(1), z.number()]).transform(String);
/** template-management, creating: the response has the initial review status; that of an edit has it in newer versions. */
const reviewing = { status: z.string().optional(), category: z.string().optional() };
const created = z.object({ id, ...reviewing });
const edited = z.object({ success: z.literal(true), ...reviewing });
const listed = z.object({
  id,
  name: z.string(),
  language: z.string(),
  status: z.string(),
  rejected_reason: z.string().optional(),
  category: z.string(),
});

const listedWithComponents = listed.extend({ components: z.array(z.looseObject({ type: z.string() })) });
/** Page size of the list; with components, templates can be long. */
const PAGE_SIZE = 50;

/** The review status that Meta reports; an unknown one counts as still under review. */
const statusOf = (word: string | undefined): Review['status'] => {
  const status = reviewStatus(word ?? 'PENDING');
  return status === undefined || status === 'draft' || status === 'submitted' ? 'pending' : status;
};
const categoryGiven = (category: string | undefined) => (category === undefined ? {} : { category });
const reasonOf = (reason: string | undefined) => (reason === undefined || reason === 'NONE' ? {} : { reason });

/** The state of a listed template's review. */
const reviewOf = ({ id: platformTemplateId, status, category, rejected_reason: reason }: z.infer<typeof listed>) => ({
  platformTemplateId,
  status: statusOf(status),
  category,
  ...reasonOf(reason),
});
const pathOf = (wabaId: string): string => `${pathSegment(wabaId)}/message_templates`;

type TemplateCalls = Pick<
  MetaApi,
  'createTemplate' | 'editTemplate' | 'findTemplate' | 'listTemplates' | 'deleteTemplate'
>;

export const templateCalls = (graph: GraphClient): TemplateCalls => ({
  createTemplate: async (wabaId, template) =>
    managementAnswer(
      await graph.request('POST', pathOf(wabaId), created, { json: template }),
      (made): Review => ({
        platformTemplateId: made.id,
        status: statusOf(made.status),
        ...categoryGiven(made.category),
      }),
    ),
  editTemplate: async (platformTemplateId, { category, components }) =>
    managementAnswer(
      await graph.request('POST', pathSegment(platformTemplateId), edited, { json: { category, components } }),
      ({ status, category: given }) => ({ status: statusOf(status), ...categoryGiven(given) }),
    ),
  findTemplate: async (wabaId, name, language) => {
    const query = { fields: 'id,name,language,status,rejected_reason,category', name, limit: 50 };
    // Meta's `name` filter matches prefixes.
    const isMatch = (each: z.infer<typeof listed>) => each.name === name && each.language === language;
    const answer = await findInList(graph, pathOf(wabaId), listed, query, isMatch);
    if (answer.kind !== 'done') return answer;
    return { kind: 'done', value: answer.value && reviewOf(answer.value) };
  },
  listTemplates: async (wabaId) => {
    const query = { fields: 'id,name,language,status,rejected_reason,category,components', limit: PAGE_SIZE };
    const answer = await listAll(graph, pathOf(wabaId), listedWithComponents, query);
    if (answer.kind !== 'done') return answer;
    const templates = answer.value.map((found): ListedTemplate => {
      const { name, language, components } = found;
      return { ...reviewOf(found), name, language, components };
    });
    return { kind: 'done', value: templates };
  },
  deleteTemplate: async (wabaId, name, platformTemplateId) => {
    // With hsm_id only this language is deleted; without it, every language of the name.
    const query = { hsm_id: platformTemplateId, name };
    return managementAnswer(await graph.request('DELETE', pathOf(wabaId), success, { query }), () => undefined);
  },
});
