import type { Actor } from '../actor.ts';
import { parseAddress } from '../email/address.ts';
import { isRefusal, OVERVIEW_CODE_OF, OVERVIEW_CODES, type Refusal, refuse } from '../errors.ts';
import { parsePhone } from '../phone.ts';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import type { Hop } from './hops.ts';
import type { Priority } from './message.ts';
import { requestHash, type SendPlan, type Tenant } from './plan.ts';
import { quote } from './quote.ts';
import { replayOf } from './replay.ts';
import {
  acceptedView,
  completeHops,
  DEFAULT_WAIT_MS,
  type HopRequest,
  priceHops,
  type SubmitPorts,
  scheduleFault,
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

export interface PreviewPorts extends SubmitPorts {
  /** Why the recipient's consent would refuse the plan; undefined when it would not. */
  readonly consentFault: (tenant: Tenant, plan: SendPlan) => Promise<'opted_out' | 'unknown_contact' | undefined>;
  /** When a message of the channel may leave, in ms. */
  readonly leavesAt: (organizationId: string, channel: UnifiedRequest['channel'], at: number) => Promise<number>;
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

const accept = async (ports: SubmitPorts, actor: Actor, key: string, hash: string, body: OverviewRequest) => {
  const request = firstOf(body);
  const complete = await completeHops(ports, actor, request, hopsOf(body), waitOf(body));
  if (isRefusal(complete)) return complete;
  const hops = await priceHops(ports, actor, complete);
  return isRefusal(hops) ? hops : submit(ports, actor, { request, key, hash, hops, maxCoins: body.maxCoins });
};

/**
 * Sends a message on any channel, with its fallbacks (interface 4.0). A repeat is answered as the first call was, whatever became of
 * its template, window or contact since; only a refusal looks for one, so a send that is accepted reads nothing more.
 */
export const sendOverview = async (ports: SubmitPorts, actor: Actor, key: string, body: OverviewRequest) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const hash = requestHash('overview.send', body);
  const fresh = await accept(ports, actor, key, hash, body);
  const sent = isRefusal(fresh) ? ((await replayOf(ports, actor.organizationId, key, hash)) ?? fresh) : fresh;
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
  return { code, detail: refusal.details.detail, action: OVERVIEW_CODES[code] };
};

const CONSENT = {
  opted_out: refuse('VALIDATION_ERROR', 'The contact opted out.'),
  unknown_contact: refuse('VALIDATION_ERROR', 'The contact does not exist.'),
} as const;

/** The refusal of a recipient whose consent forbids a send. */
export const consentRefusal = (fault: keyof typeof CONSENT) => CONSENT[fault];

/** One way of a send plan; `spent` is what the ways before it cost, in coins. */
const previewHop = async (
  ports: PreviewPorts,
  actor: Actor,
  request: UnifiedRequest & Pick<Hop, 'maxCoins'>,
  afterMs: number,
  balance: number,
) => {
  const shown = { channel: request.channel, after: `${afterMs / 1000}s` };
  const { mask } = rulesOf(request.channel);
  const planned = await ports.planners[request.channel](actor, request, 'preview', '');
  if (isRefusal(planned)) return { coins: 0, hop: { ...shown, refusal: told(planned) } };
  const { plan } = planned;
  const { organizationId, env } = actor;
  const [priced, candidates, consent, leavesAt] = await Promise.all([
    quote(ports, organizationId, env, plan.price, plan.units),
    ports.routing.candidates(plan.channel, organizationId, env, plan.route),
    ports.consentFault(actor, plan),
    ports.leavesAt(organizationId, plan.channel, Math.max(request.scheduledAt ?? 0, ports.clock())),
  ]);
  const { coins, band } = priced;
  const dear = request.maxCoins !== undefined && coins > request.maxCoins;
  const refusal =
    (consent && CONSENT[consent]) ??
    (dear ? refuse('PRECONDITION_FAILED', 'It costs more than maxCoins allows.') : undefined) ??
    (coins > balance ? refuse('PAYMENT_REQUIRED', 'The wallet balance does not cover the message.') : undefined) ??
    (candidates.kind === 'none' ? refuse('DEPENDENCY_FAILED', candidates.missing) : undefined);
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
      leavesAt: isoTime(leavesAt),
      ...(provider === undefined ? {} : { provider }),
      ...(refusal ? { refusal: told(refusal) } : {}),
    },
  };
};

/** What a send would do and cost, way by way, and why it would be refused; nothing is stored or charged (decisions, part 6). */
export const previewOverview = async (ports: PreviewPorts, actor: Actor, body: OverviewRequest) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const request = firstOf(body);
  const hops = await completeHops(ports, actor, request, hopsOf(body), body.fallback_after ?? DEFAULT_WAIT_MS);
  if (isRefusal(hops)) return hops;
  const balance = await ports.balance(actor.organizationId);
  const first = await previewHop(ports, actor, { ...request, maxCoins: body.maxCoins }, 0, balance);
  const others = await Promise.all(hops.map((hop) => previewHop(ports, actor, hop, hop.afterMs, balance)));
  const ways = [first, ...others];
  return {
    hops: ways.map(({ hop }) => hop),
    price: { coins: first.coins, atMostCoins: ways.reduce((sum, { coins }) => sum + coins, 0) },
    wallet: { balanceCoins: balance },
  };
};
