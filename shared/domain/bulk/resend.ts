import type { Actor } from '../actor.ts';
import { isRefusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import { rulesOf } from '../messages/channels.ts';
import type { SendPlan } from '../messages/plan.ts';
import type { Channel } from '../messages/provider.ts';
import { faultOf } from '../messages/refusals.ts';
import { type Correction, planResend, type ResendPorts, resend } from '../messages/resend.ts';
import { quoteUnits } from '../pricing/prices.ts';
import { saoPauloMonth } from '../time.ts';
import type { BulkAnswer } from './accept.ts';
import { atOnce } from './at-once.ts';
import type { BatchStore } from './ports.ts';
import { type Refused, refusedView } from './prepare.ts';
import { volumeFor } from './reserve.ts';

/** Which messages are to be sent anew: only queued and failed ones that nobody replaced. Times are ms, both inclusive. */
export interface ResendFilter {
  readonly status?: 'queued' | 'failed' | undefined;
  readonly campaignId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly channel?: Channel | undefined;
  /** The reason of its failure. */
  readonly errorCode?: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The parsed body: messages by their ids, each with its correction, or those of a filter with one for all. */
export interface BulkResendRequest {
  readonly items?: readonly { readonly id: string; readonly correction?: Correction | undefined }[] | undefined;
  /** Absent exactly where there are items, as the two after it are. */
  readonly filter?: (Omit<ResendFilter, 'from' | 'to'> & { readonly from: string; readonly to: string }) | undefined;
  readonly correction?: Correction | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface BulkResendPorts extends ResendPorts {
  readonly store: Pick<BatchStore, 'putBatch'>;
  /** The ids of what a filter matches, oldest first, at most `most`. */
  readonly find: (organizationId: string, filter: ResendFilter, most: number) => Promise<readonly string[]>;
}

/** interface, part 8. */
const MOST = 5_000;
/** How long a request sends anew, in ms: what is left then is refused by itself, and a repeat goes on with it. */
const TAKE_MS = 18_000;
const TOO_LATE = refuse('SERVICE_UNAVAILABLE', {
  detail: 'The batch took too long: this message was not sent anew. Send it again.',
  retryAfterSeconds: 1,
});
/** Resends under way at the same time: each is a transaction on the one wallet. */
const AT_ONCE = 8;

interface Wanted {
  readonly id: string;
  readonly correction: Correction;
}

const wantedOf = async (ports: BulkResendPorts, { organizationId }: Actor, request: BulkResendRequest) => {
  const { items = [], filter, correction = {} } = request;
  if (!filter) return items.map(({ id, correction = {} }): Wanted => ({ id, correction }));
  const range = { ...filter, from: Date.parse(filter.from), to: Date.parse(filter.to) };
  return (await ports.find(organizationId, range, MOST)).map((id): Wanted => ({ id, correction }));
};

const NOT_FOUND = refuse('NOT_FOUND', 'There is no such message.');

/** What all of them would cost together, in coins: each live one at its own position in the month's volume. */
const priceOf = async (ports: BulkResendPorts, actor: Actor, plans: readonly SendPlan[]): Promise<number> => {
  const month = saoPauloMonth(ports.clock());
  const items = plans.map((plan) => ({ plan }));
  const volume = await volumeFor(ports, actor, month, items);
  let [coins, before] = [0, 0];
  for (const { price, channel, units } of plans) {
    const counted = rulesOf(channel).countsVolume;
    coins += quoteUnits(price, units, counted ? volume + before : 0).coins;
    if (counted && actor.env === 'live') before += units;
  }
  return coins;
};

const answerOf = (batchId: string, total: number, refused: readonly Refused[]): BulkAnswer => ({
  batchId,
  total,
  accepted: total - refused.length,
  rejected: refused.length,
  errors: refused.map(refusedView),
});

/** The plan of one resend, unless something but the funds stands against it: those the price of all of them tells. */
const rehearseOne = async (ports: BulkResendPorts, actor: Actor, { id, correction }: Wanted) => {
  const { organizationId, env } = actor;
  const original = await ports.readMessage(organizationId, id);
  if (!original) return NOT_FOUND;
  const planned = await planResend(ports, actor, original, correction, { key: 'preview\n', hash: '' });
  if (isRefusal(planned)) return planned;
  const { plan } = planned;
  const [consent, candidates] = await Promise.all([
    ports.consentFault(actor, plan),
    ports.routing.candidates(plan.channel, organizationId, env, plan.route),
  ]);
  return faultOf(plan, 0, { consent, balance: 0, candidates }) ?? planned;
};

/** What the resend would do and cost; nothing is stored or charged. */
const rehearse = async (ports: BulkResendPorts, actor: Actor, batchId: string, wanted: readonly Wanted[]) => {
  const planned = await atOnce(wanted, AT_ONCE, (one) => rehearseOne(ports, actor, one));
  const refused = planned.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  const plans = planned.flatMap((one) => (isRefusal(one) ? [] : [one.plan]));
  return { ...answerOf(batchId, wanted.length, refused), price: { coins: await priceOf(ports, actor, plans) } };
};

/**
 * Sends queued and failed messages anew, each as it would be alone; what cannot be is named, and the others go on. Repeated, it finds
 * what it sent archived, so nothing is sent twice; with the caller's key a repeat answers as the first call did.
 */
export const bulkResend = async (
  ports: BulkResendPorts,
  actor: Actor,
  request: BulkResendRequest,
  callerKey: string | undefined,
): Promise<BulkAnswer & { readonly price?: { readonly coins: number } }> => {
  const id = newId('batch');
  const createdAt = ports.clock();
  const wanted = await wantedOf(ports, actor, request);
  if (request.dryRun) return rehearse(ports, actor, id, wanted);
  const sent = await atOnce(wanted, AT_ONCE, async (one) =>
    ports.clock() - createdAt > TAKE_MS
      ? TOO_LATE
      : resend(
          ports,
          actor,
          one.id,
          one.correction,
          callerKey === undefined ? undefined : `${callerKey}\n${one.id}`,
          id,
        ),
  );
  const refused = sent.flatMap((one, index) => (isRefusal(one) ? [{ index, refusal: one }] : []));
  const answer = answerOf(id, wanted.length, refused);
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
