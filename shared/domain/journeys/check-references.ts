import type { TemplateStore as EmailTemplateStore } from '../channels/email/template.ts';
import type { AppStore } from '../channels/push/app.ts';
import type { NumberStore } from '../channels/whatsapp/numbers/number.ts';
import type { TemplateStore } from '../channels/whatsapp/templates/template.ts';
import type { Tenant } from '../core/actor.ts';
import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import { asId } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { ListStore } from '../lists/ports.ts';
import type { Channel } from '../message/channel.ts';
import type { PipelineStore } from '../pipelines/pipeline.ts';
import type { PriceTable } from '../pricing/prices.ts';
import type { SegmentStore } from '../segments/segment.ts';
import type { JourneyDefinition } from './definition.ts';
import { channelUses, type Reference, referencesOf } from './references.ts';

/** Lookups of the objects that a journey refers to, and of what its messages need. */
export interface ReferencePorts {
  readonly lists: Pick<ListStore, 'read'>;
  readonly segments: Pick<SegmentStore, 'read'>;
  readonly pipelines: Pick<PipelineStore, 'read'>;
  readonly templates: Pick<TemplateStore, 'read' | 'named'>;
  readonly emailTemplates: Pick<EmailTemplateStore, 'read' | 'named'>;
  readonly numbers: Pick<NumberStore, 'page'>;
  readonly pushApps: Pick<AppStore, 'list'>;
  readonly prices: () => Promise<PriceTable>;
  /** Whether e-mails without a sender can be sent. */
  readonly hasEmailSender: (tenant: Tenant) => Promise<boolean>;
}

/** `saving`: referenced objects exist. `activation`: they can be used as well. */
export type CheckMoment = 'saving' | 'activation';
/** 422 listing the references of a definition to objects that are missing or can't be used. */
export type CheckReferences = (
  tenant: Tenant,
  definition: Pick<JourneyDefinition, 'gatilho' | 'passos'>,
  moment: CheckMoment,
) => Promise<Refusal<'VALIDATION_ERROR'> | undefined>;

/** Concurrent lookups for one definition: it may have hundreds of references. */
const CONCURRENCY = 8;

const fault = (path: string, message: string): FieldError => ({ path, message });

/** Looks each distinct name up once. */
const lookedUp = async <T, V>(items: readonly T[], nameOf: (item: T) => string, read: (item: T) => Promise<V>) => {
  const groups = [...Map.groupBy(items, nameOf).values()];
  const found = await mapConcurrently(groups, CONCURRENCY, async (group) => ({
    group,
    value: await read(group[0] as T),
  }));
  return found.flatMap(({ group, value }) => group.map((item) => ({ item, value })));
};

type Named<K extends Reference['kind']> = Extract<Reference, { readonly kind: K }>;
const ofKind = <K extends Reference['kind']>(references: readonly Reference[], kind: K) =>
  references.filter((reference): reference is Named<K> => reference.kind === kind);

const templateFault = async (
  { templates, emailTemplates }: ReferencePorts,
  { organizationId }: Tenant,
  { channel, name }: Named<'template'>,
  moment: CheckMoment,
): Promise<string | undefined> => {
  if (channel === 'email') {
    const id = asId('emailTemplate', name);
    const found = await (id ? emailTemplates.read(organizationId, id) : emailTemplates.named(organizationId, name));
    return found === undefined ? 'is not an e-mail template of the organization' : undefined;
  }
  const id = asId('template', name);
  const found = id ? [await templates.read(organizationId, id)] : await templates.named(organizationId, name);
  const own = found.filter((template) => template !== undefined);
  if (own.length === 0) return 'is not a template of the organization';
  const isUsable = moment === 'saving' || own.some(({ status }) => status === 'approved');
  return isUsable ? undefined : 'must be approved by Meta';
};

const templateFaults = async (
  ports: ReferencePorts,
  tenant: Tenant,
  templates: readonly Named<'template'>[],
  moment: CheckMoment,
): Promise<FieldError[]> => {
  const nameOf = ({ channel, name }: Named<'template'>) => `${channel === 'email'} ${name}`;
  const found = await lookedUp(templates, nameOf, (template) => templateFault(ports, tenant, template, moment));
  return found.flatMap(({ item: { path }, value }) => (value === undefined ? [] : [fault(path, value)]));
};

/** A trigger refers to at most a list or a segment. */
const triggerFaults = async (
  { lists, segments }: ReferencePorts,
  { organizationId }: Tenant,
  references: readonly Reference[],
): Promise<FieldError[]> => {
  const [list] = ofKind(references, 'list');
  const [segment] = ofKind(references, 'segment');
  const [foundList, foundSegment] = await Promise.all([
    list && lists.read(organizationId, list.id),
    segment && segments.read(organizationId, segment.id),
  ]);
  return [
    ...(list && !foundList ? [fault(list.path, 'is not a list of the organization')] : []),
    ...(segment && !foundSegment ? [fault(segment.path, 'is not a segment of the organization')] : []),
  ];
};

const stageFaults = async (
  { pipelines }: ReferencePorts,
  { organizationId }: Tenant,
  stages: readonly Named<'stage'>[],
): Promise<FieldError[]> => {
  const readPipeline = ({ pipelineId }: Named<'stage'>) => pipelines.read(organizationId, pipelineId);
  const found = await lookedUp(stages, ({ pipelineId }) => pipelineId, readPipeline);
  return found.flatMap(({ item: { path, stageId }, value: pipeline }) => {
    if (!pipeline) return [fault(`${path}.pipelineId`, 'is not a pipeline of the organization')];
    const hasStage = pipeline.stages.some(({ id }) => id === stageId);
    return hasStage ? [] : [fault(`${path}.estagioId`, 'is not a stage of the pipeline')];
  });
};

/** Routes without a price: every send on them would be refused. */
const routeFaults = async ({ prices }: ReferencePorts, routes: readonly Named<'route'>[]): Promise<FieldError[]> => {
  if (routes.length === 0) return [];
  const table = await prices();
  const isPriced = ({ channel, route }: Named<'route'>) =>
    table.some((row) => row.channel === channel && row.route === route);
  return routes
    .filter((each) => !isPriced(each))
    .map(({ path }) => fault(path, 'has no price: it is quoted on request'));
};

const SENDING_NUMBERS = ['connected', 'flagged'] as const;
/** The reason why a channel cannot send messages; undefined if nothing known is missing. */
const CHANNEL_FAULTS: Readonly<
  Partial<Record<Channel, (ports: ReferencePorts, tenant: Tenant) => Promise<string | undefined>>>
> = {
  whatsapp: async ({ numbers }, { organizationId }) => {
    const one = { skip: 0, limit: 1 };
    const found = await Promise.all(SENDING_NUMBERS.map((status) => numbers.page(organizationId, { status }, one)));
    return found.some(({ total }) => total > 0) ? undefined : 'needs a connected WhatsApp number';
  },
  push: async ({ pushApps }, { organizationId }) =>
    (await pushApps.list(organizationId)).length > 0 ? undefined : 'needs a push app',
  email: async ({ hasEmailSender }, tenant) => ((await hasEmailSender(tenant)) ? undefined : 'needs a verified sender'),
};

const channelFaults = async (
  ports: ReferencePorts,
  tenant: Tenant,
  graph: Pick<JourneyDefinition, 'passos'>,
): Promise<FieldError[]> => {
  const found = await lookedUp(
    channelUses(graph),
    ({ channel }) => channel,
    async ({ channel }) => CHANNEL_FAULTS[channel]?.(ports, tenant),
  );
  return found.flatMap(({ item: { path }, value }) => (value === undefined ? [] : [fault(path, value)]));
};

const DETAIL = {
  saving: 'The journey names objects that do not exist.',
  activation: 'The journey names objects that do not exist or cannot be used.',
} as const;

/** Checks the references of a definition. Each object is looked up once, however often it is named. */
export const checkReferences =
  (ports: ReferencePorts): CheckReferences =>
  async (tenant, definition, moment) => {
    const references = referencesOf(definition);
    const faults = await Promise.all([
      triggerFaults(ports, tenant, references),
      templateFaults(ports, tenant, ofKind(references, 'template'), moment),
      stageFaults(ports, tenant, ofKind(references, 'stage')),
      routeFaults(ports, ofKind(references, 'route')),
      moment === 'activation' ? channelFaults(ports, tenant, definition) : [],
    ]);
    const errors = faults.flat();
    return errors.length > 0 ? refuse('VALIDATION_ERROR', { detail: DETAIL[moment], errors }) : undefined;
  };
