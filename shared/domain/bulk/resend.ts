import { type Correction, planResend, type ResendPorts, resend } from '../api/resend.ts';
import { channelOf } from '../channels/registry.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import { NO_VOLUME, quoteUnits } from '../pricing/volume.ts';
import type { SendPlan } from '../sending/plan.ts';
import { precheckRefusal } from '../sending/refusals.ts';
import type { BulkAnswer } from './accept.ts';
import type { BatchStore } from './ports.ts';
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
  readonly store: Pick<BatchStore, 'putBatch'>;
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
/** Concurrent resends: each is a transaction on the same wallet. */
const CONCURRENCY = 8;

interface ResendItem {
  readonly id: Id<'message'>;
  readonly correction: Correction;
}

const itemsOf = async (ports: BulkResendPorts, { organizationId }: Actor, request: BulkResendRequest) => {
  const { items = [], filter, correction = {} } = request;
  if (!filter) return items.map(({ id, correction = {} }): ResendItem => ({ id, correction }));
  const range = { ...filter, from: Date.parse(filter.from), to: Date.parse(filter.to) };
  return (await ports.find(organizationId, range, MAX_MESSAGES)).map((id): ResendItem => ({ id, correction }));
};

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

/**
 * Resends queued and failed messages, each as a single resend would (docs/spec/bulk.md#bulk-resend); messages that cannot be resent are
 * listed. A repeated request sends nothing twice, since resent messages are archived; with the caller's key it returns the first response.
 */
export const bulkResend = async (
  ports: BulkResendPorts,
  actor: Actor,
  request: BulkResendRequest,
  callerKey: string | undefined,
): Promise<BulkAnswer & { readonly price?: { readonly coins: number } }> => {
  const id = newId('batch');
  const createdAt = ports.clock();
  const items = await itemsOf(ports, actor, request);
  if (request.dryRun) return dryRunAnswer(ports, actor, id, items);
  const keyOf = (item: ResendItem) => (callerKey === undefined ? undefined : `${callerKey}\n${item.id}`);
  const sent = await mapConcurrently(items, CONCURRENCY, async (item) =>
    ports.clock() - createdAt > MAX_RESEND_MS
      ? TOO_LATE
      : resend(ports, actor, item.id, item.correction, keyOf(item), id),
  );
  const refused = sent.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  const answer = answerOf(id, items.length, refused);
  const { total, accepted, rejected } = answer;
  const { organizationId } = actor;
  const batch = {
    id,
    organizationId,
    state: 'accepted',
    total,
    accepted,
    rejected,
    chunks: 0,
    others: 0,
    createdAt,
  } as const;
  await ports.store.putBatch(
    batch,
    sent.flatMap((one) => (isRefusal(one) ? [] : [one.message.id])),
  );
  return answer;
};
