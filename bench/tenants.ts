import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { GROWN, PROCESSES, startCluster } from './cluster.ts';
import type { LoadResult } from './load.ts';
import { fundedOrganization, runLoadInThread } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';
import { sendPlan } from './send.ts';

const QUIET = 9;
/** What the loud tenant offers, in shares. */
const TIMES = 10;
/** A tenant's share: this many connections, each with this wait between an answer and its next request. */
const SHARE = { connections: 2, thinkMs: 1_200 };
/**
 * Divides the limits, so that the loud tenant needs several times what a partition key takes and a share needs less; and so far that all of
 * them together leave the machine's cores mostly free: whoever waits for a core here would have one of its own on Lambda.
 */
const SCALE = 20;
const MEASURE_MS = Number(process.env.MEASURE_MS ?? 40_000);
const WARM_MS = 3_000;
/** Recipients of the sandbox that end without a receipt: a thousand, since a recipient's messages share a partition of an index. */
const SILENT = '+551199{nnn}0099';
const GOAL = 1.2;

/** Who sends beside the quiet tenants: nobody, one that offers ten shares, or as many more tenants with a share each. */
const BESIDE = { alone: 'nobody', loud: `one tenant with ${TIMES} shares`, even: `${TIMES} tenants with a share each` };
type Beside = keyof typeof BESIDE;

interface Measured {
  readonly quiet: LoadResult;
  readonly other: LoadResult | undefined;
  readonly refusals: string;
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;
type Ports = readonly number[];
const loadOf = (keys: readonly string[], [port = 0, ...otherPorts]: Ports, shares: number) => {
  const { headers, ...plan } = sendPlan('{key}', SILENT, 'otp');
  const connections = shares * SHARE.connections;
  const rest = { ...plan, headers, credentials: keys, port, otherPorts, connections, thinkMs: SHARE.thinkMs };
  return runLoadInThread({ ...rest, warmMs: WARM_MS, measureMs: MEASURE_MS, method: 'POST' });
};

const measure = async (cluster: Cluster, ports: Ports, keys: readonly string[], beside: Beside): Promise<Measured> => {
  const [quietKeys, loud, even] = [keys.slice(0, QUIET), keys.slice(QUIET, QUIET + 1), keys.slice(QUIET)];
  const before: Readonly<Record<string, number>> = cluster.laws.statistics().refusals;
  const [quiet, other] = await Promise.all([
    loadOf(quietKeys, ports, QUIET),
    beside === 'alone' ? undefined : loadOf(beside === 'loud' ? loud : even, ports, TIMES),
  ]);
  const refusals = Object.entries(cluster.laws.statistics().refusals).flatMap(([kind, count]) => {
    const more = count - (before[kind] ?? 0);
    return more > 0 ? `${kind} ${more}` : [];
  });
  return { quiet, other, refusals: refusals.join(', ') || 'none' };
};

const refusedOf = ({ statuses, requests }: LoadResult): number => 100 * (1 - (statuses['201'] ?? 0) / requests);

const HOW = `${PROCESSES} processes that answer requests, without consumers, on one table behind the laws of docs/table-laws.md, limits divided by ${SCALE} (a table that has grown with its
traffic: what is left are the limits of each partition key). ${QUIET} tenants send \`POST /v2/sms/messages\` with test keys over ${SHARE.connections} connections each, ${SHARE.thinkMs} ms between an answer and the next request; beside them
nobody, one tenant that offers ${TIMES} times as much, or ${TIMES} tenants that offer as much together, which shows what the machine's cores alone add; the goal is relative to nobody. Medians of ${ROUNDS} rounds, ${WARM_MS / 1000} s to warm up and ${MEASURE_MS / 1000} s that count.`;

const rowOf = (beside: Beside, runs: readonly Measured[]) => {
  const of = (pick: (run: Measured) => number) => figure(median(runs.map(pick)));
  const others = runs.flatMap(({ other }) => other ?? []);
  const ofOthers = (pick: (run: LoadResult) => number) => (others.length > 0 ? figure(median(others.map(pick))) : '');
  return {
    Beside: BESIDE[beside],
    'Others, sends/s': of(({ quiet }) => quiet.perSecond),
    'p50 ms': of(({ quiet }) => quiet.p50),
    'p95 ms': of(({ quiet }) => quiet.p95),
    'Refused, %': of(({ quiet }) => refusedOf(quiet)),
    'Beside, sends/s': ofOthers(({ perSecond }) => perSecond),
    'its p95 ms': ofOthers(({ p95 }) => p95),
    'its refused, %': ofOthers(refusedOf),
    'table refused (last round)': runs.at(-1)?.refusals ?? '',
  };
};

/** Ten tenants side by side, one of which offers ten times its share: what the others notice. */
export const benchTenants = async (): Promise<Section> => {
  const cluster = await startCluster({ apis: PROCESSES, laws: { scale: SCALE, table: GROWN } });
  const runs: Record<Beside, Measured[]> = { alone: [], loud: [], even: [] };
  const order: readonly Beside[] = ['alone', 'loud', 'even'];
  try {
    const tenants = await mapConcurrently(Array.from({ length: QUIET + TIMES }), 1, () =>
      fundedOrganization(cluster.store.endpoint),
    );
    const keys = tenants.map(({ keys: { test } }) => test);
    const ports = await cluster.startOthers();
    // Each process reads what it caches, of every tenant.
    await loadOf(keys, ports, QUIET + TIMES);
    for (let round = 1; round <= ROUNDS; round++)
      for (const beside of order) {
        const run = await measure(cluster, ports, keys, beside);
        runs[beside].push(run);
        console.log(
          `tenants: round ${round}, beside ${BESIDE[beside]}: p95 ${figure(run.quiet.p95)} ms, ${JSON.stringify(run.quiet.statuses)}; beside ${figure(run.other?.perSecond ?? 0)}/s ${JSON.stringify(run.other?.statuses ?? {})}; ${run.refusals}`,
        );
      }
  } finally {
    await cluster.stop();
  }
  const p95 = (beside: Beside) => median(runs[beside].map(({ quiet }) => quiet.p95));
  const refused = Math.max(...runs.loud.map(({ quiet }) => refusedOf(quiet)));
  return {
    title: 'Ten tenants side by side',
    verdicts: [
      verdict(
        `p95 of the others beside one with ${TIMES} shares, relative to alone`,
        p95('loud') / p95('alone'),
        '≤',
        GOAL,
        '×',
      ),
      verdict("the others' sends that were refused meanwhile", refused, '<', 1, ' %'),
    ],
    text: `${HOW}\n\n${columns(order.map((beside) => rowOf(beside, runs[beside])))}`,
  };
};
