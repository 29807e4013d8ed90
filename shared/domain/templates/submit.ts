import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { platformOf } from '../numbers/numbers.ts';
import {
  type NumberPlatform,
  type PlatformAnswer,
  type PlatformTemplate,
  platformRefusal,
  type Review,
} from '../numbers/platform.ts';
import { componentType } from './components.ts';
import { withHandles } from './examples.ts';
import { parameterFormat } from './fill.ts';
import { categoryOf, reviewed } from './review.ts';
import type { TemplatePorts, WhatsappTemplate } from './template.ts';
import { notIn, type Owner, updateTemplate } from './templates.ts';

type SubmitRefusal = Refusal<
  'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'
>;

/** A language as the platform writes it. */
const platformLanguage = (language: string): string => language.replace('-', '_');

/** A template as the platform takes it: the payload beside the type. */
const asPlatform = ({ name, language, category, components }: WhatsappTemplate): PlatformTemplate => ({
  name,
  language: platformLanguage(language),
  category: category.toUpperCase() as PlatformTemplate['category'],
  ...(parameterFormat({ components }) === 'named' ? { parameter_format: 'NAMED' as const } : {}),
  components: components.map((component) => ({
    ...(component.payload as object | undefined),
    type: componentType(component) ?? component.type,
  })),
});

/** Shows a template to the platform. What an earlier call may have created is looked for first, so that it is created once. */
const show = async (
  ports: TemplatePorts,
  platform: NumberPlatform,
  template: WhatsappTemplate,
  resumed: boolean,
): Promise<PlatformAnswer<Review>> => {
  const { platformTemplateId, wabaId, name, language } = template;
  const components = await withHandles(ports, platform, template);
  if (components.kind !== 'done') return components;
  const shown = asPlatform({ ...template, components: components.value });
  if (platformTemplateId !== undefined) {
    const edited = await platform.editTemplate(platformTemplateId, shown);
    return edited.kind === 'done' ? { kind: 'done', value: { platformTemplateId, ...edited.value } } : edited;
  }
  if (resumed) {
    const found = await platform.findTemplate(wabaId, name, platformLanguage(language));
    if (found.kind !== 'done') return found;
    if (found.value) return { kind: 'done', value: found.value };
  }
  return platform.createTemplate(wabaId, shown);
};

const SUBMITTABLE = new Set(['draft', 'rejected', 'submitted']);

/** Marks a template as on its way; a state that has left for the platform already is 409. `resumed`: another call marked it before. */
const claim = async (ports: TemplatePorts, owner: Owner, id: string) => {
  let resumed = false;
  const claimed = await updateTemplate(ports, owner, id, (before) => {
    if (!SUBMITTABLE.has(before.status)) return notIn(before.status, 'a draft or a rejected template');
    resumed = before.status === 'submitted';
    return resumed
      ? undefined
      : { fields: { status: 'submitted', submittedFrom: before.status === 'rejected' ? 'rejected' : 'draft' } };
  });
  return isRefusal(claimed) ? claimed : { claimed, resumed };
};

/** What the platform answered, kept; what it reported meanwhile stays as it is. Another call may have taken it back: the platform has it. */
const settle = (ports: TemplatePorts, owner: Owner, claimed: WhatsappTemplate, review: Review) =>
  updateTemplate(ports, owner, claimed.id, (now, at) => {
    const { platformTemplateId } = review;
    const waits = now.status === 'submitted' || now.status === 'draft';
    if (!waits || now.version !== claimed.version)
      return now.platformTemplateId === undefined ? { fields: { platformTemplateId } } : undefined;
    const { fields, events } = reviewed(now, review, owner.env, at);
    // A report on its category that came before this answer is the later word.
    const reported = now.categoryHeard?.at !== claimed.categoryHeard?.at;
    const category = (reported ? undefined : categoryOf(review.category)) ?? now.category;
    return { fields: { ...fields, category, platformTemplateId }, events };
  });

/** The platform surely did not take it: it is again what it was. */
const takeBack = (ports: TemplatePorts, owner: Owner, { id, version }: WhatsappTemplate) =>
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
 * Hands a template to the platform's review: submitted, and pending once the platform has it. A certain refusal takes it back and says
 * why; after an answer that was lost it stays submitted, and submitting again finds what the first call made.
 */
export const submitTemplate = async (
  ports: TemplatePorts,
  owner: Owner,
  id: string,
): Promise<WhatsappTemplate | SubmitRefusal> => {
  const before = await ports.templates.read(owner.organizationId, id);
  if (!before) return refuse('NOT_FOUND', 'There is no such template.');
  const number = await numberOf(ports, before);
  if (isRefusal(number)) return number;
  const platform = await platformOf(ports, owner.env, number);
  if (isRefusal(platform)) return platform;
  const started = await claim(ports, owner, id);
  if (isRefusal(started)) return started;
  const { claimed, resumed } = started;
  const answer = await show(ports, platform, claimed, resumed);
  if (answer.kind === 'done') return settle(ports, owner, claimed, answer.value);
  if (answer.kind === 'refused') await takeBack(ports, owner, claimed);
  return platformRefusal(answer, 'components');
};
