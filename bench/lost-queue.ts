import { setTimeout as pause } from 'node:timers/promises';
import { startFauxqs } from '../infra/local/engines.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { Table } from '../shared/storage/client/table.ts';
import { duePartitions } from '../shared/storage/partitions.ts';
import { PROCESSES } from './cluster.ts';
import { V1_SEND } from './live.ts';
import { startLiveCluster } from './live-cluster.ts';
import type { Traced } from './load.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';
import { startSwitchable } from './switchable.ts';

/** The promise: ten minutes without queue at 500 messages a second are caught up within ten minutes. */
const PROMISE = { seconds: 600, perSecond: 500 };
/** What is run of it, unless set otherwise: a tenth of the time, with everything that the service repeats by the minute ten times as often, and this rate. */
const TENTH = 10;
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? (PROMISE.seconds * 1000) / TENTH);
const DISPATCH_SECONDS = 60 / TENTH;
const PER_SECOND = Number(process.env.PER_SECOND ?? 25);
const BEFORE_MS = 10_000;
/** Processes with consumers and a dispatcher; deployed, four dispatchers share the shards. */
const WORKERS = Math.max(2, Math.round(PROCESSES / 5));
const POLL_MS = 1_000;
const CONCURRENT_COUNTS = 4;
/** What is under way at any time without an outage, in s of the rate. */
const UNDER_WAY_SECONDS = 2;

/** How many messages wait to be sent. */
const waitingIn = async (table: Table): Promise<number> => {
  const counts = await mapConcurrently(duePartitions('send_message'), CONCURRENT_COUNTS, (partition) =>
    table.count({ index: 'due', partition }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

const p95 = (trace: readonly Traced[]): number => {
  const sorted = trace.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
};

interface Round {
  readonly accepted: number;
  readonly refused: number;
  readonly before: number;
  readonly during: number;
  readonly waited: number;
  /** s from the queue's return until no more messages waited than do at any time; the sends go on meanwhile. */
  readonly caughtUp: number;
  readonly lost: number;
  readonly doubled: number;
}
type Ground = Awaited<ReturnType<typeof startLiveCluster>>;
type Switchable = Awaited<ReturnType<typeof startSwitchable>>;

/** Waits until at most this many messages wait; answers after how many s, at most `mostMs`. */
const untilFew = async ({ table }: Ground, most: number, mostMs: number): Promise<number> => {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  while ((await waitingIn(table)) > most && took() < mostMs) await pause(POLL_MS);
  return took() / 1000;
};

const round = async (ground: Ground, queue: Switchable): Promise<Round> => {
  const { load, providers } = ground;
  const { messages } = providers.sms.standIn;
  const already = messages.length;
  const plan = { connections: PER_SECOND, thinkMs: 1_000 };
  const from = Date.now();
  const sending = load(V1_SEND, { ...plan, measureMs: BEFORE_MS + 2 * OUTAGE_MS });
  await pause(BEFORE_MS);
  queue.set(true);
  await pause(OUTAGE_MS);
  const waited = await waitingIn(ground.table);
  queue.set(false);
  const caughtUp = await untilFew(ground, UNDER_WAY_SECONDS * PER_SECOND, 2 * OUTAGE_MS);
  const { trace } = await sending;
  await untilFew(ground, 0, OUTAGE_MS);
  const isDuring = ({ at }: Traced) => at >= from + BEFORE_MS && at < from + BEFORE_MS + OUTAGE_MS;
  const accepted = trace.filter(({ status }) => status === '202').length;
  const sent = messages.slice(already).map(({ messageId }) => messageId);
  const distinct = new Set(sent).size;
  return {
    accepted,
    refused: trace.filter((each) => isDuring(each) && each.status !== '202').length,
    before: p95(trace.filter(({ at }) => at < from + BEFORE_MS)),
    during: p95(trace.filter(isDuring)),
    waited,
    caughtUp,
    lost: accepted - distinct,
    doubled: sent.length - distinct,
  };
};

const HOW = `${PROCESSES} processes answer \`POST /v1/messages\` of one live organization, ${WORKERS} others have the consumers and dispatchers; all on one table behind the laws of
docs/table-laws.md and on one queue engine, whose connections are cut for ${OUTAGE_MS / 1000} s. **Scaled down**: what is promised are ${PROMISE.seconds} s at ${PROMISE.perSecond} messages a second, ${(PROMISE.seconds * PROMISE.perSecond).toLocaleString('en-US')} in all;
this is the time ÷ ${(PROMISE.seconds * 1000) / OUTAGE_MS}, with dispatchers ten times as often (each ${DISPATCH_SECONDS} s instead of each minute), and ${PER_SECOND} callers with a second between an answer and the next request, about a ${Math.round(PROMISE.perSecond / PER_SECOND)}th
of the rate: one machine with ${WORKERS} processes of consumers has not what a deployment has. The waits of what is handed over again are not scaled. Sends go on at the same rate while it catches up. Waited: messages
not sent when the queue came back. Doubled and lost are counted at the provider's stand-in once nothing waits any more.`;

/** Some time without queue: what was accepted meanwhile is sent, once, and in time. */
export const benchLostQueue = async (): Promise<Section> => {
  const engine = await startFauxqs();
  const queue = await startSwitchable(engine.endpoint);
  const rounds: Round[] = [];
  const ground = await startLiveCluster({
    apis: PROCESSES,
    workers: WORKERS,
    sqsEndpoint: queue.endpoint,
    env: { DISPATCH_SECONDS: String(DISPATCH_SECONDS) },
  });
  try {
    await ground.load(V1_SEND, { connections: PROCESSES, measureMs: 4_000, thinkMs: 500 });
    for (let at = 1; at <= ROUNDS; at++) {
      await untilFew(ground, 0, OUTAGE_MS);
      rounds.push(await round(ground, queue));
      console.log(`queue: round ${at}`, rounds.at(-1));
    }
  } finally {
    await ground.stop();
    await queue.close();
    await engine.stop();
  }
  const most = (name: keyof Round) => Math.max(...rounds.map((each) => each[name]));
  const rows = rounds.map((each, at) => ({
    Round: at + 1,
    Accepted: each.accepted,
    'Refused without queue': each.refused,
    'p95 before, ms': figure(each.before),
    'without queue, ms': figure(each.during),
    Waited: each.waited,
    'Caught up after, s': figure(each.caughtUp),
    Lost: each.lost,
    Doubled: each.doubled,
  }));
  return {
    title: 'Without queue',
    verdicts: [
      verdict(
        `s until caught up after ${OUTAGE_MS / 1000} s without queue`,
        median(rounds.map(({ caughtUp }) => caughtUp)),
        '≤',
        OUTAGE_MS / 1000,
      ),
      verdict('messages refused without queue', most('refused'), '≤', 0),
      verdict('messages lost or doubled', Math.max(...rounds.map(({ lost, doubled }) => lost + doubled)), '≤', 0),
    ],
    text: `${HOW}\n\n${columns(rows)}`,
  };
};
