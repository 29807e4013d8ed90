import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../../../core/errors.ts';
import { type Id, newId } from '../../../core/ids.ts';
import { definedFields, type Patch } from '../../../core/patch.ts';
import { refuseField } from '../../../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../../../core/retry-on-conflict.ts';
import { firstVersion, invalidState, requireNumber } from '../templates/templates.ts';
import type { FlowOutcome, FlowPorts, WhatsappFlow } from './flow.ts';

/** The parsed body of a new flow. */
export type NewFlow = Pick<WhatsappFlow, 'numberId' | 'name' | 'description' | 'platformCategories' | 'flowJson'>;
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
    ? refuse('CONFLICT', 'The organization has reached its maximum of flows.')
    : refuseField('The flow is too large.', 'flowJson', 'is too large to be kept');

/** Creates a flow as a draft. It is created at Meta when it is published. */
export const createFlow = async (
  ports: FlowPorts,
  owner: Tenant,
  input: NewFlow,
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const number = await requireNumber(ports, owner, input.numberId);
  if (isRefusal(number)) return number;
  const flow: WhatsappFlow = {
    ...input,
    ...firstVersion(number, ports.clock()),
    id: newId('flow'),
    status: 'draft',
  };
  const outcome = await ports.flows.create(flow);
  if (outcome.kind === 'conflict') throw new Unavailable('The flow could not be stored.');
  return outcome.kind === 'saved' ? flow : refusalOf(outcome);
};

/** Reads a flow of the caller's organization; 404 for another organization's, as if it didn't exist. */
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
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The flow', async () => {
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
