import * as z from 'zod';
import type { ListedTemplate, NumberPlatform, Review } from '../../domain/numbers/platform.ts';
import { reviewStatus } from '../../domain/templates/review.ts';
import type { GraphClient } from './graph.ts';
import { findInList, managed, segment, success, wholeList } from './management-answers.ts';

const id = z.union([z.string().min(1), z.number()]).transform(String);
/** template-management, creating: the answer names where the review begins; newer versions of an edit tell it too. */
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

const whole = listed.extend({ components: z.array(z.looseObject({ type: z.string() })) });
/** Templates of a page; with their components some are long. */
const PAGE = 50;

/** A word of the platform's as a state of a review; what is unknown is still under review. */
const statusOf = (word: string | undefined): Review['status'] => {
  const status = reviewStatus(word ?? 'PENDING');
  return status === undefined || status === 'draft' || status === 'submitted' ? 'pending' : status;
};
const categoryGiven = (category: string | undefined) => (category === undefined ? {} : { category });
const reasonOf = (reason: string | undefined) => (reason === undefined || reason === 'NONE' ? {} : { reason });

type TemplateCalls = Pick<
  NumberPlatform,
  'createTemplate' | 'editTemplate' | 'findTemplate' | 'listTemplates' | 'deleteTemplate'
>;

/** Templates of a business account. */
export const templateCalls = (graph: GraphClient): TemplateCalls => ({
  createTemplate: async (wabaId, template) =>
    managed(
      await graph.request('POST', `${segment(wabaId)}/message_templates`, created, { json: template }),
      (made): Review => ({
        platformTemplateId: made.id,
        status: statusOf(made.status),
        ...categoryGiven(made.category),
      }),
    ),
  editTemplate: async (platformTemplateId, { category, components }) =>
    managed(
      await graph.request('POST', segment(platformTemplateId), edited, { json: { category, components } }),
      ({ status, category: given }) => ({ status: statusOf(status), ...categoryGiven(given) }),
    ),
  findTemplate: async (wabaId, name, language) => {
    const query = { fields: 'id,name,language,status,rejected_reason,category', name, limit: 50 };
    const path = `${segment(wabaId)}/message_templates`;
    // The platform's `name` finds names that begin so.
    const isIt = (each: z.infer<typeof listed>) => each.name === name && each.language === language;
    const answer = await findInList(graph, path, listed, query, isIt);
    if (answer.kind !== 'done') return answer;
    const found = answer.value;
    const review = found && {
      platformTemplateId: found.id,
      status: statusOf(found.status),
      category: found.category,
      ...reasonOf(found.rejected_reason),
    };
    return { kind: 'done', value: review };
  },
  listTemplates: async (wabaId) => {
    const query = { fields: 'id,name,language,status,rejected_reason,category,components', limit: PAGE };
    const answer = await wholeList(graph, `${segment(wabaId)}/message_templates`, whole, query);
    if (answer.kind !== 'done') return answer;
    const templates = answer.value.map(
      ({
        id: platformTemplateId,
        name,
        language,
        status,
        category,
        components,
        rejected_reason: why,
      }): ListedTemplate => ({
        platformTemplateId,
        name,
        language,
        category,
        components,
        status: statusOf(status),
        ...reasonOf(why),
      }),
    );
    return { kind: 'done', value: templates };
  },
  deleteTemplate: async (wabaId, name, platformTemplateId) => {
    // With the id, this language alone; without it, the name in every language.
    const query = { hsm_id: platformTemplateId, name };
    const path = `${segment(wabaId)}/message_templates`;
    return managed(await graph.request('DELETE', path, success, { query }), () => undefined);
  },
});
