import type { Actor } from '../actor.ts';
import { MOVED, removeOnce, untilStored } from '../contended.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { numberNamed } from '../templates/templates.ts';
import type { FlowCategory, FlowOutcome, FlowPorts, WhatsappFlow } from './flow.ts';
import type { FlowJson } from './flow-json.ts';

/** The parsed body of a new flow. */
export interface NewFlow {
  readonly numberId: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly platformCategories: readonly FlowCategory[];
  readonly flowJson: FlowJson;
}
/** The parsed body of a change; null clears. */
export interface FlowChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly platformCategories?: readonly FlowCategory[] | undefined;
  readonly flowJson?: FlowJson | undefined;
}

export type Owner = Pick<Actor, 'organizationId' | 'env'>;

const absent = () => refuse('NOT_FOUND', 'There is no such flow.');

/** 409 for a move that a state does not take. */
export const notIn = (status: string, wanted: string) =>
  refuse('CONFLICT', { detail: `Only ${wanted} may do this.`, meta: { status } });

/** 409 for a flow of which it is not known whether the platform publishes it. */
export const beingPublished = ({ status }: Pick<WhatsappFlow, 'status'>) =>
  refuse('CONFLICT', {
    detail: 'It is being published, or was without a certain end: publish it again to learn how that ended.',
    meta: { status },
  });

const refusalOf = (outcome: Exclude<FlowOutcome, { kind: 'moved' | 'saved' }>) =>
  outcome.kind === 'full'
    ? refuse('CONFLICT', 'The organization has as many flows as it may have.')
    : refuse('VALIDATION_ERROR', {
        detail: 'The flow is too large.',
        errors: [{ path: 'flowJson', message: 'is too large to be kept' }],
      });

/** Saves a new flow as a draft. The platform is told of it when it is published. */
export const createFlow = async (
  ports: FlowPorts,
  owner: Owner,
  wish: NewFlow,
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const number = await numberNamed(ports, owner, wish.numberId);
  if (isRefusal(number)) return number;
  const now = ports.clock();
  const flow: WhatsappFlow = {
    ...wish,
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
  if (outcome.kind === 'moved') throw new Unavailable('The flow could not be stored.');
  return outcome.kind === 'saved' ? flow : refusalOf(outcome);
};

/** A flow of the caller's organization. Another's answers 404, exactly as one that never was. */
export const findFlow = async (
  { flows }: Pick<FlowPorts, 'flows'>,
  { organizationId }: Pick<Owner, 'organizationId'>,
  id: string,
): Promise<WhatsappFlow | Refusal<'NOT_FOUND'>> => (await flows.read(organizationId, id)) ?? absent();

/** Puts what `make` makes of a flow in its place; others' changes of the same moment are kept beside it. Undefined leaves it as it stands. */
export const updateFlow = async (
  ports: Pick<FlowPorts, 'clock' | 'flows'>,
  owner: Pick<Owner, 'organizationId'>,
  id: string,
  make: (before: WhatsappFlow, now: number) => Partial<WhatsappFlow> | Refusal<'CONFLICT'> | undefined,
): Promise<WhatsappFlow | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  return untilStored('The flow', async () => {
    const before = await findFlow(ports, owner, id);
    if (isRefusal(before)) return before;
    const now = ports.clock();
    const made = make(before, now);
    if (made === undefined) return before;
    if (isRefusal(made)) return made as Refusal<'CONFLICT'>;
    const updatedAt = Math.max(now, before.updatedAt + 1);
    const after = { ...before, ...made, revision: before.revision + 1, updatedAt };
    const outcome = await ports.flows.change(before, after);
    if (outcome.kind === 'saved') return after;
    return outcome.kind === 'moved' ? MOVED : refusalOf(outcome);
  });
};

/** Changes a draft (JSON Merge Patch); its version counts one more. */
export const changeFlow = (ports: FlowPorts, owner: Owner, id: string, { description, ...change }: FlowChange) =>
  updateFlow(ports, owner, id, (before) => {
    if (before.status !== 'draft') return notIn(before.status, 'a draft');
    if (before.publishing) return beingPublished(before);
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const cleared = description === undefined ? {} : { description: description ?? undefined };
    return { ...given, ...cleared, version: before.version + 1 };
  });

/** Puts a draft or a deprecated flow away; nothing brings it back. */
export const archiveFlow = (ports: FlowPorts, owner: Owner, id: string) =>
  updateFlow(ports, owner, id, (before) => {
    if (before.status === 'archived') return undefined;
    if (before.publishing) return beingPublished(before);
    return before.status === 'draft' || before.status === 'deprecated'
      ? { status: 'archived' }
      : notIn(before.status, 'a draft or a deprecated flow');
  });

/** What a removal asks of the platform before the flow's row goes: undefined when there is nothing, or nobody, to ask. */
export type Forget = (
  flow: WhatsappFlow,
) => Promise<Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'> | undefined>;

/** Deletes a draft, on the platform first where it has seen it; 409 while a call publishes it. */
export const deleteFlow = async (
  ports: FlowPorts,
  owner: Owner,
  id: string,
  forget: Forget,
): Promise<
  undefined | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION_ERROR'>
> => {
  return removeOnce(
    'The flow',
    () => findFlow(ports, owner, id),
    async (flow) => {
      if (flow.status !== 'draft') return notIn(flow.status, 'a draft');
      if (flow.publishing && flow.publishing.until > ports.clock()) return beingPublished(flow);
      return (await forget(flow)) ?? ports.flows.remove(flow);
    },
  );
};
