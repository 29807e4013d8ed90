import type { Actor } from '../actor.ts';
import { MOVED, removeOnce, untilStored } from '../contended.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import { isId, newId } from '../ids.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { platformOf } from '../numbers/numbers.ts';
import { platformRefusal } from '../numbers/platform.ts';
import { componentFaults } from './components.ts';
import type {
  TemplateCategory,
  TemplateComponent,
  TemplateLanguage,
  TemplateOutcome,
  TemplatePorts,
  WhatsappTemplate,
} from './template.ts';

/** The parsed body of a new template. */
export interface NewTemplate {
  readonly numberId: string;
  readonly name: string;
  readonly language: TemplateLanguage;
  readonly category: TemplateCategory;
  readonly components: readonly TemplateComponent[];
  readonly headerExampleUrl?: string | undefined;
}
/** The parsed body of a change; null clears. */
export interface TemplateChange {
  readonly name?: string | undefined;
  readonly language?: TemplateLanguage | undefined;
  readonly category?: TemplateCategory | undefined;
  readonly components?: readonly TemplateComponent[] | undefined;
  readonly headerExampleUrl?: string | null | undefined;
}

export type Owner = Pick<Actor, 'organizationId' | 'env'>;
const MOST_FAULTS = 20;

const absent = () => refuse('NOT_FOUND', 'There is no such template.');

/** Every component by the platform's rules, or 422 with the paths of the faults. */
const contentRefusal = ({
  components,
  category,
  headerExampleUrl,
}: Pick<WhatsappTemplate, 'components' | 'category' | 'headerExampleUrl'>) => {
  const errors = componentFaults(components, category, headerExampleUrl);
  return errors.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: "The template breaks the platform's rules.",
        errors: errors.slice(0, MOST_FAULTS),
      });
};

const refusalOf = (outcome: Exclude<TemplateOutcome, { kind: 'moved' | 'saved' }>): Refusal<'CONFLICT'> =>
  outcome.kind === 'taken'
    ? refuse('CONFLICT', {
        detail: 'Another template of the account has this name in this language.',
        meta: { field: 'name', templateId: outcome.templateId },
      })
    : refuse('CONFLICT', 'The organization has as many templates as it may have.');

/** The number that a template or a flow is of; 422 for one that the organization does not have. */
export const numberNamed = async (
  { numbers }: Pick<TemplatePorts, 'numbers'>,
  { organizationId }: Pick<Owner, 'organizationId'>,
  numberId: string,
): Promise<WhatsappNumber | Refusal<'VALIDATION_ERROR'>> =>
  (isId('number', numberId) ? await numbers.read(organizationId, numberId) : undefined) ??
  refuse('VALIDATION_ERROR', {
    detail: 'There is no such number.',
    errors: [{ path: 'numberId', message: 'is no number of the organization' }],
  });

/** Saves a new template as a draft. 409 for a name that another one of the account has in this language. */
export const createTemplate = async (
  ports: TemplatePorts,
  owner: Owner,
  wish: NewTemplate,
): Promise<WhatsappTemplate | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const number = await numberNamed(ports, owner, wish.numberId);
  if (isRefusal(number)) return number;
  const faulty = contentRefusal(wish);
  if (faulty) return faulty;
  const now = ports.clock();
  const template: WhatsappTemplate = {
    ...wish,
    id: newId('template'),
    organizationId: owner.organizationId,
    numberId: number.id,
    wabaId: number.wabaId,
    status: 'draft',
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await ports.templates.create(template);
  if (outcome.kind === 'moved') throw new Unavailable('The template could not be stored.');
  return outcome.kind === 'saved' ? template : refusalOf(outcome);
};

/** A template of the caller's organization. Another's answers 404, exactly as one that never was. */
export const findTemplate = async (
  { templates }: Pick<TemplatePorts, 'templates'>,
  { organizationId }: Pick<Owner, 'organizationId'>,
  id: string,
): Promise<WhatsappTemplate | Refusal<'NOT_FOUND'>> => (await templates.read(organizationId, id)) ?? absent();

/** What a change makes of a template, with its events; undefined leaves it as it stands. */
export type TemplateUpdate<R extends Refusal> = (
  before: WhatsappTemplate,
  now: number,
) => { readonly fields: Partial<WhatsappTemplate>; readonly events?: readonly DomainEvent[] } | R | undefined;

/** Puts what `make` makes of a template in its place; others' changes of the same moment are kept beside it. */
export const updateTemplate = async (
  ports: Pick<TemplatePorts, 'clock' | 'templates'>,
  owner: Pick<Owner, 'organizationId'>,
  id: string,
  make: TemplateUpdate<Refusal<'CONFLICT' | 'VALIDATION_ERROR'>>,
): Promise<WhatsappTemplate | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  return untilStored('The template', async () => {
    const before = await findTemplate(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const made = make(before, now);
    if (made === undefined) return before;
    if (isRefusal(made)) return made;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...made.fields, revision: before.revision + 1, updatedAt };
    const outcome = await ports.templates.change(before, after, made.events);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'moved' ? MOVED : refusalOf(outcome);
  });
};

/** 409 for a move that a state does not take. */
export const notIn = (status: string, wanted: string) =>
  refuse('CONFLICT', { detail: `Only ${wanted} may do this.`, meta: { status } });

const isBound = (before: WhatsappTemplate, { name, language }: TemplateChange): boolean =>
  before.platformTemplateId !== undefined &&
  ((name !== undefined && name !== before.name) || (language !== undefined && language !== before.language));

/** Changes a draft or a rejected template (JSON Merge Patch), which is a draft then; its version counts one more. */
export const changeTemplate = (
  ports: TemplatePorts,
  owner: Owner,
  id: string,
  { headerExampleUrl, ...change }: TemplateChange,
) =>
  updateTemplate(ports, owner, id, (before) => {
    if (before.status !== 'draft' && before.status !== 'rejected')
      return notIn(before.status, 'a draft or a rejected template');
    if (isBound(before, change))
      return refuse('CONFLICT', 'The platform has reviewed it: its name and its language stay. Create another.');
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const merged: WhatsappTemplate = {
      ...before,
      ...given,
      headerExampleUrl: headerExampleUrl === undefined ? before.headerExampleUrl : (headerExampleUrl ?? undefined),
    };
    const faulty = contentRefusal(merged);
    if (faulty) return faulty;
    return { fields: { ...merged, status: 'draft', rejectionReason: undefined, version: before.version + 1 } };
  });

/** Has the platform forget a template that it was shown. Its number may be gone: then nobody can ask the platform any more. */
const forget = async (ports: TemplatePorts, owner: Owner, template: WhatsappTemplate) => {
  const { platformTemplateId, wabaId, name, numberId, organizationId } = template;
  if (platformTemplateId === undefined) return undefined;
  const number = await ports.numbers.read(organizationId, numberId);
  const platform = number && (await platformOf(ports, owner.env, number));
  if (!platform) return undefined;
  if (isRefusal(platform))
    return platform.name === 'NOT_FOUND' ? undefined : (platform as Refusal<'DEPENDENCY_FAILED'>);
  const gone = await platform.deleteTemplate(wabaId, name, platformTemplateId);
  if (gone.kind === 'done' || (gone.kind === 'refused' && gone.cause === 'absent')) return undefined;
  return platformRefusal(gone);
};

/** Deletes a template, on the platform first. Its name is free again here; the platform keeps names back for 30 days. */
export const deleteTemplate = async (
  ports: TemplatePorts,
  owner: Owner,
  id: string,
): Promise<
  undefined | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>
> => {
  return removeOnce(
    'The template',
    () => findTemplate(ports, owner, id),
    async (template) => {
      if (template.status === 'submitted') return notIn(template.status, 'a template whose submission has ended');
      return (await forget(ports, owner, template)) ?? ports.templates.remove(template);
    },
  );
};
