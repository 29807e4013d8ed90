import { type Correction, planResend, type ResendPorts, resend } from '../api/resend.ts';
import { channelOf } from '../channels/registry.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import { NO_VOLUME, quoteUnits } from '../pricing/volume.ts';
import { requestKey } from '../sending/idempotency.ts';
import type { SendPlan } from '../sending/plan.ts';
import { precheckRefusal } from '../sending/refusals.ts';
import { type BulkAnswer, newBatch } from './accept.ts';
import { beginResend } from './batch-key.ts';
import type { Batch, BatchKeys, BatchStore } from './ports.ts';
import { type Refused, refusedView } from './prepare.ts';
import { volumeFor } from './reserve.ts';

/** Selects the messages to resend, among queued and failed ones that are not replaced. Times are ms, both inclusive. */
export interface ResendFilter {
  readonly status?: 'queued' | 'failed' | undefined;
  readonly campaignId?: string | undefined;
  readonly batchId?: Id<'batch'> | undefined;
  readonly channel?: Channel | undefined;
  /** The reason of the failure. */
  readonly errorCode?: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The parsed body: messages by id, each with its own correction, or a filter with one correction for all. */
export interface BulkResendRequest {
  readonly items?: readonly { readonly id: Id<'message'>; readonly correction?: Correction | undefined }[] | undefined;
  /** Present exactly when `items` is absent; `correction` and `dryRun` go with it. */
  readonly filter?: (Omit<ResendFilter, 'from' | 'to'> & { readonly from: string; readonly to: string }) | undefined;
  readonly correction?: Correction | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Ports of bulk resends. */
export interface BulkResendPorts extends ResendPorts {
  readonly store: Pick<BatchStore, 'putBatch' | 'recordResent' | 'resentIn'>;
  readonly batchKeys: BatchKeys;
  /** The ids of the messages that a filter matches, oldest first, at most `limit`. */
  readonly find: (
    organizationId: Id<'organization'>,
    filter: ResendFilter,
    limit: number,
  ) => Promise<readonly Id<'message'>[]>;
}

/** Messages per request (docs/spec/bulk.md#bulk-resend). */
const MAX_MESSAGES = 5_000;
/** How long a request resends, in ms. The remaining messages are refused individually; a repeated request continues with them. */
const MAX_RESEND_MS = 18_000;
const TOO_LATE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The batch took too long: this message was not resent. Try again.',
  retryAfterSeconds: 1,
});
const UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The service could not resend this message. Try again.',
  retryAfterSeconds: 1,
});
/** Concurrent resends: each is a transaction on the same wallet. */
const CONCURRENCY = 8;

interface ResendItem {
  readonly id: Id<'message'>;
  readonly correction: Correction;
}

/** The messages that the request's filter selects now; none without a filter. */
const selectedBy = async (ports: BulkResendPorts, { organizationId }: Actor, { filter }: BulkResendRequest) => {
  if (!filter) return [];
  const range = { ...filter, from: Date.parse(filter.from), to: Date.parse(filter.to) };
  return ports.find(organizationId, range, MAX_MESSAGES);
};

const itemsOf = (
  { items, correction = {} }: BulkResendRequest,
  selected: readonly Id<'message'>[],
): readonly ResendItem[] =>
  items ? items.map(({ id, correction = {} }) => ({ id, correction })) : selected.map((id) => ({ id, correction }));

const NOT_FOUND = refuse('NOT_FOUND', 'There is no such message.');

/** The total price in coins, each live message priced at its own position in the month's volume. */
const priceOf = async (ports: BulkResendPorts, actor: Actor, plans: readonly SendPlan[]): Promise<number> => {
  const month = saoPauloMonth(ports.clock());
  const items = plans.map((plan) => ({ plan }));
  let volume = await volumeFor(ports, actor, month, items);
  let coins = 0;
  for (const { price, channel, units } of plans) {
    const counted = channelOf(channel).countsVolume;
    const quoted = quoteUnits(price, units, counted ? volume : NO_VOLUME);
    coins += quoted.coins;
    if (counted && actor.env === 'live') volume = quoted.after;
  }
  return coins;
};

const answerOf = (batchId: Id<'batch'>, total: number, refused: readonly Refused[]): BulkAnswer => ({
  batchId,
  total,
  accepted: total - refused.length,
  rejected: refused.length,
  errors: refused.map(refusedView),
});

/** Plans one resend and runs all checks but that of the funds: the total price covers those. */
const planOne = async (ports: BulkResendPorts, actor: Actor, { id, correction }: ResendItem) => {
  const { organizationId, env } = actor;
  const original = await ports.readMessage(organizationId, id);
  if (!original) return NOT_FOUND;
  const planned = await planResend(ports, actor, original, correction);
  if (isRefusal(planned)) return planned;
  const { plan } = planned;
  const [consent, candidates] = await Promise.all([
    ports.consentFault(actor, plan),
    ports.routing.candidates(plan.channel, organizationId, env, plan.route),
  ]);
  return precheckRefusal(plan, 0, { consent, balance: 0, candidates }) ?? planned;
};

/** The response of a dry run; nothing is stored or charged. */
const dryRunAnswer = async (
  ports: BulkResendPorts,
  actor: Actor,
  batchId: Id<'batch'>,
  items: readonly ResendItem[],
) => {
  const planned = await mapConcurrently(items, CONCURRENCY, (one) => planOne(ports, actor, one));
  const refused = planned.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  const plans = planned.flatMap((one) => (isRefusal(one) ? [] : [one.plan]));
  return { ...answerOf(batchId, items.length, refused), price: { coins: await priceOf(ports, actor, plans) } };
};

interface BatchToResend {
  readonly batch: Batch;
  readonly items: readonly ResendItem[];
  /** The prefix of the keys of its messages. */
  readonly prefix: string;
  /** By the ids of the originals. */
  readonly resentBefore: ReadonlyMap<Id<'message'>, Id<'message'>>;
}

/** The messages that replace these items in the batch, by the ids of the originals. */
const resentIn = async ({ store }: BulkResendPorts, batchId: Id<'batch'>, items: readonly ResendItem[]) => {
  const replaced = await store.resentIn(
    batchId,
    items.map(({ id }) => id),
  );
  return new Map(items.flatMap(({ id }, at) => (replaced[at] ? [[id, replaced[at]] as const] : [])));
};

/** Resends one message of a batch: its new id, or why it was refused. A store that does not answer refuses this message only. */
const resendOne = async (
  ports: BulkResendPorts,
  actor: Actor,
  { batch: { id: batchId }, prefix, resentBefore }: BatchToResend,
  item: ResendItem,
  until: number,
) => {
  const { id, correction } = item;
  const before = resentBefore.get(id);
  if (before) return before;
  if (ports.clock() > until) return TOO_LATE;
  try {
    const sent = await resend(ports, actor, id, correction, `${prefix}\n${id}`, batchId);
    return isRefusal(sent) ? sent : sent.message.id;
  } catch (error) {
    if (error instanceof Unavailable) return UNAVAILABLE;
    throw error;
  }
};

/** Resends the messages of a batch. One whose write was not answered was resent if the batch has it. */
const resendItems = async (ports: BulkResendPorts, actor: Actor, batch: BatchToResend, until: number) => {
  const { items } = batch;
  const results = await mapConcurrently(items, CONCURRENCY, (item) => resendOne(ports, actor, batch, item, until));
  const uncertain = items.filter((_, index) => results[index] === UNAVAILABLE);
  if (uncertain.length === 0) return results;
  const resent = await resentIn(ports, batch.batch.id, uncertain).catch((error: unknown) => {
    if (error instanceof Unavailable) return new Map<Id<'message'>, Id<'message'>>();
    throw error;
  });
  return items.map(({ id }, index) => resent.get(id) ?? (results[index] as (typeof results)[number]));
};

/**
 * Resends queued and failed messages, each as a single resend would (docs/spec/bulk.md#bulk-resend); messages that cannot be resent are
 * listed. A repeated request sends nothing twice, since resent messages are archived. With the caller's key a repeat has the batch and the
 * messages of the first call, and resends those of them that were not. The batch is stored before the first message is resent, so that each
 * message's batch exists.
 */
export const bulkResend = async (
  ports: BulkResendPorts,
  actor: Actor,
  request: BulkResendRequest,
  callerKey: string | undefined,
): Promise<(BulkAnswer & { readonly price?: { readonly coins: number } }) | Refusal<'CONFLICT'>> => {
  const until = ports.clock() + MAX_RESEND_MS;
  const select = () => selectedBy(ports, actor, request);
  if (request.dryRun) return dryRunAnswer(ports, actor, newId('batch'), itemsOf(request, await select()));
  const key = callerKey === undefined ? undefined : requestKey(callerKey, 'bulk.resend', request);
  const begun = await beginResend(ports, actor, key, select);
  if (isRefusal(begun)) return begun;
  const { batchId, createdAt, selected, isRepeat } = begun;
  const items = itemsOf(request, selected);
  const batch: Batch = { ...newBatch(actor, items.length, createdAt), id: batchId, state: 'accepted' };
  await ports.store.putBatch(batch);
  const resentBefore = isRepeat ? await resentIn(ports, batchId, items) : new Map();
  // Callers cannot put a line break into a key, so a generated one never collides with theirs.
  const prefix = callerKey ?? `resend\n${batchId}`;
  const results = await resendItems(ports, actor, { batch, items, prefix, resentBefore }, until);
  const refused = results.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  const answer = answerOf(batchId, items.length, refused);
  const { accepted, rejected } = answer;
  await ports.store.recordResent(
    { ...batch, accepted, rejected },
    results.flatMap((one) => (isRefusal(one) ? [] : [one])),
  );
  return answer;
};
