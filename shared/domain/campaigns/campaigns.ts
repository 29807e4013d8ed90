import { type AuditAction, type AuditEntry, auditEntry, type Caller, fieldNames } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import { type FieldError, isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import { compileMessage, isFaults } from '../personalization/message.ts';
import { missingParts } from './audience.ts';
import type { Campaign, CampaignInput, CampaignStatus } from './campaign.ts';
import type { CampaignPorts, Figures } from './ports.ts';

/** A campaign with its counters. */
export interface CountedCampaign extends Campaign {
  readonly figures: Figures;
}

/** A time on the wire in ms; null and undefined stay. */
export const msOf = <T extends null | undefined>(time: string | T): number | T =>
  typeof time === 'string' ? Date.parse(time) : time;

const missing = () => refuse('NOT_FOUND', 'There is no such campaign.');
/** How far ahead a campaign may be scheduled, in ms. */
const MAX_AHEAD_MS = 90 * 24 * 3600_000;

/** Placeholders of campaigns refer only to the contact. */
export const compileTexts = <M extends object>(message: M) => compileMessage(message, ['contact']);

const messageFaults = ({ message, variants }: CampaignInput): FieldError[] => {
  if ((message === undefined) === (variants === undefined))
    return [{ path: 'message', message: 'must be given, or variants: exactly one of the two' }];
  const names = new Set(variants?.map(({ name }) => name));
  if (variants && names.size < variants.length) return [{ path: 'variants', message: 'must have different names' }];
  const texts: readonly (readonly [string, object])[] = message
    ? [['message', message]]
    : (variants ?? []).map((variant, at) => [`variants.${at}.message`, variant.message]);
  return texts.flatMap(([path, text]) => {
    const compiled = compileTexts(text);
    return isFaults(compiled) ? compiled.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })) : [];
  });
};

const audienceFaults = ({ audience }: CampaignInput): FieldError[] => {
  const { listIds = [], segmentIds = [], contactIds = [] } = audience;
  return listIds.length + segmentIds.length + contactIds.length === 0
    ? [{ path: 'audience', message: 'must name a list, a segment or a contact' }]
    : [];
};

/** The maximum size of a campaign's messages as JSON, in bytes. */
const MAX_MESSAGE_BYTES = 256_000;

/** 422 for an invalid campaign; undefined if it is valid. */
const inputFault = async (ports: CampaignPorts, organizationId: Id<'organization'>, input: CampaignInput) => {
  const { scheduledAt } = input;
  const errors = [
    ...messageFaults(input),
    ...audienceFaults(input),
    ...(jsonBytes(input.variants ?? input.message ?? '') > MAX_MESSAGE_BYTES
      ? [{ path: input.variants ? 'variants' : 'message', message: `must take at most ${MAX_MESSAGE_BYTES} bytes` }]
      : []),
    ...(scheduledAt !== undefined && scheduledAt > ports.clock() + MAX_AHEAD_MS
      ? [{ path: 'scheduledAt', message: 'must be within 90 days' }]
      : []),
  ];
  if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: 'The campaign violates a rule.', errors });
  return audienceMissing(await missingParts(ports.audience, organizationId, input.audience));
};

/** 422 naming the lists and segments that do not exist. */
export const audienceMissing = (parts: readonly { readonly path: string }[]) =>
  parts.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: 'The audience names lists or segments that do not exist.',
        errors: parts.map(({ path }) => ({ path, message: 'does not belong to the organization' })),
      });

/** The audit entry of a caller's action on a campaign. */
export const campaignEntry = (
  caller: Caller,
  id: Id<'campaign'>,
  verb: 'cancelled' | 'changed' | 'created' | 'deleted' | 'paused' | 'resumed' | 'started',
  at: number,
  details: AuditEntry['details'] = {},
): AuditEntry => auditEntry(caller, { action: `campaign.${verb}` satisfies AuditAction, object: id, at, details });

/** A campaign of the caller's organization. */
export const findCampaign = async (
  { store }: Pick<CampaignPorts, 'store'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'campaign'>,
): Promise<Campaign | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? missing();

/** The campaign with its counters. */
export const counted = async (ports: Pick<CampaignPorts, 'figures'>, campaign: Campaign): Promise<CountedCampaign> => ({
  ...campaign,
  figures: await ports.figures(campaign),
});

/** Stores a draft (docs/spec/campaigns.md#states). */
export const createCampaign = async (
  ports: CampaignPorts,
  caller: Caller,
  input: CampaignInput,
): Promise<CountedCampaign | Refusal<'VALIDATION_ERROR'>> => {
  const { organizationId, env } = caller;
  const fault = await inputFault(ports, organizationId, input);
  if (fault) return fault;
  const now = ports.clock();
  const campaign: Campaign = {
    ...input,
    id: newId('campaign'),
    organizationId,
    env,
    status: 'draft',
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  await ports.store.create(campaign, campaignEntry(caller, campaign.id, 'created', now, { fields: fieldNames(input) }));
  return counted(ports, campaign);
};

export const getCampaign = async (ports: CampaignPorts, actor: Tenant, id: Id<'campaign'>) => {
  const campaign = await findCampaign(ports, actor, id);
  return isRefusal(campaign) ? campaign : counted(ports, campaign);
};

/** A page of an organization's campaigns, newest first. */
export const listCampaigns = async (
  ports: CampaignPorts,
  { organizationId }: Tenant,
  status: CampaignStatus | undefined,
  page: PageRequest,
): Promise<Page<CountedCampaign>> => {
  const { items, total } = await ports.store.page(organizationId, status, page);
  return { items: await Promise.all(items.map((campaign) => counted(ports, campaign))), total };
};

const BEGUN = refuse('CONFLICT', 'The campaign has begun: only a draft or a scheduled one can be changed or deleted.');
const isBegun = ({ status }: Campaign): boolean => status !== 'draft' && status !== 'scheduled';
/** Whether it is paused because parts of its audience were missing at its start, before any recipient was selected. */
export const isUnbegun = ({ status, drive }: Campaign): boolean => status === 'paused' && drive === undefined;

/** Changes of a campaign; null clears. */
export type CampaignPatch = {
  readonly [F in keyof CampaignInput]?: CampaignInput[F] | null | undefined;
};

/** A campaign with its changes: a message replaces variants, and vice versa; without a schedule it becomes a draft. */
const patched = (campaign: Campaign, patch: CampaignPatch): Campaign => {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const unscheduled = campaign.status === 'scheduled' && patch.scheduledAt === null;
  const changed = {
    ...campaign,
    ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])),
    ...(unscheduled ? { status: 'draft' as const } : {}),
  };
  if (patch.message && patch.variants === undefined) return { ...changed, variants: undefined };
  return patch.variants && patch.message === undefined ? { ...changed, message: undefined } : changed;
};

/** Changes a draft or a scheduled campaign, or one that paused before it started; 409 once it has started. */
export const changeCampaign = (
  ports: CampaignPorts,
  actor: Caller,
  id: Id<'campaign'>,
  patch: CampaignPatch,
): Promise<CountedCampaign | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The campaign', async () => {
    const before = await findCampaign(ports, actor, id);
    if (isRefusal(before)) return before;
    if (isBegun(before) && !isUnbegun(before)) return BEGUN;
    const now = ports.clock();
    const after = { ...patched(before, patch), updatedAt: now, version: before.version + 1 };
    if (after.name.trim() === '') return refuseField('The campaign violates a rule.', 'name', 'must not be blank');
    const fault = await inputFault(ports, actor.organizationId, after);
    if (fault) return fault;
    const dueAt = after.status === 'scheduled' ? after.scheduledAt : undefined;
    const entry = campaignEntry(actor, id, 'changed', now, { fields: fieldNames(patch) });
    if (!(await ports.store.change(before, after, { dueAt, entry }))) return CONFLICT;
    if (dueAt !== undefined) ports.enqueue(after, dueAt);
    return counted(ports, after);
  });

/** Deletes a draft or a scheduled campaign; 409 once it has started. */
export const deleteCampaign = (
  ports: CampaignPorts,
  actor: Caller,
  id: Id<'campaign'>,
): Promise<undefined | Refusal<'CONFLICT' | 'NOT_FOUND'>> =>
  removeOnce(
    'The campaign',
    () => findCampaign(ports, actor, id),
    async (campaign) =>
      isBegun(campaign) ? BEGUN : ports.store.remove(campaign, campaignEntry(actor, id, 'deleted', ports.clock())),
  );
