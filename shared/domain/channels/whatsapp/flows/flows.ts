import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { definedFields, type Patch } from '../../../core/patch.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../../../core/retry-on-conflict.ts';
import { invalidState, requireNumber } from '../templates/templates.ts';
import type { FlowCategory, FlowOutcome, FlowPorts, WhatsappFlow } from './flow.ts';
import type { FlowJson } from './flow-json.ts';

/** The parsed body of a new flow. */
export interface NewFlow {
  readonly numberId: Id<'number'>;
  readonly name: string;
  readonly description?: string | undefined;
  readonly platformCategories: readonly FlowCategory[];
  readonly flowJson: FlowJson;
}
/** The parsed body of a change; null clears a field. */
export type FlowChange = Patch<Omit<NewFlow, 'numberId'>, 'description'>;

const notFound = () => refuse('NOT_FOUND', 'There is no such flow.');

/** 409 while the outcome of a publication is unknown. */
export const publicationInProgress = ({ status }: Pick<WhatsappFlow, 'status'>) =>
  refuse('CONFLICT', {
    detail: 'It is being published, or was without a certain end: publish it again to learn how that ended.',
    meta: { status },
  });

const refusalOf = (outcome: Exclude<FlowOutcome, { kind: 'conflict' | 'saved' }>) =>
  outcome.kind === 'limit_reached'
    ? refuse('CONFLICT', 'The organization has as many flows as it may have.')
    : refuseField('The flow is too large.', 'flowJson', 'is too large to be kept');

/** Creates a flow as a draft. Meta learns of it when it is published. */
export const createFlow = async (
  ports: FlowPorts,
  owner: Tenant,
  input: NewFlow,
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const number = await requireNumber(ports, owner, input.numberId);
  if (isRefusal(number)) return number;
  const now = ports.clock();
  const flow: WhatsappFlow = {
    ...input,
    id: newId('flow'),
    organizationId: owner.organizationId,
    numberId: number.id,
    wabaId: number.wabaId,
    status: 'draft',
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await ports.flows.create(flow);
  if (outcome.kind === 'conflict') throw new Unavailable('The flow could not be stored.');
  return outcome.kind === 'saved' ? flow : refusalOf(outcome);
};

/** Reads a flow of the caller's organization; another organization's answers 404 as if it didn't exist. */
export const findFlow = async (
  { flows }: Pick<FlowPorts, 'flows'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'flow'>,
): Promise<WhatsappFlow | Refusal<'NOT_FOUND'>> => (await flows.read(organizationId, id)) ?? notFound();

/** Read-modify-write of a flow, repeated on conflict. `changeOf` returns undefined to leave it unchanged. */
export const updateFlow = async (
  ports: Pick<FlowPorts, 'clock' | 'flows'>,
  owner: Pick<Tenant, 'organizationId'>,
  id: Id<'flow'>,
  changeOf: (before: WhatsappFlow, now: number) => Partial<WhatsappFlow> | Refusal<'CONFLICT'> | undefined,
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  return retryOnConflict('The flow', async () => {
    const before = await findFlow(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const change = changeOf(before, now);
    if (change === undefined) return before;
    if (isRefusal(change)) return change as Refusal<'CONFLICT'>;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...change, revision: before.revision + 1, updatedAt };
    const outcome = await ports.flows.change(before, after);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'conflict' ? CONFLICT : refusalOf(outcome);
  });
};

/** Updates a draft (JSON Merge Patch) and increments its version. */
export const changeFlow = (ports: FlowPorts, owner: Tenant, id: Id<'flow'>, { description, ...change }: FlowChange) =>
  updateFlow(ports, owner, id, (before) => {
    if (before.status !== 'draft') return invalidState(before.status, 'a draft');
    if (before.publishing) return publicationInProgress(before);
    const cleared = description === undefined ? {} : { description: description ?? undefined };
    return { ...definedFields(change), ...cleared, version: before.version + 1 };
  });

/** Archives a draft or a deprecated flow, irreversibly. */
export const archiveFlow = (ports: FlowPorts, owner: Tenant, id: Id<'flow'>) =>
  updateFlow(ports, owner, id, (before) => {
    if (before.status === 'archived') return undefined;
    if (before.publishing) return publicationInProgress(before);
    return before.status === 'draft' || before.status === 'deprecated'
      ? { status: 'archived' }
      : invalidState(before.status, 'a draft or a deprecated flow');
  });

/** Deletes the flow at Meta before its row is deleted; undefined if there was nothing to delete or no access left. */
export type DeleteAtMeta = (
  flow: WhatsappFlow,
) => Promise<Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'> | undefined>;

/** Deletes a draft, at Meta first if it was created there. 409 while it is being published. */
export const deleteFlow = async (
  ports: FlowPorts,
  owner: Tenant,
  id: Id<'flow'>,
  deleteAtMeta: DeleteAtMeta,
): Promise<
  undefined | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>
> => {
  return removeOnce(
    'The flow',
    () => findFlow(ports, owner, id),
    async (flow) => {
      if (flow.status !== 'draft') return invalidState(flow.status, 'a draft');
      if (flow.publishing && flow.publishing.until > ports.clock()) return publicationInProgress(flow);
      return (await deleteAtMeta(flow)) ?? ports.flows.remove(flow);
    },
  );
};
