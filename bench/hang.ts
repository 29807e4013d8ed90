import type { KillProviders } from '../test/support/kill-providers.ts';
import { PROCESSES } from './cluster.ts';
import { LIVE_SENDS } from './live.ts';
import { type ClusterLoad, startLiveCluster } from './live-cluster.ts';
import type { Traced } from './load.ts';
import { withBusyShare } from './processor-share.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

/**
 * Connections of SMS and of e-mail, and how long each waits between an answer and its next request: as much as leaves the machine's
 * processors idle for half of the time, since refusals are quick: a channel whose sends are refused would else offer more than both did before.
 */
const CONNECTIONS = { sms: 2 * PROCESSES, email: PROCESSES };
const THINK_MS = 1_000;
/** E-mails alone, before the provider hangs; how long it does, over the end of a rest, its probe and the next rest; and until it is tried again. */
const HEALTHY_MS = Number(process.env.MEASURE_MS ?? 24_000);
const HANGING_MS = 75_000;
const RECOVERING_MS = 36_000;
/** What the adapter waits for the provider at most, and how long a route rests (docs/spec/reliability.md). */
const TIMEOUT_MS = 10_000;
const REST_MS = 30_000;
/** All processes hear of a route that rests within this time, in ms. */
const HEARD_MS = 5_000;
const GOAL = { others: 1.2, refusedMs: 118, heardSeconds: (TIMEOUT_MS + HEARD_MS) / 1000 + 1 };

interface Round {
  /** p95 of the other channel's sends alone, and while the provider hung, in ms. */
  readonly alone: number;
  readonly during: number;
  /** Share of the machine's processor time that was used in both, in %. */
  readonly busyAlone: number;
  readonly busyDuring: number;
  /** Most calls that the provider had in hand at once, and sends of the channel that its callers had open. */
  readonly inHand: number;
  /** s from the first call that hung until the last send of any process that still called the provider. */
  readonly opened: number;
  /** p95 of the refusals while the route rested, in ms, and the share that said when to come back, in %. */
  readonly refused: number;
  readonly reported: number;
  /** Calls of the provider that tried it again, and the most at once. */
  readonly probes: number;
  readonly probesAtOnce: number;
  /** s from the provider's return until a send was accepted again. */
  readonly back: number;
}

const p95 = (trace: readonly Traced[]): number => {
  const sorted = trace.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
};
/** Most of these moments within a time-out of each other: calls that hang until then. */
const atOnce = (moments: readonly number[]): number =>
  moments.reduce(
    (most, from) => Math.max(most, moments.filter((at) => at >= from && at < from + TIMEOUT_MS).length),
    0,
  );

interface Ground {
  readonly load: ClusterLoad;
  readonly gate: KillProviders['sms']['gate'];
  /** When calls of the provider arrived. */
  readonly calls: number[];
}

const round = async ({ load, gate, calls }: Ground): Promise<Round> => {
  const on = (channel: 'sms' | 'email', measureMs: number) =>
    load(LIVE_SENDS[channel], { connections: CONNECTIONS[channel], measureMs, thinkMs: THINK_MS });
  const both = (ms: number) => Promise.all([on('sms', ms), on('email', ms)]);
  const alone = await withBusyShare(() => on('email', HEALTHY_MS));
  calls.length = 0;
  const hold = gate.hold('before', () => true);
  const hungAt = Date.now();
  const { sms, email, busy } = await withBusyShare(async () => {
    const [sms, email] = await both(HANGING_MS);
    return { sms, email };
  });
  // Of the first rest: from the last call before it until its end.
  const first = calls.filter((at) => at < hungAt + TIMEOUT_MS + HEARD_MS + REST_MS / 2);
  const lastCall = Math.max(...first);
  const probes = calls.filter((at) => at > lastCall);
  const refused = sms.trace.filter(({ at, ms, status }) => status === '503' && at - ms > lastCall);
  calls.length = 0;
  const releasedAt = Date.now();
  await hold.release();
  gate.clear();
  const [after] = await both(RECOVERING_MS);
  const accepted = after.trace.find(({ status }) => status === '201');
  return {
    alone: p95(alone.trace),
    during: p95(email.trace),
    busyAlone: 100 * alone.busy,
    busyDuring: 100 * busy,
    inHand: atOnce(first),
    opened: (lastCall - hungAt) / 1000,
    refused: p95(refused),
    reported: (100 * refused.filter(({ retryAfter }) => retryAfter).length) / refused.length,
    probes: probes.length,
    probesAtOnce: atOnce(probes),
    back: ((accepted?.at ?? Number.NaN) - releasedAt) / 1000,
  };
};

const HOW = `${PROCESSES} processes that answer requests, without consumers, on one table behind the laws of docs/table-laws.md (a table that has grown with its traffic),
take live SMS over ${CONNECTIONS.sms} connections and e-mails over ${CONNECTIONS.email}, each connection with ${THINK_MS / 1000} s between an answer and its next request. The provider of SMS takes calls and
answers none for ${HANGING_MS / 1000} s, then answers again; its adapter waits ${TIMEOUT_MS / 1000} s. In hand: calls that the provider had at once. Opened: from the first call that hung until the last one
that any process still made, before the route rested. Refused: while it rested. Probes: calls after that, until it answered again, and the most at once. Deployed, a function that waits takes concurrency of its own function only (infra/constructs/reserved-concurrency.ts), which
one machine does not show: here the other channel shares the processes.`;

/** A provider that hangs, among many processes: what it holds up, and what is left alone. */
export const benchHang = async (): Promise<Section> => {
  const { load, providers, stop } = await startLiveCluster({ apis: PROCESSES }, 'sms');
  const rounds: Round[] = [];
  try {
    // Each process reads what it caches.
    for (const channel of ['sms', 'email'] as const)
      await load(LIVE_SENDS[channel], { connections: 2 * PROCESSES, measureMs: 3_000, thinkMs: THINK_MS });
    const calls: number[] = [];
    const { gate } = providers.sms;
    gate.watch(() => calls.push(Date.now()));
    const ground = { load, gate, calls };
    for (let at = 1; at <= ROUNDS; at++) {
      rounds.push(await round(ground));
      console.log(`hang: round ${at}`, rounds.at(-1));
    }
  } finally {
    await stop();
  }
  const of = (name: keyof Round) => median(rounds.map((each) => each[name]));
  const most = (name: keyof Round) => Math.max(...rounds.map((each) => each[name]));
  const rows = rounds.map((each, at) => ({
    Round: at + 1,
    'E-mail p95 alone, ms': figure(each.alone),
    'while SMS hung, ms': figure(each.during),
    'Processors busy, %': `${figure(each.busyAlone)}, then ${figure(each.busyDuring)}`,
    'In hand': each.inHand,
    'Opened after, s': figure(each.opened),
    'Refused in, p95 ms': figure(each.refused),
    'With Retry-After, %': figure(each.reported),
    Probes: each.probes,
    'Probes at once': each.probesAtOnce,
    'Accepted again after, s': figure(each.back),
  }));
  return {
    title: 'A provider that hangs',
    verdicts: [
      verdict(
        'p95 of e-mails while the provider of SMS hung, relative to e-mails alone',
        of('during') / of('alone'),
        '≤',
        GOAL.others,
        '×',
      ),
      verdict('calls that the hanging provider had in hand', most('inHand'), '≤', CONNECTIONS.sms),
      verdict('s until no process called it any more', most('opened'), '≤', GOAL.heardSeconds),
      verdict('p95 of a refusal while the route rested', of('refused'), '≤', GOAL.refusedMs, ' ms'),
      verdict('refusals with Retry-After', Math.min(...rounds.map(({ reported }) => reported)), '≥', 100, ' %'),
      verdict('calls at once that tried it again', most('probesAtOnce'), '≤', 1),
    ],
    text: `${HOW}\n\n${columns(rows)}`,
  };
};
