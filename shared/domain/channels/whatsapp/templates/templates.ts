import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { definedFields, type Patch } from '../../../core/patch.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../../../core/retry-on-conflict.ts';
import type { DomainEvent } from '../../../events/event.ts';
import { deletionRefusal } from '../numbers/meta-port.ts';
import type { WhatsappNumber } from '../numbers/number.ts';
import { metaApiOf } from '../numbers/numbers.ts';
import { componentErrors } from './components.ts';
import type { TemplateOutcome, TemplatePorts, WhatsappTemplate } from './template.ts';

/** The parsed body of a new template. */
export type NewTemplate = Pick<
  WhatsappTemplate,
  'numberId' | 'name' | 'language' | 'category' | 'components' | 'headerExampleUrl'
>;
/** The parsed body of a change; null clears a field. */
export type TemplateChange = Patch<Omit<NewTemplate, 'numberId'>, 'headerExampleUrl'>;

const MAX_ERRORS = 20;

const notFound = () => refuse('NOT_FOUND', 'There is no such template.');

/** 422 listing the components that break Meta's rules. */
const contentRefusal = ({
  components,
  category,
  headerExampleUrl,
}: Pick<WhatsappTemplate, 'components' | 'category' | 'headerExampleUrl'>) => {
  const errors = componentErrors(components, category, headerExampleUrl);
  return errors.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: "The template breaks Meta's rules.",
        errors: errors.slice(0, MAX_ERRORS),
      });
};

const refusalOf = (outcome: Exclude<TemplateOutcome, { kind: 'conflict' | 'saved' }>): Refusal<'CONFLICT'> =>
  outcome.kind === 'taken'
    ? refuse('CONFLICT', {
        detail: 'Another template of the account has this name in this language.',
        meta: { field: 'name', templateId: outcome.templateId },
      })
    : refuse('CONFLICT', 'The organization has reached its maximum of templates.');

/** The number of a template or flow; 422 if the organization doesn't have it. */
export const requireNumber = async (
  { numbers }: Pick<TemplatePorts, 'numbers'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  numberId: Id<'number'>,
): Promise<WhatsappNumber | Refusal<'VALIDATION_ERROR'>> =>
  (await numbers.read(organizationId, numberId)) ??
  refuseField('There is no such number.', 'numberId', 'is not a number of the organization');

/** The initial fields of a number's template or flow. */
export const firstVersion = ({ organizationId, id: numberId, wabaId }: WhatsappNumber, now: number) => ({
  organizationId,
  numberId,
  wabaId,
  version: 1,
  revision: 1,
  createdAt: now,
  updatedAt: now,
});

/** Creates a template as a draft. 409 if another template of the account has the name in this language. */
export const createTemplate = async (
  ports: TemplatePorts,
  owner: Tenant,
  input: NewTemplate,
): Promise<WhatsappTemplate | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const number = await requireNumber(ports, owner, input.numberId);
  if (isRefusal(number)) return number;
  const invalid = contentRefusal(input);
  if (invalid) return invalid;
  const template: WhatsappTemplate = {
    ...input,
    ...firstVersion(number, ports.clock()),
    id: newId('template'),
    status: 'draft',
  };
  const outcome = await ports.templates.create(template);
  if (outcome.kind === 'conflict') throw new Unavailable('The template could not be stored.');
  return outcome.kind === 'saved' ? template : refusalOf(outcome);
};

/** Reads a template of the caller's organization; 404 for another organization's, as if it didn't exist. */
export const findTemplate = async (
  { templates }: Pick<TemplatePorts, 'templates'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'template'>,
): Promise<WhatsappTemplate | Refusal<'NOT_FOUND'>> => (await templates.read(organizationId, id)) ?? notFound();

/** Computes a change and its events; undefined leaves the template unchanged. */
export type TemplateUpdate<R extends Refusal> = (
  before: WhatsappTemplate,
  now: number,
) => { readonly fields: Partial<WhatsappTemplate>; readonly events?: readonly DomainEvent[] } | R | undefined;

/** Read-modify-write of a template with its events, repeated on conflict. */
export const updateTemplate = async (
  ports: Pick<TemplatePorts, 'clock' | 'templates'>,
  owner: Pick<Tenant, 'organizationId'>,
  id: Id<'template'>,
  changeOf: TemplateUpdate<Refusal<'CONFLICT' | 'VALIDATION_ERROR'>>,
): Promise<WhatsappTemplate | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The template', async () => {
    const before = await findTemplate(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const change = changeOf(before, now);
    if (change === undefined) return before;
    if (isRefusal(change)) return change;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...change.fields, revision: before.revision + 1, updatedAt };
    const outcome = await ports.templates.change(before, after, change.events);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'conflict' ? CONFLICT : refusalOf(outcome);
  });

/** 409 for an operation that the current status does not allow. */
export const invalidState = (status: string, allowed: string) =>
  refuse('CONFLICT', { detail: `Only ${allowed} may do this.`, meta: { status } });

const isNameLocked = (before: WhatsappTemplate, { name, language }: TemplateChange): boolean =>
  before.platformTemplateId !== undefined &&
  ((name !== undefined && name !== before.name) || (language !== undefined && language !== before.language));

/** Updates a draft or a rejected template, which becomes a draft (JSON Merge Patch), and increments its version. */
export const changeTemplate = (
  ports: TemplatePorts,
  owner: Tenant,
  id: Id<'template'>,
  { headerExampleUrl, ...change }: TemplateChange,
) =>
  updateTemplate(ports, owner, id, (before) => {
    if (before.status !== 'draft' && before.status !== 'rejected')
      return invalidState(before.status, 'a draft or a rejected template');
    if (isNameLocked(before, change))
      return refuse('CONFLICT', 'Meta has reviewed it: its name and language cannot change. Create another.');
    const merged: WhatsappTemplate = {
      ...before,
      ...definedFields(change),
      headerExampleUrl: headerExampleUrl === undefined ? before.headerExampleUrl : (headerExampleUrl ?? undefined),
    };
    const invalid = contentRefusal(merged);
    if (invalid) return invalid;
    return { fields: { ...merged, status: 'draft', rejectionReason: undefined, version: before.version + 1 } };
  });

/** Deletes a template at Meta if it was submitted. Skipped if its number is disconnected, since no access is left. */
const deleteAtMeta = async (ports: TemplatePorts, owner: Tenant, template: WhatsappTemplate) => {
  const { platformTemplateId, wabaId, name, numberId, organizationId } = template;
  if (platformTemplateId === undefined) return undefined;
  const number = await ports.numbers.read(organizationId, numberId);
  const metaApi = number && (await metaApiOf(ports, owner.env, number));
  if (!metaApi) return undefined;
  if (isRefusal(metaApi)) return metaApi.name === 'NOT_FOUND' ? undefined : (metaApi as Refusal<'DEPENDENCY_FAILED'>);
  return deletionRefusal(await metaApi.deleteTemplate(wabaId, name, platformTemplateId));
};

/** Deletes a template, at Meta first. The name is free again here, while Meta reserves it for 30 days. */
export const deleteTemplate = async (
  ports: TemplatePorts,
  owner: Tenant,
  id: Id<'template'>,
): Promise<undefined | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>> =>
  removeOnce(
    'The template',
    () => findTemplate(ports, owner, id),
    async (template) => {
      if (template.status === 'submitted')
        return invalidState(template.status, 'a template whose submission has ended');
      return (await deleteAtMeta(ports, owner, template)) ?? ports.templates.remove(template);
    },
  );
