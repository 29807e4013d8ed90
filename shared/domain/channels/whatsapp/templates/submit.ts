import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../../../core/errors.ts';
import type { Id } from '../../../core/ids.ts';
import { type MetaAnswer, type MetaApi, type MetaTemplate, metaRefusal, type Review } from '../numbers/meta-port.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { metaApiOf } from '../numbers/numbers.ts';
import { componentType } from './components.ts';
import { withExampleHandles } from './examples.ts';
import { parameterFormat } from './fill.ts';
import { afterReview, categoryOf } from './review.ts';
import type { TemplatePorts, WhatsappTemplate } from './template.ts';
import { invalidState, updateTemplate } from './templates.ts';

type SubmitRefusal = Refusal<
  'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'
>;

const metaLanguage = (language: string): string => language.replace('-', '_');

/** A template in Meta's format: the payload beside the type. */
const toMetaTemplate = ({ name, language, category, components }: WhatsappTemplate): MetaTemplate => ({
  name,
  language: metaLanguage(language),
  category: category.toUpperCase() as MetaTemplate['category'],
  ...(parameterFormat({ components }) === 'named' ? { parameter_format: 'NAMED' as const } : {}),
  components: components.map((component) => ({
    ...(component.payload as object | undefined),
    type: componentType(component) ?? component.type,
  })),
});

/** Submits a template to Meta. When resuming, it first looks for the template that the earlier call may have created. */
const sendToMeta = async (
  ports: TemplatePorts,
  metaApi: MetaApi,
  template: WhatsappTemplate,
  resumed: boolean,
): Promise<MetaAnswer<Review>> => {
  const { platformTemplateId, wabaId, name, language } = template;
  const components = await withExampleHandles(ports, metaApi, template);
  if (components.kind !== 'done') return components;
  const shown = toMetaTemplate({ ...template, components: components.value });
  if (platformTemplateId !== undefined) {
    const edited = await metaApi.editTemplate(platformTemplateId, shown);
    return edited.kind === 'done' ? { kind: 'done', value: { platformTemplateId, ...edited.value } } : edited;
  }
  if (resumed) {
    const found = await metaApi.findTemplate(wabaId, name, metaLanguage(language));
    if (found.kind !== 'done') return found;
    if (found.value) return { kind: 'done', value: found.value };
  }
  return metaApi.createTemplate(wabaId, shown);
};

const SUBMITTABLE = new Set(['draft', 'rejected', 'submitted']);

/** Marks a template as submitted; 409 if it was already. `resumed`: an earlier call marked it and its outcome is unknown. */
const claim = async (ports: TemplatePorts, owner: Tenant, id: Id<'template'>) => {
  let resumed = false;
  const claimed = await updateTemplate(ports, owner, id, (before) => {
    if (!SUBMITTABLE.has(before.status)) return invalidState(before.status, 'a draft or a rejected template');
    resumed = before.status === 'submitted';
    return resumed
      ? undefined
      : { fields: { status: 'submitted', submittedFrom: before.status === 'rejected' ? 'rejected' : 'draft' } };
  });
  return isRefusal(claimed) ? claimed : { claimed, resumed };
};

/**
 * Stores Meta's answer. Events received meanwhile take precedence; if the claim was reverted, only Meta's id is kept, since the template
 * exists there.
 */
const settle = (ports: TemplatePorts, owner: Tenant, claimed: WhatsappTemplate, review: Review) =>
  updateTemplate(ports, owner, claimed.id, (now, at) => {
    const { platformTemplateId } = review;
    const waits = now.status === 'submitted' || now.status === 'draft';
    if (!waits || now.version !== claimed.version)
      return now.platformTemplateId === undefined ? { fields: { platformTemplateId } } : undefined;
    const { fields, events } = afterReview(now, review, owner.env, at);
    // A category event received before this answer is newer.
    const reported = now.categoryHeard?.at !== claimed.categoryHeard?.at;
    const category = (reported ? undefined : categoryOf(review.category)) ?? now.category;
    return { fields: { ...fields, category, platformTemplateId }, events };
  });

/** Reverts the claim after a certain refusal. */
const revertClaim = (ports: TemplatePorts, owner: Tenant, { id, version }: WhatsappTemplate) =>
  updateTemplate(ports, owner, id, (now) =>
    now.status === 'submitted' && now.version === version
      ? { fields: { status: now.submittedFrom ?? 'draft', submittedFrom: undefined } }
      : undefined,
  );

const numberOf = async (
  ports: TemplatePorts,
  { organizationId, numberId }: WhatsappTemplate,
): Promise<WhatsappNumber | Refusal<'PRECONDITION_FAILED'>> =>
  (await ports.numbers.read(organizationId, numberId)) ??
  refuse('PRECONDITION_FAILED', 'The number of the template is not connected any more.');

/**
 * Submits a template for review: `submitted`, then `pending` once Meta has it. A certain refusal reverts it and returns the reason. After a
 * lost response it stays submitted, and submitting again finds what the first call created
 * (docs/spec/whatsapp-templates.md#template-states).
 */
export const submitTemplate = async (
  ports: TemplatePorts,
  owner: Tenant,
  id: Id<'template'>,
): Promise<WhatsappTemplate | SubmitRefusal> => {
  const before = await ports.templates.read(owner.organizationId, id);
  if (!before) return refuse('NOT_FOUND', 'There is no such template.');
  const number = await numberOf(ports, before);
  if (isRefusal(number)) return number;
  const metaApi = await metaApiOf(ports, owner.env, number);
  if (isRefusal(metaApi)) return metaApi;
  const started = await claim(ports, owner, id);
  if (isRefusal(started)) return started;
  const { claimed, resumed } = started;
  const answer = await sendToMeta(ports, metaApi, claimed, resumed);
  if (answer.kind === 'done') return settle(ports, owner, claimed, answer.value);
  if (answer.kind === 'refused') await revertClaim(ports, owner, claimed);
  return metaRefusal(answer, 'components');
};
