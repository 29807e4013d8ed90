import { type AutomatedRequest, automatedSend } from '../api/automated-send.ts';
import { matchedStepsOf, requestFault, toSendRequest, v1RequestKey } from '../api/v1-send.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, toV1Error, type V1Code } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { AutomatedSend } from '../sending/automated.ts';
import { draft, fallbackOf, queuedBody } from '../sending/draft.ts';
import type { SendFrequency } from '../sending/frequency.ts';
import type { RequestKey } from '../sending/idempotency.ts';
import type { SendPlan } from '../sending/plan.ts';
import type { Candidates } from '../sending/ports.ts';
import { quote } from '../sending/quote.ts';
import { KEY_IN_PROGRESS, precheckRefusal, REUSED_KEY } from '../sending/refusals.ts';
import { priceSteps } from '../sending/steps.ts';
import { bulkKey, type Item, isBulkKey, isOfRequest } from './chunk.ts';
import { isUncertain } from './escrow.ts';
import type { BatchState, BulkEntry, BulkMessage, BulkPorts } from './ports.ts';

/** A refused message, and why. */
export interface Refused {
  readonly index: number;
  readonly refusal: Refusal;
}

/** The result of the checks before any money moves. */
export interface Prepared {
  readonly items: readonly Item[];
  /** Messages of an earlier call with the same key. */
  readonly replays: readonly { readonly index: number; readonly messageId: Id<'message'> }[];
  /** Messages with the key and body of an earlier one (`of`) in the same request. */
  readonly duplicates: readonly { readonly index: number; readonly of: number }[];
  readonly refused: readonly Refused[];
}

interface RequestedMessage {
  readonly index: number;
  readonly body: AutomatedRequest;
  readonly key: RequestKey;
  /** Whether the caller gave the message or the request a key. */
  readonly keyed: boolean;
  /** Set for messages of a campaign or a journey; absent for the API. */
  readonly automated: AutomatedSend | undefined;
}

/** Messages planned concurrently; most plans read nothing. */
const PLAN_CONCURRENCY = 16;

const refusedAs = (index: number, refusal: Refusal): Refused => ({ index, refusal });

/** The refusal of one message as a v1 error. */
export const refusedView = ({ index, refusal }: Refused): { index: number; code: V1Code; message: string } => {
  const { code, detail } = toV1Error(refusal);
  return { index, code, message: detail };
};

/** The key belongs to a message of a batch that is undecided or being rolled back. */
export const BATCH_UNDECIDED = refuse('CONFLICT', 'The first request with this key is still being decided.');
/** The same for the request's key. */
export const REQUEST_RUNNING = refuse('CONFLICT', KEY_IN_PROGRESS.details);
/** The request's key was used for another request. */
const REQUEST_KEY_REUSED = refuse('CONFLICT', REUSED_KEY.details);

/** The refusal of a message whose key is taken by another body, or by a message that may be withdrawn. */
export const keyRefusal = (key: RequestKey, why: 'another_body' | 'undecided') => {
  if (isOfRequest(key)) return why === 'undecided' ? REQUEST_RUNNING : REQUEST_KEY_REUSED;
  return why === 'undecided' ? BATCH_UNDECIDED : REUSED_KEY;
};
/** Whether a message was refused because of the request's key, which concerns the request as a whole. */
export const isKeyOfRequest = ({ refusal }: Refused): boolean =>
  refusal === REQUEST_RUNNING || refusal === REQUEST_KEY_REUSED;

/** The batch, the time of its request (ms), at which every message without a schedule is due, and the request's key. */
interface BatchContext {
  readonly batchId: Id<'batch'>;
  readonly now: number;
  readonly requestKey: RequestKey | undefined;
  readonly frequency?: SendFrequency | undefined;
}

/** Checks the messages of a request one by one, and finds duplicates. */
const parseAll = (ports: BulkPorts, { batchId, now, requestKey }: BatchContext, messages: readonly BulkEntry[]) => {
  const requested: RequestedMessage[] = [];
  const refused: Refused[] = [];
  const duplicates: Prepared['duplicates'][number][] = [];
  const first = new Map<string, RequestedMessage>();
  for (const [index, entry] of messages.entries()) {
    if ('invalid' in entry) {
      refused.push(refusedAs(index, ports.contractRefusal(entry.invalid)));
      continue;
    }
    const automated = 'automated' in entry ? entry.automated : undefined;
    const { idempotencyKey, ...body }: BulkMessage = entry.valid;
    const isReused = requestKey !== undefined && idempotencyKey === requestKey.callerKey;
    const fault = requestFault(body, now) ?? (isReused ? REUSED_KEY : undefined);
    if (fault) {
      refused.push(refusedAs(index, fault));
      continue;
    }
    const ownKey =
      idempotencyKey === undefined && requestKey
        ? { ...requestKey, callerKey: bulkKey(batchId, requestKey.callerKey, index) }
        : v1RequestKey(idempotencyKey ?? bulkKey(batchId, undefined, index), body);
    const key = automated?.key ?? ownKey;
    const one: RequestedMessage = { index, body, key, keyed: !isBulkKey(key.callerKey), automated };
    const original = first.get(one.key.callerKey);
    if (!original) {
      first.set(one.key.callerKey, one);
      requested.push(one);
    } else if (original.key.requestHash === one.key.requestHash) duplicates.push({ index, of: original.index });
    else refused.push(refusedAs(index, REUSED_KEY));
  }
  return { requested, refused, duplicates };
};

/** Separates the messages whose key was used before. */
const findReplays = async (ports: BulkPorts, { organizationId }: Tenant, requested: readonly RequestedMessage[]) => {
  const keyed = requested.filter(({ keyed }) => keyed);
  const records = await ports.idempotencyRecords(
    organizationId,
    keyed.map(({ key }) => key.callerKey),
    ports.clock(),
  );
  const replayed = new Set<number>();
  const replays: Prepared['replays'][number][] = [];
  const refused: Refused[] = [];
  const undecided = await undecidedMessages(
    ports,
    records.flatMap((idempotencyRecord) => idempotencyRecord?.messageId ?? []),
  );
  for (const [index, one] of keyed.entries()) {
    const idempotencyRecord = records[index];
    if (!idempotencyRecord) continue;
    replayed.add(one.index);
    const { messageId, requestHash } = idempotencyRecord;
    if (requestHash !== one.key.requestHash || messageId === undefined)
      refused.push(refusedAs(one.index, keyRefusal(one.key, 'another_body')));
    else if (undecided.has(messageId)) refused.push(refusedAs(one.index, keyRefusal(one.key, 'undecided')));
    else replays.push({ index: one.index, messageId });
  }
  return { fresh: requested.filter(({ index }) => !replayed.has(index)), replays, refused };
};

/** Messages whose batch is undecided or was refused: a repeat must not count them as accepted. */
export const undecidedMessages = async (
  ports: BulkPorts,
  messageIds: readonly Id<'message'>[],
): Promise<ReadonlySet<Id<'message'>>> => {
  if (messageIds.length === 0) return new Set();
  const messages = (await ports.store.readMessages(messageIds)).filter(({ escrow }) => escrow !== undefined);
  const states = new Map<Id<'batch'> | undefined, BatchState | undefined>();
  for (const batchId of new Set(messages.flatMap((message) => message.batchId ?? [])))
    states.set(batchId, (await ports.store.readBatch(batchId))?.state);
  return new Set(messages.filter((message) => isUncertain(message, states.get(message.batchId))).map(({ id }) => id));
};

/** Provider candidates, looked up once per route. */
const candidatesByRoute = (ports: BulkPorts, { organizationId, env }: Tenant) => {
  const known = new Map<string, Promise<Candidates>>();
  return ({ channel, route }: SendPlan): Promise<Candidates> => {
    const name = `${channel} ${route}`;
    const found = known.get(name) ?? ports.routing.candidates(channel, organizationId, env, route);
    known.set(name, found);
    return found;
  };
};

/** A planned message. */
interface Planned {
  readonly item: Item;
  readonly candidates: Candidates;
}

const planOne = async (
  ports: BulkPorts,
  tenant: Tenant,
  { batchId, now, ...batch }: BatchContext,
  candidatesOf: ReturnType<typeof candidatesByRoute>,
  { index, body, key, keyed, automated }: RequestedMessage,
): Promise<Planned | Refused> => {
  const request = automated ? automatedSend(body, automated, { batchId }) : toSendRequest(body, { batchId });
  const planned = await ports.plan(tenant, request);
  if (isRefusal(planned)) return refusedAs(index, planned);
  const plan: SendPlan = { ...planned.plan, maxCoins: body.maxCoins };
  const candidates = await candidatesOf(plan);
  // A batch's response shows nothing about fallbacks, so their consent is checked only when they are due.
  const steps = await priceSteps(
    ports,
    tenant,
    await matchedStepsOf(ports, tenant, request, body),
    async () => undefined,
  );
  const at = Math.max(request.scheduledAt ?? 0, now);
  const provider = candidates.kind === 'ready' ? candidates.providers[0]?.name : undefined;
  const initial = { status: 'queued', at, provider, body: queuedBody(planned), steps } as const;
  const drafted = await draft(ports, tenant, plan, key, initial);
  const fallback = steps.length > 0 ? fallbackOf(drafted, at, steps) : undefined;
  const { contactId } = drafted;
  const frequency = automated?.frequency ?? batch.frequency;
  const counts = frequency && plan.requiresConsent && contactId ? { ...frequency, contactId } : undefined;
  const merges = automated?.merges;
  const person = merges === undefined || contactId === undefined ? undefined : { contactId, merges };
  const item = { index, plan, key, initial, drafted, keyed, fallback, frequency: counts, person };
  return { item, candidates };
};

/**
 * The refusal of each planned message before any money moves, in the order of a single send's checks (docs/spec/sends.md#order-of-checks):
 * consent and funds come before a missing provider. The reservation checks the funds of the messages without a problem; for the others the
 * balance is read once.
 */
const faultsOf = async (ports: BulkPorts, tenant: Tenant, planned: readonly Planned[]) => {
  const { organizationId, env } = tenant;
  const consents = await ports.consentFaults(
    tenant,
    planned.map(({ item: { plan, drafted } }) => ({ plan, recipientHash: drafted.recipientHash })),
  );
  const checked = planned.map((one, index) => ({ ...one, consent: consents[index] }));
  let balanceRead: Promise<number> | undefined;
  return mapConcurrently(checked, PLAN_CONCURRENCY, async ({ item: { plan }, candidates, consent }) => {
    if (!consent && candidates.kind === 'ready') return undefined;
    balanceRead ??= ports.balance(organizationId);
    const [{ coins }, balance] = await Promise.all([
      quote(ports, organizationId, env, plan.price, plan.units),
      balanceRead,
    ]);
    return precheckRefusal(plan, coins, { consent, balance, candidates });
  });
};

/** All checks of a bulk send before money moves: schema, recipient, key, content, route, consent and provider. */
export const prepare = async (
  ports: BulkPorts,
  tenant: Tenant,
  batch: BatchContext,
  messages: readonly BulkEntry[],
): Promise<Prepared> => {
  const read = parseAll(ports, batch, messages);
  const { fresh, replays, refused } = await findReplays(ports, tenant, read.requested);
  const candidatesOf = candidatesByRoute(ports, tenant);
  const results = await mapConcurrently(fresh, PLAN_CONCURRENCY, (one) =>
    planOne(ports, tenant, batch, candidatesOf, one),
  );
  const planned = results.filter((one): one is Planned => 'item' in one);
  const faults = await faultsOf(ports, tenant, planned);
  return {
    items: planned.flatMap(({ item }, index) => (faults[index] ? [] : [item])),
    replays,
    duplicates: read.duplicates,
    refused: [
      ...read.refused,
      ...refused,
      ...results.filter((one): one is Refused => 'refusal' in one),
      ...planned.flatMap(({ item }, index) => {
        const fault = faults[index];
        return fault ? [refusedAs(item.index, fault)] : [];
      }),
    ],
  };
};
