import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { platformOf } from '../numbers/numbers.ts';
import {
  type FlowFault,
  type NumberPlatform,
  type PlatformAnswer,
  type PlatformFlowStatus,
  platformRefusal,
} from '../numbers/platform.ts';
import type { FlowPorts, WhatsappFlow } from './flow.ts';
import { uploadedJson } from './flow-json.ts';
import { findFlow, notIn, type Owner, updateFlow } from './flows.ts';

type MoveRefusal = Refusal<
  'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'
>;
const MOST_FAULTS = 20;

/** What the platform calls the flow: with our id, so that no two have the same name there and an earlier attempt is found again. */
const platformName = ({ name, id }: WhatsappFlow): string => `${name} (${id})`;
const asPlatform = (flow: WhatsappFlow) => ({ name: platformName(flow), categories: flow.platformCategories });

const openFor = async (
  ports: FlowPorts,
  { env, organizationId }: Owner,
  { numberId }: WhatsappFlow,
): Promise<NumberPlatform | Refusal<'DEPENDENCY_FAILED' | 'PRECONDITION_FAILED'>> => {
  const gone = refuse('PRECONDITION_FAILED', 'The number of the flow is not connected any more.');
  const number = await ports.numbers.read(organizationId, numberId);
  if (!number) return gone;
  const platform = await platformOf(ports, env, number);
  if (!isRefusal(platform)) return platform;
  return platform.name === 'NOT_FOUND' ? gone : (platform as Refusal<'DEPENDENCY_FAILED'>);
};

/** The flow's id on the platform: created there once, though an answer may be lost. */
const created = async (
  ports: FlowPorts,
  owner: Owner,
  platform: NumberPlatform,
  flow: WhatsappFlow,
): Promise<WhatsappFlow | MoveRefusal> => {
  if (flow.platformFlowId !== undefined) return flow;
  const earlier = flow.creating
    ? await platform.findFlow(flow.wabaId, platformName(flow))
    : ({ kind: 'done', value: undefined } as const);
  if (earlier.kind !== 'done') return platformRefusal(earlier);
  if (!flow.creating) {
    const marked = await updateFlow(ports, owner, flow.id, () => ({ creating: true }));
    if (isRefusal(marked)) return marked;
  }
  const answer: PlatformAnswer<string> = earlier.value
    ? { kind: 'done', value: earlier.value }
    : await platform.createFlow(flow.wabaId, asPlatform(flow));
  if (answer.kind !== 'done') return platformRefusal(answer, 'name');
  return updateFlow(ports, owner, flow.id, () => ({
    platformFlowId: answer.value,
    platformStatus: 'DRAFT',
    creating: undefined,
  }));
};

const faultyJson = (faults: readonly FlowFault[]) =>
  refuse('VALIDATION_ERROR', {
    detail: "The platform found faults in the flow's JSON.",
    errors: faults.slice(0, MOST_FAULTS).map(({ error, line }) => ({
      path: 'flowJson',
      message: (line === undefined ? error : `line ${line}: ${error}`).slice(0, 200),
    })),
  });

/** Name, categories and JSON as they stand here; then it is published. */
const handOver = async (
  platform: NumberPlatform,
  flow: WhatsappFlow & { readonly platformFlowId: string },
  fresh: boolean,
): Promise<Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'> | undefined> => {
  const { platformFlowId } = flow;
  if (!fresh) {
    // What a lost answer has published already cannot be changed any more: it is what it was then.
    const status = await platform.readFlow(platformFlowId, flow.platformStatus);
    if (status.kind !== 'done') return platformRefusal(status);
    if (status.value === 'PUBLISHED') return undefined;
    const changed = await platform.changeFlow(platformFlowId, asPlatform(flow));
    if (changed.kind !== 'done') return platformRefusal(changed, 'name');
  }
  const uploaded = await platform.uploadFlow(platformFlowId, uploadedJson(flow.flowJson));
  if (uploaded.kind !== 'done') return platformRefusal(uploaded, 'flowJson');
  if (uploaded.value.length > 0) return faultyJson(uploaded.value);
  const published = await platform.publishFlow(platformFlowId);
  return published.kind === 'done' ? undefined : platformRefusal(published, 'flowJson');
};

/**
 * Publishes a draft: it is created on the platform, its JSON is uploaded, and it is published there. 422 with the faults that the
 * platform finds. After an answer that was lost, publishing again goes on where the first call ended.
 */
export const publishFlow = async (ports: FlowPorts, owner: Owner, id: string): Promise<WhatsappFlow | MoveRefusal> => {
  const found = await findFlow(ports, owner, id);
  if (isRefusal(found)) return found;
  if (found.status !== 'draft') return notIn(found.status, 'a draft');
  const platform = await openFor(ports, owner, found);
  if (isRefusal(platform)) return platform;
  const flow = await created(ports, owner, platform, found);
  if (isRefusal(flow)) return flow;
  const { platformFlowId } = flow;
  if (platformFlowId === undefined) return refuse('DEPENDENCY_FAILED', 'The platform gave the flow no id.');
  const refused = await handOver(platform, { ...flow, platformFlowId }, found.platformFlowId === undefined);
  if (refused) return refused;
  return updateFlow(ports, owner, id, (before, now) =>
    before.status === 'draft'
      ? { status: 'active', platformStatus: 'PUBLISHED', publishedAt: now }
      : before.status === 'active'
        ? undefined
        : notIn(before.status, 'a draft'),
  );
};

/** Takes a published flow out of use, on the platform first; nothing brings it back. */
export const deprecateFlow = async (
  ports: FlowPorts,
  owner: Owner,
  id: string,
): Promise<WhatsappFlow | MoveRefusal> => {
  const flow = await findFlow(ports, owner, id);
  if (isRefusal(flow)) return flow;
  if (flow.status === 'deprecated') return flow;
  const { platformFlowId } = flow;
  if ((flow.status !== 'active' && flow.status !== 'paused') || platformFlowId === undefined)
    return notIn(flow.status, 'an active or a paused flow');
  const platform = await openFor(ports, owner, flow);
  if (isRefusal(platform)) return platform;
  const done = await platform.deprecateFlow(platformFlowId);
  if (done.kind !== 'done') {
    // An earlier call's answer may have been lost.
    const status = done.kind === 'refused' ? await platform.readFlow(platformFlowId, flow.platformStatus) : done;
    if (status.kind !== 'done' || status.value !== 'DEPRECATED') return platformRefusal(done);
  }
  return updateFlow(ports, owner, id, ({ status }) =>
    status === 'archived' ? undefined : { status: 'deprecated', platformStatus: 'DEPRECATED' },
  );
};

/** Where a published flow stands by the platform's word: what it blocks is paused, what it throttles still works, slowly. */
const STATUS_OF = {
  PUBLISHED: 'active',
  THROTTLED: 'active',
  BLOCKED: 'paused',
  DEPRECATED: 'deprecated',
} as const;

/** What the platform's word for where a flow stands changes of it. A draft stays one: publishing it is a call of its own. */
export const standingOf = (
  { status, platformStatus: known }: Pick<WhatsappFlow, 'status' | 'platformStatus'>,
  platformStatus: PlatformFlowStatus,
): Pick<WhatsappFlow, 'status' | 'platformStatus'> | undefined => {
  const moves = status === 'active' || status === 'paused';
  const now = moves && platformStatus !== 'DRAFT' ? STATUS_OF[platformStatus] : status;
  return now === status && platformStatus === known ? undefined : { status: now, platformStatus };
};

/** Reads a flow's state from the platform, which blocks, throttles and releases flows by itself. 409 for a flow that it has not seen. */
export const syncFlow = async (ports: FlowPorts, owner: Owner, id: string): Promise<WhatsappFlow | MoveRefusal> => {
  const flow = await findFlow(ports, owner, id);
  if (isRefusal(flow)) return flow;
  if (flow.platformFlowId === undefined) return notIn(flow.status, 'a flow that the platform has seen');
  const platform = await openFor(ports, owner, flow);
  if (isRefusal(platform)) return platform;
  const found = await platform.readFlow(flow.platformFlowId, flow.platformStatus);
  if (found.kind !== 'done') return platformRefusal(found);
  return updateFlow(ports, owner, id, (before) => standingOf(before, found.value));
};

/** Has the platform forget a draft that it has seen. Its number may be gone: then nobody can ask the platform any more. */
export const forgetFlow =
  (ports: FlowPorts, owner: Owner) =>
  async (
    flow: WhatsappFlow,
  ): Promise<Refusal<'DEPENDENCY_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'> | undefined> => {
    if (flow.platformFlowId === undefined) return undefined;
    const platform = await openFor(ports, owner, flow);
    if (isRefusal(platform))
      return platform.name === 'PRECONDITION_FAILED' ? undefined : (platform as Refusal<'DEPENDENCY_FAILED'>);
    const gone = await platform.deleteFlow(flow.platformFlowId);
    if (gone.kind === 'done' || (gone.kind === 'refused' && gone.cause === 'absent')) return undefined;
    return platformRefusal(gone);
  };
