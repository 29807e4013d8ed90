import { isRefusal, type OverviewCode, type Refusal, refuse } from '../errors.ts';
import type { Id } from '../ids.ts';
import { firstOf, hopsOf, requestFault, told } from '../messages/overview.ts';
import { chainOf, draft, requestHash, type SendPlan, type Tenant } from '../messages/plan.ts';
import type { Candidates } from '../messages/ports.ts';
import { quote } from '../messages/quote.ts';
import { faultOf, REUSED_KEY } from '../messages/refusals.ts';
import { completeHops, DEFAULT_WAIT_MS, priceHops } from '../messages/submit.ts';
import { atOnce } from './at-once.ts';
import type { Item } from './chunk.ts';
import type { BulkEntry, BulkMessage, BulkPorts } from './ports.ts';

/** A message that is not accepted, and why. */
export interface Refused {
  readonly index: number;
  readonly refusal: Refusal;
}

/** What became of a request's messages before any money moves. */
export interface Prepared {
  readonly items: readonly Item[];
  /** Messages that stand already, by an earlier call with the same key. */
  readonly replays: readonly { readonly index: number; readonly messageId: string }[];
  /** Messages that repeat one before them in the same request. */
  readonly twins: readonly { readonly index: number; readonly of: number }[];
  readonly refused: readonly Refused[];
}

interface Asked {
  readonly index: number;
  readonly body: Omit<BulkMessage, 'idempotencyKey'>;
  readonly key: string;
  readonly keyed: boolean;
  readonly hash: string;
}

/** Plans that are made at the same time: most of them read nothing. */
const PLANS_AT_ONCE = 16;

const refusedAs = (index: number, refusal: Refusal): Refused => ({ index, refusal });

/** The refusal of one message in the overview contract's words. */
export const refusedView = ({ index, refusal }: Refused): { index: number; code: OverviewCode; message: string } => {
  const { code, detail } = told(refusal);
  const [error] = refusal.details.errors ?? [];
  return {
    index,
    code,
    message: error ? `${detail} ${[error.path, error.message].filter(Boolean).join(': ')}` : detail,
  };
};

/** A key whose batch may still be refused as a whole. */
export const STILL_OPEN = refuse('CONFLICT', 'The first request with this key is still being decided.');

/** Which batch it is, and when it was asked for, in ms: all of it that is not scheduled is due at the same moment. */
interface Moment {
  readonly batchId: Id<'batch'>;
  readonly now: number;
}

/** Reads the messages as they came, and finds those that repeat one before them. */
const readAll = (ports: BulkPorts, { batchId, now }: Moment, messages: readonly BulkEntry[]) => {
  const asked: Asked[] = [];
  const refused: Refused[] = [];
  const twins: Prepared['twins'][number][] = [];
  const first = new Map<string, Asked>();
  for (const [index, raw] of messages.entries()) {
    if ('broken' in raw) {
      refused.push(refusedAs(index, ports.faultOf(raw.broken)));
      continue;
    }
    const { idempotencyKey, ...body } = raw.read;
    const fault = requestFault(body, now);
    if (fault) {
      refused.push(refusedAs(index, fault));
      continue;
    }
    const keyed = idempotencyKey !== undefined;
    // No caller can write a line break into a key: a message without one never meets another's.
    const one: Asked = {
      index,
      body,
      keyed,
      key: idempotencyKey ?? `bulk\n${batchId}\n${index}`,
      hash: requestHash('overview.send', body),
    };
    const before = first.get(one.key);
    if (!before) {
      first.set(one.key, one);
      asked.push(one);
    } else if (before.hash === one.hash) twins.push({ index, of: before.index });
    else refused.push(refusedAs(index, REUSED_KEY));
  }
  return { asked, refused, twins };
};

/** Splits off the messages whose key was used before. */
const replayed = async (ports: BulkPorts, { organizationId }: Tenant, asked: readonly Asked[]) => {
  const keyed = asked.filter(({ keyed }) => keyed);
  const kept = await ports.promises(
    organizationId,
    keyed.map(({ key }) => key),
    ports.clock(),
  );
  const taken = new Set<number>();
  const replays: Prepared['replays'][number][] = [];
  const refused: Refused[] = [];
  const undecided = await undecidedOf(
    ports,
    kept.flatMap((promise) => (promise ? [promise.messageId] : [])),
  );
  for (const [place, one] of keyed.entries()) {
    const promise = kept[place];
    if (!promise) continue;
    taken.add(one.index);
    if (promise.requestHash !== one.hash) refused.push(refusedAs(one.index, REUSED_KEY));
    else if (undecided.has(promise.messageId)) refused.push(refusedAs(one.index, STILL_OPEN));
    else replays.push({ index: one.index, messageId: promise.messageId });
  }
  return { fresh: asked.filter(({ index }) => !taken.has(index)), replays, refused };
};

/** Messages of a batch that may still be refused as a whole. */
export const undecidedOf = async (ports: BulkPorts, messageIds: readonly string[]): Promise<ReadonlySet<string>> => {
  if (messageIds.length === 0) return new Set();
  const messages = (await ports.store.readMessages(messageIds)).filter(({ escrow }) => escrow !== undefined);
  const pending = new Set<string>();
  for (const batchId of new Set(messages.map((message) => message.batchId ?? ''))) {
    if ((await ports.store.readBatch(batchId))?.state === 'pending') pending.add(batchId);
  }
  return new Set(messages.filter((message) => pending.has(message.batchId ?? '')).map(({ id }) => id));
};

/** Who may carry each route, asked once per route. */
const carriers = (ports: BulkPorts, { organizationId, env }: Tenant) => {
  const known = new Map<string, Promise<Candidates>>();
  return ({ channel, route }: SendPlan): Promise<Candidates> => {
    const name = `${channel} ${route}`;
    const found = known.get(name) ?? ports.routing.candidates(channel, organizationId, env, route);
    known.set(name, found);
    return found;
  };
};

/** A planned message, and what is told of it only when neither its recipient nor the funds refuse it. */
interface Planned {
  readonly item: Item;
  readonly candidates: Candidates;
  readonly hopFault?: Refusal;
}

const planOne = async (
  ports: BulkPorts,
  tenant: Tenant,
  { batchId, now }: Moment,
  candidatesOf: ReturnType<typeof carriers>,
  { index, body, key, hash, keyed }: Asked,
): Promise<Planned | Refused> => {
  const request = firstOf(body, batchId);
  const wait = body.fallback_after ?? DEFAULT_WAIT_MS;
  const complete = await completeHops(ports, tenant, request, hopsOf(body), wait);
  if (isRefusal(complete)) return refusedAs(index, complete);
  const planned = await ports.planners[request.channel](tenant, request, key, hash);
  if (isRefusal(planned)) return refusedAs(index, planned);
  const plan: SendPlan = { ...planned.plan, maxCoins: body.maxCoins };
  const candidates = await candidatesOf(plan);
  const priced = await priceHops(ports, tenant, complete);
  const hops = isRefusal(priced) ? [] : priced;
  const at = Math.max(request.scheduledAt ?? 0, now);
  const beginning = { status: 'queued', at, body: planned.body, hops } as const;
  const drafted = await draft(ports, tenant, plan, beginning);
  const chain = hops.length > 0 ? chainOf(drafted, at, hops) : undefined;
  const item = { index, plan, beginning, drafted, keyed, chain };
  return { item, candidates, ...(isRefusal(priced) ? { hopFault: priced } : {}) };
};

/**
 * What refuses each planned message before any money moves, in the order in which a send alone is checked (decisions, part 4): one that
 * nothing may carry, or that has a fallback that cannot be, learns first what consent and the funds say. What none of them concerns is
 * left to the wallet's own transaction; the wallet is read for the others, once.
 */
const faultsOf = async (ports: BulkPorts, tenant: Tenant, planned: readonly Planned[]) => {
  const { organizationId, env } = tenant;
  const consents = await ports.consentFaults(
    tenant,
    planned.map(({ item: { plan, drafted } }) => ({ plan, toHash: drafted.toHash })),
  );
  const standing = planned.map((one, place) => ({ ...one, consent: consents[place] }));
  let reading: Promise<number> | undefined;
  return atOnce(standing, PLANS_AT_ONCE, async ({ item: { plan }, candidates, hopFault, consent }) => {
    if (!consent && !hopFault && candidates.kind === 'ready') return undefined;
    reading ??= ports.balance(organizationId);
    const [{ coins }, balance] = await Promise.all([
      quote(ports, organizationId, env, plan.price, plan.units),
      reading,
    ]);
    return faultOf(plan, coins, { consent, balance, candidates }) ?? hopFault;
  });
};

/** All that can be decided of a bulk send's messages before money moves: form, recipient, key, content, route, consent and provider. */
export const prepare = async (
  ports: BulkPorts,
  tenant: Tenant,
  moment: Moment,
  messages: readonly BulkEntry[],
): Promise<Prepared> => {
  const read = readAll(ports, moment, messages);
  const { fresh, replays, refused } = await replayed(ports, tenant, read.asked);
  const candidatesOf = carriers(ports, tenant);
  const planned = await atOnce(fresh, PLANS_AT_ONCE, (one) => planOne(ports, tenant, moment, candidatesOf, one));
  const standing = planned.filter((one): one is Planned => 'item' in one);
  const faults = await faultsOf(ports, tenant, standing);
  return {
    items: standing.flatMap(({ item }, place) => (faults[place] ? [] : [item])),
    replays,
    twins: read.twins,
    refused: [
      ...read.refused,
      ...refused,
      ...planned.filter((one): one is Refused => 'refusal' in one),
      ...standing.flatMap(({ item: { index } }, place) => {
        const fault = faults[place];
        return fault ? [refusedAs(index, fault)] : [];
      }),
    ],
  };
};
