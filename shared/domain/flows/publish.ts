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
import { beingPublished, findFlow, notIn, type Owner, updateFlow } from './flows.ts';

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

/** Where a published flow stands by the platform's word: what it blocks is paused, what it throttles still works, slowly. */
const STATUS_OF = {
  PUBLISHED: 'active',
  THROTTLED: 'active',
  BLOCKED: 'paused',
  DEPRECATED: 'deprecated',
} as const;

/** Longer than the call of a publication may take, in ms. */
const PUBLISHING_MS = 30_000;

/** A publication, as far as it is: whether an earlier call's answer was lost. */
interface Held {
  readonly flow: WhatsappFlow;
  readonly resumed: boolean;
}
/** Why a publication stopped. `open`: the platform may have done it all the same. */
interface Stopped {
  readonly stopped: MoveRefusal;
  readonly open: boolean;
}
type Unanswered = Exclude<PlatformAnswer<unknown>, { kind: 'done' }>;
const stop = (answer: Unanswered, open: boolean, path?: string): Stopped => ({
  stopped: platformRefusal(answer, path),
  open,
});

/** Marks a draft as being published; 409 where another call is at it. */
const hold = async (ports: FlowPorts, owner: Owner, id: string): Promise<Held | MoveRefusal> => {
  let resumed = false;
  const flow = await updateFlow(ports, owner, id, (before, now) => {
    if (before.status !== 'draft') return notIn(before.status, 'a draft');
    if (before.publishing && before.publishing.until > now) return beingPublished(before);
    resumed = before.publishing !== undefined;
    return { publishing: { until: now + PUBLISHING_MS } };
  });
  return isRefusal(flow) ? flow : { flow, resumed };
};

/** The flow's id on the platform: created there once, though an answer may be lost. */
const created = async (
  ports: FlowPorts,
  owner: Owner,
  platform: NumberPlatform,
  { flow, resumed }: Held,
): Promise<string | Stopped> => {
  if (flow.platformFlowId !== undefined) return flow.platformFlowId;
  if (resumed) {
    const earlier = await platform.findFlow(flow.wabaId, platformName(flow));
    if (earlier.kind !== 'done') return stop(earlier, true);
    if (earlier.value !== undefined) return named(ports, owner, flow, earlier.value);
  }
  const answer = await platform.createFlow(flow.wabaId, asPlatform(flow));
  if (answer.kind !== 'done') return stop(answer, answer.kind === 'uncertain', 'name');
  return named(ports, owner, flow, answer.value);
};

const named = async (
  ports: FlowPorts,
  owner: Owner,
  { id }: WhatsappFlow,
  platformFlowId: string,
): Promise<string | Stopped> => {
  const kept = await updateFlow(ports, owner, id, () => ({ platformFlowId, platformStatus: 'DRAFT' }));
  return isRefusal(kept) ? { stopped: kept, open: true } : platformFlowId;
};

const faultyJson = (faults: readonly FlowFault[]) =>
  refuse('VALIDATION_ERROR', {
    detail: "The platform found faults in the flow's JSON.",
    errors: faults.slice(0, MOST_FAULTS).map(({ error, line }) => ({
      path: 'flowJson',
      message: (line === undefined ? error : `line ${line}: ${error}`).slice(0, 200),
    })),
  });

/** Name, categories and JSON as they stand here; then it is published. Answers where the platform has it now. */
const handOver = async (
  platform: NumberPlatform,
  { flow, resumed }: Held,
  platformFlowId: string,
): Promise<keyof typeof STATUS_OF | Stopped> => {
  if (flow.platformFlowId !== undefined || resumed) {
    // What a lost answer has published cannot be changed any more, nor was it changed here since.
    const status = await platform.readFlow(platformFlowId, flow.platformStatus);
    if (status.kind !== 'done') return stop(status, resumed);
    if (status.value !== 'DRAFT') return status.value;
    const changed = await platform.changeFlow(platformFlowId, asPlatform(flow));
    if (changed.kind !== 'done') return stop(changed, false, 'name');
  }
  const uploaded = await platform.uploadFlow(platformFlowId, uploadedJson(flow.flowJson));
  if (uploaded.kind !== 'done') return stop(uploaded, false, 'flowJson');
  if (uploaded.value.length > 0) return { stopped: faultyJson(uploaded.value), open: false };
  const published = await platform.publishFlow(platformFlowId);
  return published.kind === 'done' ? 'PUBLISHED' : stop(published, published.kind === 'uncertain', 'flowJson');
};

/**
 * Publishes a draft: it is created on the platform, its JSON is uploaded, and it is published there. 422 with the faults that the
 * platform finds. After an answer that was lost, publishing again goes on where the first call ended; until then nothing of the flow is
 * changed, so that it says here what the platform shows.
 */
export const publishFlow = async (ports: FlowPorts, owner: Owner, id: string): Promise<WhatsappFlow | MoveRefusal> => {
  const found = await findFlow(ports, owner, id);
  if (isRefusal(found)) return found;
  if (found.status !== 'draft') return notIn(found.status, 'a draft');
  const platform = await openFor(ports, owner, found);
  if (isRefusal(platform)) return platform;
  const held = await hold(ports, owner, id);
  if (isRefusal(held)) return held;
  const platformFlowId = await created(ports, owner, platform, held);
  const end = typeof platformFlowId === 'string' ? await handOver(platform, held, platformFlowId) : platformFlowId;
  if (typeof end === 'string')
    return updateFlow(ports, owner, id, ({ status }, now) =>
      status === 'draft'
        ? { status: STATUS_OF[end], platformStatus: end, publishedAt: now, publishing: undefined }
        : undefined,
    );
  await updateFlow(ports, owner, id, () => ({ publishing: end.open ? { until: 0 } : undefined }));
  return end.stopped;
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

/**
 * What the platform's word for where a flow stands changes of it. A draft stays one: publishing it is a call of its own. Nothing brings a
 * deprecated flow back.
 */
export const standingOf = (
  { status, platformStatus: known }: Pick<WhatsappFlow, 'status' | 'platformStatus'>,
  platformStatus: PlatformFlowStatus,
): Pick<WhatsappFlow, 'status' | 'platformStatus'> | undefined => {
  if (known === 'DEPRECATED') return undefined;
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
