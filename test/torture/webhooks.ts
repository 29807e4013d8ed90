import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceOf } from '../support/chance.ts';
import type { Part, PartOptions, Report } from './part.ts';
import { checkCompleteness, quantile, untilReceived, waitsOf } from './webhook-checks.ts';
import type { Behaviour } from './webhook-endpoints.ts';
import { type Owner, raise, startWebhookLab, type WebhookLab } from './webhook-lab.ts';

const ORGANIZATIONS = 10;
const ENDPOINTS = 50;
const PER_EVENT = ENDPOINTS / ORGANIZATIONS;
const HUNG = 10;
const BROKEN = 5;
const KILLS = 3;
/** Requests under way at once: bounds the burst after a restart. */
const CALLERS = 16;
/** Events that are raised as fast as possible, to measure what the service sustains; their times do not count. */
const WARM_EVENTS = 200;
/** The load while times are measured, as a share of what the service sustains: in overload they would measure the queue's length. */
const OFFERED = 0.5;
const P99_GOAL = 1.1;
/** A claim that a killed process held ends after 25 s, and is then found by its due time. */
const PATIENCE_MS = 90_000;

const behaviours = ({ shuffled }: Chance): Behaviour[] =>
  shuffled(
    Array.from({ length: ENDPOINTS }, (_, at): Behaviour => {
      if (at < HUNG) return 'hung';
      return at < HUNG + BROKEN ? 'broken' : 'healthy';
    }),
  );

interface Load {
  /** Events that are raised, over all organizations in turn. */
  readonly events: number;
  /** The first event's number: phones are made of it. */
  readonly from: number;
  /** Events a second; without it as fast as possible. */
  readonly perSecond?: number;
  /** Called before each event with the number started so far. */
  readonly started?: (count: number) => void;
  readonly late: () => boolean;
}

/** Raises events evenly in time, each by a call of the API. */
const offer = async ({ owners }: WebhookLab, { events, from, perSecond, started, late }: Load): Promise<void> => {
  const startedAt = Date.now();
  let next = 0;
  const caller = async () => {
    while (next < events && !late()) {
      const number = next++;
      started?.(number);
      const due = startedAt + (perSecond ? (number * 1000) / perSecond : 0);
      if (due > Date.now()) await pause(due - Date.now());
      const owner = owners[number % owners.length] as Owner;
      await raise(owner, `+551198${String(from + number).padStart(7, '0')}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

/** Events a second that the service delivers, measured by a burst while all endpoints are healthy. */
const sustained = async (lab: WebhookLab, late: () => boolean): Promise<number> => {
  const startedAt = Date.now();
  await offer(lab, { events: WARM_EVENTS, from: 0, late });
  await untilReceived(lab, PATIENCE_MS);
  return (WARM_EVENTS * 1000) / (Date.now() - startedAt);
};

interface Completeness {
  readonly deliveries: number;
  readonly repeats: number;
  readonly kills: number;
}

/**
 * Events to hung, broken and healthy endpoints while the service is killed (SIGKILL) `kills` times and started again. Throws
 * unless every healthy endpoint has every event and all others' deliveries are open.
 */
export const runKilled = async (
  { count, seed, late }: PartOptions,
  kills: number,
  perSecond?: number,
): Promise<Completeness> => {
  const chance = chanceOf(seed);
  const lab = await startWebhookLab(ORGANIZATIONS, behaviours(chance));
  const events = Math.ceil(count / PER_EVENT);
  const killAt = Array.from({ length: kills }, (_, at) =>
    Math.floor(((at + 0.25 + chance.next() / 2) * events) / kills),
  );
  let restarting: Promise<void> = Promise.resolve();
  let killed = 0;
  const started = (number: number) => {
    if (!killAt.includes(number)) return;
    restarting = restarting.then(async () => {
      await lab.restart();
      killed += 1;
    });
  };
  try {
    await offer(lab, { events, from: 0, started, late, ...(perSecond ? { perSecond } : {}) });
    await restarting;
    await untilReceived(lab, PATIENCE_MS);
    await checkCompleteness(lab, PATIENCE_MS);
    const raised = lab.owners.reduce((sum, { raised: each }) => sum + each, 0);
    const repeats = lab.subscribed
      .filter(({ endpoint }) => endpoint.behaviour === 'healthy')
      .reduce((sum, { endpoint }) => sum + endpoint.repeats, 0);
    return { deliveries: raised * PER_EVENT, repeats, kills: killed };
  } finally {
    await lab.close();
  }
};

interface Timed {
  readonly waits: readonly number[];
  readonly perSecond: number;
}

/** The waits of the endpoints that are healthy in both runs; the others misbehave or answer too, so that the load is the same. */
const runTimed = async ({ count, seed, late }: PartOptions, misbehaving: boolean, rate?: number): Promise<Timed> => {
  const lab = await startWebhookLab(ORGANIZATIONS, behaviours(chanceOf(seed)));
  const events = Math.ceil(count / PER_EVENT);
  try {
    for (const { endpoint } of lab.subscribed) endpoint.misbehaving = false;
    const most = await sustained(lab, late);
    const perSecond = rate ?? OFFERED * most;
    const since = Date.now();
    for (const { endpoint } of lab.subscribed) endpoint.misbehaving = misbehaving;
    await offer(lab, { events, from: WARM_EVENTS, perSecond, late });
    await untilReceived(lab, PATIENCE_MS);
    return { waits: waitsOf(lab, since), perSecond };
  } finally {
    await lab.close();
  }
};

const quantiles = (waits: readonly number[]) =>
  [0.5, 0.95, 0.99].map((share) => quantile(waits, share).toLocaleString('en-US')).join(' / ');

const run = async (options: PartOptions): Promise<Report> => {
  const without = await runTimed(options, false);
  const beside = await runTimed(options, true, without.perSecond);
  const killed = await runKilled(options, KILLS, without.perSecond);
  const ratio = quantile(beside.waits, 0.99) / quantile(without.waits, 0.99);
  const figures = {
    endpoints: `${ENDPOINTS}, ${HUNG} hung, ${BROKEN} answering 500`,
    kills: killed.kills,
    lost: 0,
    'received twice, under the same id': killed.repeats,
    'events/s while timed': Math.round(without.perSecond),
    'p50 / p95 / p99 without bad endpoints, ms': quantiles(without.waits),
    'beside them, ms': quantiles(beside.waits),
    'p99 ratio': ratio.toFixed(2),
  };
  if (ratio > P99_GOAL) throw new Error(`bad endpoints delay healthy ones: ${JSON.stringify(figures)}`);
  return { done: killed.deliveries, figures };
};

/**
 * Events to 50 endpoints of which 10 hang and 5 answer 500: complete while the service is killed three times, and in
 * runs without kills as fast for the healthy ones as when all are.
 */
export const webhooks: Part = { whole: 50_000, unit: 'deliveries', run };
