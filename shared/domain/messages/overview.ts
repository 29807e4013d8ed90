import type { Actor } from '../actor.ts';
import { parseAddress } from '../email/address.ts';
import { isRefusal, OVERVIEW_CODE_OF, OVERVIEW_CODES, type Refusal, refuse } from '../errors.ts';
import { parsePhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import type { Hop } from './hops.ts';
import type { Priority } from './message.ts';
import { requestHash, type SendPlan, type Tenant } from './plan.ts';
import type { RefusedAnswer } from './provider.ts';
import { type QuietHours, quietUntil } from './quiet-hours.ts';
import { quote } from './quote.ts';
import { type ConsentFault, faultOf, stopped } from './refusals.ts';
import { orEarlier } from './replay.ts';
import {
  acceptedView,
  completeHops,
  DEFAULT_WAIT_MS,
  type HopRequest,
  type PlanRefusal,
  priceHops,
  type Submission,
  type SubmitPorts,
  scheduleFault,
  standsAgainst,
  submit,
  templateLabels,
} from './submit.ts';
import type { UnifiedRequest } from './unified.ts';

/** The parsed body of /v1/messages (interface 4.0; decisions, part 4). Waits are in ms. */
export interface OverviewRequest extends Omit<UnifiedRequest, 'type' | 'scheduledAt' | 'payload' | 'route'> {
  readonly fallback?: readonly (UnifiedRequest['channel'] | HopRequestBody)[] | undefined;
  readonly fallback_after?: number | undefined;
  readonly maxCoins?: number | undefined;
  readonly priority?: Priority | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}
interface HopRequestBody extends Omit<HopRequest, 'afterMs'> {
  readonly after?: number | undefined;
}

/** What would meet some plans if they were sent now. */
export interface Foreseen {
  /** What can be spent, in coins. */
  readonly balance: number;
  /** Those of the organization as they stand. */
  readonly quietHours?: QuietHours | undefined;
  readonly ways: ReadonlyMap<
    SendPlan,
    { readonly consent?: ConsentFault | undefined; readonly stop?: RefusedAnswer | undefined } | undefined
  >;
}

export interface PreviewPorts extends SubmitPorts {
  /** Balance and quiet hours; and of each plan why the recipient's consent would refuse it, and what of ours would stop it when it leaves. */
  readonly foreseen: (tenant: Tenant, plans: readonly SendPlan[]) => Promise<Foreseen>;
}

/** A recipient that its channel cannot have: 400 with the overview's code (decisions, part 3). */
export const recipientFault = ({ channel, to }: Pick<UnifiedRequest, 'channel' | 'to'>, path = 'to') => {
  const { recipient } = rulesOf(channel);
  const errors = (message: string) => [{ path, message }];
  if (recipient === 'phone' && !parsePhone(to))
    return refuse('BAD_REQUEST', {
      detail: 'The recipient is no phone number.',
      overview: 'invalid_phone',
      errors: errors('must be an existing number in E.164'),
    });
  if (recipient === 'email' && !parseAddress(to))
    return refuse('BAD_REQUEST', {
      detail: 'The recipient is no e-mail address.',
      overview: 'invalid_recipient',
      errors: errors('must be an e-mail address'),
    });
  return undefined;
};

/** The send itself, without its fallbacks. */
export const firstOf = (body: OverviewRequest, batchId?: string): UnifiedRequest => {
  const { fallback: _, fallback_after: __, maxCoins: ___, scheduledAt, ...rest } = body;
  return {
    ...rest,
    type: body.template === undefined ? 'text' : 'template',
    labels: { ...templateLabels(body), batchId },
    ...(scheduledAt === undefined ? {} : { scheduledAt: Date.parse(scheduledAt) }),
  };
};

/** Its fallbacks as they were written. */
export const hopsOf = ({ fallback = [] }: OverviewRequest): HopRequest[] =>
  fallback.map((entry) => {
    if (typeof entry === 'string') return { channel: entry };
    const { after, ...hop } = entry;
    return { ...hop, ...(after === undefined ? {} : { afterMs: after }) };
  });

/** What no channel could take, whatever it says. */
export const requestFault = (body: OverviewRequest, now: number) => {
  const fault = recipientFault(body);
  if (fault) return fault;
  for (const [index, hop] of hopsOf(body).entries()) {
    const wrong =
      hop.to === undefined ? undefined : recipientFault({ channel: hop.channel, to: hop.to }, `fallback.${index}.to`);
    if (wrong) return wrong;
  }
  return scheduleFault(body.scheduledAt, now);
};

const waitOf = ({ fallback_after }: OverviewRequest): number => fallback_after ?? DEFAULT_WAIT_MS;

/** What would refuse the first way by itself. */
const faultOfFirst = async (ports: SubmitPorts, actor: Actor, { request, key, hash, maxCoins }: Submission) => {
  const planned = await ports.planners[request.channel](actor, request, key, hash);
  return isRefusal(planned) ? planned : standsAgainst(ports, actor, { ...planned.plan, maxCoins });
};

/** Of what is wrong with its ways the first way's own is told first, as the preview shows them; only a refused send looks for it. */
const accept = async (ports: SubmitPorts, actor: Actor, key: string, hash: string, body: OverviewRequest) => {
  const request = firstOf(body);
  const complete = await completeHops(ports, actor, request, hopsOf(body), waitOf(body));
  if (isRefusal(complete)) return complete;
  const first = { request, key, hash, maxCoins: body.maxCoins };
  const hops = await priceHops(ports, actor, complete);
  if (isRefusal(hops)) return (await faultOfFirst(ports, actor, first)) ?? hops;
  return submit(ports, actor, { ...first, hops });
};

/**
 * Sends a message on any channel, with its fallbacks (interface 4.0). A repeat is answered as the first call was.
 */
export const sendOverview = async (ports: SubmitPorts, actor: Actor, key: string, body: OverviewRequest) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const hash = requestHash('overview.send', body);
  const fresh = await accept(ports, actor, key, hash, body);
  const sent = await orEarlier(ports, actor, { key, hash }, fresh);
  if (isRefusal(sent)) {
    ports.observe.sent(body.channel, sent.name, { organizationId: actor.organizationId });
    return sent;
  }
  const ways = hopsOf(body).map(({ channel, afterMs = waitOf(body) }) => ({ channel, afterMs }));
  return acceptedView(ports, actor, sent, ways);
};

/** A refusal in the overview contract's words. */
export const told = (refusal: Refusal) => {
  const code = refusal.details.overview ?? OVERVIEW_CODE_OF[refusal.name];
  const { detail, meta } = refusal.details;
  const reason = meta?.motivo;
  return { code, detail, action: OVERVIEW_CODES[code], ...(typeof reason === 'string' ? { reason } : {}) };
};

/** A way that a send would take, and what its channel made of it. */
type Way = Omit<UnifiedRequest, 'scheduledAt'> & Pick<Hop, 'maxCoins' | 'afterMs'>;
interface PlannedWay {
  readonly way: Way;
  readonly plan: SendPlan | PlanRefusal;
}

const planWay = async (ports: PreviewPorts, actor: Actor, way: Way): Promise<PlannedWay> => {
  const { afterMs: _, maxCoins, ...request } = way;
  const planned = await ports.planners[way.channel](actor, request, 'preview\n', '');
  return { way, plan: isRefusal(planned) ? planned : { ...planned.plan, maxCoins } };
};

/** When each way would leave while the ways before it stay silent, one after the other, in ms: the first at `from` or after it. */
const departures = (
  quietHours: QuietHours | undefined,
  from: number,
  ways: readonly Way[],
): ReadonlyMap<Way, number> => {
  const departing = new Map<Way, number>();
  let at = from;
  for (const way of ways) {
    at = quietUntil(quietHours, way.channel, at + way.afterMs);
    departing.set(way, at);
  }
  return departing;
};

/** One way of a send plan as it is shown, and its price in coins; `departing` in ms. */
const previewWay = async (
  ports: PreviewPorts,
  actor: Actor,
  { way, plan }: PlannedWay,
  reading: Promise<Foreseen & { readonly departing: ReadonlyMap<Way, number> }>,
) => {
  const { channel, afterMs } = way;
  const shown = { channel, after: `${afterMs / 1000}s` };
  if (isRefusal(plan)) return { coins: 0, hop: { ...shown, refusal: told(plan) } };
  const { organizationId, env } = actor;
  const { mask, reasonOf } = rulesOf(channel);
  const [{ coins, band }, candidates, { balance, ways, departing }] = await Promise.all([
    quote(ports, organizationId, env, plan.price, plan.units),
    ports.routing.candidates(channel, organizationId, env, plan.route),
    reading,
  ]);
  const { consent, stop } = ways.get(plan) ?? {};
  const refusal =
    faultOf(plan, coins, { consent, balance, candidates }) ?? (stop && stopped(stop, reasonOf[stop.cause]));
  const provider = candidates.kind === 'ready' ? candidates.providers[0]?.name : undefined;
  return {
    coins,
    hop: {
      ...shown,
      route: plan.route,
      to: actor.scopes.has('pii:full') ? plan.to : mask(plan.to),
      units: plan.units,
      price: { coins },
      volumeBand: { index: band.index, from: band.from, upTo: band.upTo },
      leavesAt: isoTime(departing.get(way) ?? Number.NaN),
      ...(provider === undefined ? {} : { provider }),
      ...(refusal ? { refusal: told(refusal) } : {}),
    },
  };
};

/**
 * What a send would do and cost, way by way, and why it would be refused; nothing is stored or charged (decisions, part 6). However many
 * ways there are, wallet, quiet hours and recipients are read once, while what their prices and providers lack is read too.
 */
export const previewOverview = async (ports: PreviewPorts, actor: Actor, body: OverviewRequest) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const request = firstOf(body);
  const hops = await completeHops(ports, actor, request, hopsOf(body), waitOf(body));
  if (isRefusal(hops)) return hops;
  const ways = [{ ...request, maxCoins: body.maxCoins, afterMs: 0 }, ...hops];
  const planned = await Promise.all(ways.map((way) => planWay(ports, actor, way)));
  const plans = planned.flatMap(({ plan }) => (isRefusal(plan) ? [] : [plan]));
  const from = Math.max(request.scheduledAt ?? 0, ports.clock());
  const reading = ports
    .foreseen(actor, plans)
    .then((foreseen) => ({ ...foreseen, departing: departures(foreseen.quietHours, from, ways) }));
  const [{ balance }, ...shown] = await Promise.all([
    reading,
    ...planned.map((way) => previewWay(ports, actor, way, reading)),
  ]);
  return {
    hops: shown.map(({ hop }) => hop),
    price: { coins: shown[0]?.coins ?? 0, atMostCoins: shown.reduce((sum, { coins }) => sum + coins, 0) },
    wallet: { balanceCoins: balance },
  };
};
