import type { Tenant } from '../../../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../../../core/errors.ts';
import type { Id } from '../../../core/ids.ts';
import { removeOnce } from '../../../core/retry-on-conflict.ts';
import {
  deletionRefusal,
  type FlowJsonError,
  type MetaAnswer,
  type MetaApi,
  type MetaFlowStatus,
  metaRefusal,
} from '../numbers/meta-port.ts';
import { metaApiOf } from '../numbers/numbers.ts';
import { invalidState } from '../templates/templates.ts';
import type { FlowPorts, WhatsappFlow } from './flow.ts';
import { toMetaFlowJson } from './flow-json.ts';
import { findFlow, publicationInProgress, updateFlow } from './flows.ts';

type FlowRefusal = Refusal<
  'CONFLICT' | 'DEPENDENCY_FAILED' | 'NOT_FOUND' | 'PRECONDITION_FAILED' | 'RATE_LIMITED' | 'VALIDATION_ERROR'
>;
/** An operation that calls Meta for a flow. */
type FlowCall = (ports: FlowPorts, owner: Tenant, id: Id<'flow'>) => Promise<WhatsappFlow | FlowRefusal>;
const MAX_ERRORS = 20;

/** The flow's name at Meta. Includes our id, so that it is unique there and an earlier attempt can be found. */
const metaFlowName = ({ name, id }: WhatsappFlow): string => `${name} (${id})`;
const toMetaFlow = (flow: WhatsappFlow) => ({ name: metaFlowName(flow), categories: flow.platformCategories });

const openApiOf = async (
  ports: FlowPorts,
  { env, organizationId }: Tenant,
  { numberId }: WhatsappFlow,
): Promise<MetaApi | Refusal<'DEPENDENCY_FAILED' | 'PRECONDITION_FAILED'>> => {
  const disconnected = refuse('PRECONDITION_FAILED', 'The number of the flow is not connected any more.');
  const number = await ports.numbers.read(organizationId, numberId);
  if (!number) return disconnected;
  const metaApi = await metaApiOf(ports, env, number);
  if (!isRefusal(metaApi)) return metaApi;
  return metaApi.name === 'NOT_FOUND' ? disconnected : (metaApi as Refusal<'DEPENDENCY_FAILED'>);
};

/** Status by Meta's status of a published flow: blocked means paused; throttled still works, slowly. */
const STATUS_BY_META_STATUS = {
  PUBLISHED: 'active',
  THROTTLED: 'active',
  BLOCKED: 'paused',
  DEPRECATED: 'deprecated',
} as const;

/** Lease of a publication, in ms: longer than the call can take. */
const PUBLISHING_MS = 30_000;

/** A claimed publication. `resumed`: an earlier call's response was lost. */
interface PublishClaim {
  readonly flow: WhatsappFlow;
  readonly resumed: boolean;
}
/** A failed publication. `maybeDone`: Meta may have carried it out. */
interface Failure {
  readonly refusal: FlowRefusal;
  readonly maybeDone: boolean;
}
type Unanswered = Exclude<MetaAnswer<unknown>, { kind: 'done' }>;
const failed = (answer: Unanswered, maybeDone: boolean, path?: string): Failure => ({
  refusal: metaRefusal(answer, path),
  maybeDone,
});

/** Claims the publication of a draft; 409 while another call holds it. */
const claimPublication = async (
  ports: FlowPorts,
  owner: Tenant,
  id: Id<'flow'>,
): Promise<PublishClaim | FlowRefusal> => {
  let resumed = false;
  const flow = await updateFlow(ports, owner, id, (before, now) => {
    if (before.status !== 'draft') return invalidState(before.status, 'a draft');
    if (before.publishing && before.publishing.until > now) return publicationInProgress(before);
    resumed = before.publishing !== undefined;
    return { publishing: { until: now + PUBLISHING_MS } };
  });
  return isRefusal(flow) ? flow : { flow, resumed };
};

/** Creates the flow at Meta, once even if a response was lost, and returns its id. */
const ensureCreated = async (
  ports: FlowPorts,
  owner: Tenant,
  metaApi: MetaApi,
  { flow, resumed }: PublishClaim,
): Promise<string | Failure> => {
  if (flow.platformFlowId !== undefined) return flow.platformFlowId;
  if (resumed) {
    const existing = await metaApi.findFlow(flow.wabaId, metaFlowName(flow));
    if (existing.kind !== 'done') return failed(existing, true);
    if (existing.value !== undefined) return saveMetaFlowId(ports, owner, flow, existing.value);
  }
  const answer = await metaApi.createFlow(flow.wabaId, toMetaFlow(flow));
  if (answer.kind !== 'done') return failed(answer, answer.kind === 'uncertain', 'name');
  return saveMetaFlowId(ports, owner, flow, answer.value);
};

const saveMetaFlowId = async (
  ports: FlowPorts,
  owner: Tenant,
  { id }: WhatsappFlow,
  platformFlowId: string,
): Promise<string | Failure> => {
  const updated = await updateFlow(ports, owner, id, () => ({ platformFlowId, platformStatus: 'DRAFT' }));
  return isRefusal(updated) ? { refusal: updated, maybeDone: true } : platformFlowId;
};

const invalidJson = (errors: readonly FlowJsonError[]) =>
  refuse('VALIDATION_ERROR', {
    detail: "Meta found errors in the flow's JSON.",
    errors: errors.slice(0, MAX_ERRORS).map(({ error, line }) => ({
      path: 'flowJson',
      message: (line === undefined ? error : `line ${line}: ${error}`).slice(0, 200),
    })),
  });

/** Updates name, categories and JSON at Meta, then publishes. Returns the flow's status at Meta. */
const uploadAndPublish = async (
  metaApi: MetaApi,
  { flow, resumed }: PublishClaim,
  platformFlowId: string,
): Promise<keyof typeof STATUS_BY_META_STATUS | Failure> => {
  if (flow.platformFlowId !== undefined || resumed) {
    // If the lost response had in fact published it, it can no longer be changed at Meta, and it was not changed here.
    const status = await metaApi.readFlow(platformFlowId, flow.platformStatus);
    if (status.kind !== 'done') return failed(status, resumed);
    if (status.value !== 'DRAFT') return status.value;
    const changed = await metaApi.changeFlow(platformFlowId, toMetaFlow(flow));
    if (changed.kind !== 'done') return failed(changed, false, 'name');
  }
  const uploaded = await metaApi.uploadFlow(platformFlowId, toMetaFlowJson(flow.flowJson));
  if (uploaded.kind !== 'done') return failed(uploaded, false, 'flowJson');
  if (uploaded.value.length > 0) return { refusal: invalidJson(uploaded.value), maybeDone: false };
  const published = await metaApi.publishFlow(platformFlowId);
  return published.kind === 'done' ? 'PUBLISHED' : failed(published, published.kind === 'uncertain', 'flowJson');
};

/**
 * Publishes a draft: creates it at Meta, uploads its JSON and publishes it there. 422 with the errors that Meta finds. After a lost
 * response, calling again resumes; until then the flow cannot be changed, so that it matches what Meta shows
 * (docs/spec/whatsapp-flows.md#flow-states).
 */
export const publishFlow: FlowCall = async (ports, owner, id) => {
  const found = await findFlow(ports, owner, id);
  if (isRefusal(found)) return found;
  if (found.status !== 'draft') return invalidState(found.status, 'a draft');
  const metaApi = await openApiOf(ports, owner, found);
  if (isRefusal(metaApi)) return metaApi;
  const claimed = await claimPublication(ports, owner, id);
  if (isRefusal(claimed)) return claimed;
  const platformFlowId = await ensureCreated(ports, owner, metaApi, claimed);
  const end =
    typeof platformFlowId === 'string' ? await uploadAndPublish(metaApi, claimed, platformFlowId) : platformFlowId;
  if (typeof end === 'string')
    return updateFlow(ports, owner, id, ({ status }, now) =>
      status === 'draft'
        ? { status: STATUS_BY_META_STATUS[end], platformStatus: end, publishedAt: now, publishing: undefined }
        : undefined,
    );
  await updateFlow(ports, owner, id, () => ({ publishing: end.maybeDone ? { until: 0 } : undefined }));
  return end.refusal;
};

/** Deprecates a published flow, at Meta first; irreversible. */
export const deprecateFlow: FlowCall = async (ports, owner, id) => {
  const flow = await findFlow(ports, owner, id);
  if (isRefusal(flow)) return flow;
  if (flow.status === 'deprecated') return flow;
  const { platformFlowId } = flow;
  if ((flow.status !== 'active' && flow.status !== 'paused') || platformFlowId === undefined)
    return invalidState(flow.status, 'an active or a paused flow');
  const metaApi = await openApiOf(ports, owner, flow);
  if (isRefusal(metaApi)) return metaApi;
  const done = await metaApi.deprecateFlow(platformFlowId);
  if (done.kind !== 'done') {
    // An earlier call's response may have been lost.
    const status = done.kind === 'refused' ? await metaApi.readFlow(platformFlowId, flow.platformStatus) : done;
    if (status.kind !== 'done' || status.value !== 'DEPRECATED') return metaRefusal(done);
  }
  return updateFlow(ports, owner, id, ({ status }) =>
    status === 'archived' ? undefined : { status: 'deprecated', platformStatus: 'DEPRECATED' },
  );
};

/**
 * The state of a flow after a status reported by Meta; undefined if nothing changes. A draft stays a draft, since publishing is a separate
 * call. Deprecation is final.
 */
export const flowStateAfter = (
  { status, platformStatus: known }: Pick<WhatsappFlow, 'status' | 'platformStatus'>,
  platformStatus: MetaFlowStatus,
): Pick<WhatsappFlow, 'status' | 'platformStatus'> | undefined => {
  if (known === 'DEPRECATED') return undefined;
  const moves = status === 'active' || status === 'paused';
  const now = moves && platformStatus !== 'DRAFT' ? STATUS_BY_META_STATUS[platformStatus] : status;
  return now === status && platformStatus === known ? undefined : { status: now, platformStatus };
};

/** Refreshes a flow's status from Meta, which blocks, throttles and releases flows on its own. 409 if the flow was never created there. */
export const syncFlow: FlowCall = async (ports, owner, id) => {
  const flow = await findFlow(ports, owner, id);
  if (isRefusal(flow)) return flow;
  if (flow.platformFlowId === undefined) return invalidState(flow.status, 'a flow that exists at Meta');
  const metaApi = await openApiOf(ports, owner, flow);
  if (isRefusal(metaApi)) return metaApi;
  const found = await metaApi.readFlow(flow.platformFlowId, flow.platformStatus);
  if (found.kind !== 'done') return metaRefusal(found);
  return updateFlow(ports, owner, id, (before) => flowStateAfter(before, found.value));
};

/** Deletes a draft at Meta if it was created there. Skipped if its number is disconnected, since no access is left. */
const deleteAtMeta = async (ports: FlowPorts, owner: Tenant, flow: WhatsappFlow) => {
  if (flow.platformFlowId === undefined) return undefined;
  const metaApi = await openApiOf(ports, owner, flow);
  if (isRefusal(metaApi))
    return metaApi.name === 'PRECONDITION_FAILED' ? undefined : (metaApi as Refusal<'DEPENDENCY_FAILED'>);
  return deletionRefusal(await metaApi.deleteFlow(flow.platformFlowId));
};

/** Deletes a draft, at Meta first if it was created there. 409 while it is being published. */
export const deleteFlow = (ports: FlowPorts, owner: Tenant, id: Id<'flow'>) =>
  removeOnce(
    'The flow',
    () => findFlow(ports, owner, id),
    async (flow) => {
      if (flow.status !== 'draft') return invalidState(flow.status, 'a draft');
      if (flow.publishing && flow.publishing.until > ports.clock()) return publicationInProgress(flow);
      return (await deleteAtMeta(ports, owner, flow)) ?? ports.flows.remove(flow);
    },
  );
