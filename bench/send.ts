import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_SENDS } from './live.ts';
import { floorOf, live, liveFloor } from './live-variants.ts';
import type { LoadResult } from './load.ts';
import { cpuMs, fundedOrganization, runLoadInThread, startFloor, startStackProcess, startStore } from './processes.ts';
import { ROUNDS } from './record.ts';
import { record } from './recording.ts';
import { columns, figure, median, type Section, type Verdict, verdict } from './report.ts';
import type { Plan, Variant } from './variant.ts';

const CONNECTIONS = [1, 16, 64];
export const WARM_MS = Number(process.env.WARM_MS ?? 4_000);
export const MEASURE_MS = Number(process.env.MEASURE_MS ?? 4_000);

/** Goals at 16 connections: p95 and throughput as ratios to the floor, and the processor time of a send, service and engine together. */
const GOAL = { connections: 16, p95: 1.5, throughput: 0.7, processorMs: 2.5 };

/** What an SMS gateway without ledger or durable store brought to its provider on the machine of 2026-11-23. */
const GATEWAY = { connections: 64, perSecond: 608 };

/** A POST with a new idempotency key each time. */
export const postPlan = (key: string, path: string, body: object): Plan => ({
  path,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'bench-{n}' },
  body: JSON.stringify(body),
});
export const sendPlan = (key: string, to: string, route: string): Plan =>
  postPlan(key, '/v2/sms/messages', { to, body: 'Your order is on its way.', route });

/** The service as `npm start` runs it, in its own process, on its own engine. */
export const stackVariant = (name: string, status: string, planOf: (key: string) => Plan): Variant => ({
  name,
  status,
  async start() {
    const store = await startStore();
    const running = await startStackProcess({ dataDir: join(store.folder), dynamodbEndpoint: store.endpoint });
    const { keys } = await fundedOrganization(store.endpoint);
    return {
      ...running,
      enginePid: store.pid,
      plan: planOf(keys.test),
      stop: () => running.stop().then(store.stop),
    };
  },
});

const stack = (name: string, to: string, route: string): Variant =>
  stackVariant(name, '201', (key) => sendPlan(key, to, route));

const floor = (name: string, outcome: boolean): Variant => ({
  name,
  status: '201',
  start: async () => ({ ...(await startFloor(outcome)), plan: { path: '/', headers: {}, body: '{}' } }),
});
const FLOOR = floor('floor', false);
const FLOOR_WITH_OUTCOME = floor('floor with outcome', true);
const [SILENT, DELIVERED] = ['+5511999990099', '+5511999990005'] as const;
const OTP = stack('otp', SILENT, 'otp');
const PREMIUM = stack('premium', SILENT, 'premium');
const OTP_WITH_OUTCOME = stack('otp with outcome', DELIVERED, 'otp');

/** A live send, at the route whose money is counted in bands. */
const LIVE = 'premium, live';

/** In the order of a round. */
const VARIANTS: readonly Variant[] = [OTP, FLOOR, PREMIUM, OTP_WITH_OUTCOME, FLOOR_WITH_OUTCOME];
/** Measured at the connections of the goals alone. */
const ONCE: ReadonlySet<Variant> = new Set([PREMIUM, OTP_WITH_OUTCOME, FLOOR_WITH_OUTCOME]);
/** The baseline of each variant; a floor with more calls of its own is an easier one, and shown beside them only. */
const BASELINE_OF: Readonly<Record<string, string>> = {
  [LIVE]: floorOf(LIVE),
  ...Object.fromEntries([OTP, PREMIUM, OTP_WITH_OUTCOME, FLOOR_WITH_OUTCOME].map(({ name }) => [name, FLOOR.name])),
};
const isMeasured = (variant: Variant, connections: number) => connections === GOAL.connections || !ONCE.has(variant);

/** A run's result, with the CPU time per send (ms) in the process that takes it and in its engine. */
export interface Run extends LoadResult {
  readonly cpu: number;
  readonly engineCpu: number;
}
export type Runs = Map<string, Run[]>;
const at = (variant: string, connections: number) => `${variant} ${connections}`;

export const measure = async (variant: Variant, connections: number): Promise<Run> => {
  const running = await variant.start();
  try {
    const timing = { warmMs: WARM_MS, measureMs: MEASURE_MS };
    const plan = { ...running.plan, ...timing, port: running.port, connections, method: 'POST' };
    const loading = runLoadInThread(plan);
    await pause(WARM_MS);
    const [before, engineBefore] = [cpuMs(running.pid), cpuMs(running.enginePid)];
    await pause(MEASURE_MS);
    const [used, engineUsed] = [cpuMs(running.pid) - before, cpuMs(running.enginePid) - engineBefore];
    const result = await loading;
    const wrong = Object.keys(result.statuses).filter((status) => status !== variant.status);
    if (wrong.length > 0) throw new Error(`${variant.name}: answers ${JSON.stringify(result.statuses)}`);
    const responses = (result.perSecond * MEASURE_MS) / 1000;
    return { ...result, cpu: used / responses, engineCpu: engineUsed / responses };
  } finally {
    await running.stop();
  }
};

/** Measures each variant in turn, at each count of connections; a new engine for every run, so that earlier writes have no effect. */
export const measureAll = async (
  section: string,
  variants: readonly Variant[],
  counts: readonly number[],
  measureOne: (variant: Variant, connections: number) => Promise<Run | undefined> = measure,
): Promise<Runs> => {
  const runs: Runs = new Map();
  for (let round = 1; round <= ROUNDS; round++)
    for (const connections of counts)
      for (const variant of variants) {
        const result = await measureOne(variant, connections);
        if (!result) continue;
        const name = at(variant.name, connections);
        runs.set(name, [...(runs.get(name) ?? []), result]);
        console.log(
          `${section}: round ${round}, ${variant.name} at ${connections}: ${figure(result.perSecond)}/s, p50 ${figure(result.p50)}, p95 ${figure(result.p95)}, p99 ${figure(result.p99)} ms, CPU ${figure(result.cpu)} ms, engine's ${figure(result.engineCpu)} ms`,
        );
      }
  return runs;
};

const FIGURES = ['perSecond', 'p50', 'p95', 'p99', 'cpu', 'engineCpu'] as const;
type Figures = Record<(typeof FIGURES)[number], number>;
/** 0 for what was not measured. */
export const medians = (runs: Runs, variant: string, connections: number): Figures => {
  const results = runs.get(at(variant, connections)) ?? [];
  return Object.fromEntries(FIGURES.map((name) => [name, median(results.map((each) => each[name]))])) as Figures;
};

const verdictsOf = (runs: Runs): Verdict[] => {
  const { connections } = GOAL;
  const otp = medians(runs, OTP.name, connections);
  const processor = `processor time of a send (${OTP.name}) at ${connections} connections, service and engine`;
  const beside = Object.entries(BASELINE_OF)
    .filter(([name]) => name !== FLOOR_WITH_OUTCOME.name)
    .flatMap(([name, baseline]): Verdict[] => {
      const floor = medians(runs, baseline, connections);
      const own = medians(runs, name, connections);
      const what = (of: string) => `${of} (${name}) at ${connections} connections, relative to the floor`;
      return [
        verdict(what('p95 of a send'), own.p95 / floor.p95, '≤', GOAL.p95, '×'),
        verdict(what('sends/s'), own.perSecond / floor.perSecond, '≥', GOAL.throughput, '×'),
      ];
    });
  const most = [OTP.name, LIVE].map((name): Verdict => {
    const { perSecond } = medians(runs, name, GATEWAY.connections);
    return verdict(`sends/s (${name}) at ${GATEWAY.connections} connections`, perSecond, '≥', GATEWAY.perSecond);
  });
  return [...beside, verdict(processor, otp.cpu + otp.engineCpu, '≤', GOAL.processorMs, ' ms'), ...most];
};

const HOW = `The local stack, run by \`npm start\` (gateway, authorizer, built functions, publisher and consumers in one process; persistent
Dynoxide in another), serves \`POST /v2/sms/messages\` over keep-alive connections, \`${LIVE}\` with live keys (64 in turn) and a provider's
stand-in that answers at once, the others with a test key. The live send's floor makes the calls of a recorded one, its provider's included (\`bench/replay-floor.ts\`, see the next section). The other floor (\`bench/floor.ts\`) is a bare HTTP
server that makes two transactions of the same shape to the same kind of engine and does nothing else. Runs alternate; each has an engine and a
process of its own, ${WARM_MS / 1000} s to warm up and ${MEASURE_MS / 1000} s that count; medians of ${ROUNDS} rounds
(\`ROUNDS\` and \`MEASURE_MS\` change that). \`otp\` and \`premium\` go to a recipient for which the sandbox reports no delivery: the send alone, with the same calls as the floor.
\`otp with outcome\` goes to one that is delivered 3 s later: its receipt and event are processed in the same process; deployed, other functions do that.
\`floor with outcome\` makes the same number of further calls after its response, seven in all, one by one and at once, where the service makes them in batches and later. CPU times hardly depend on other load of the machine; wall-clock times do.`;

/** How much the floor itself varied between rounds: the accuracy of the ratios. */
const steadiness = (runs: Runs): string => {
  const rates = (runs.get(at(FLOOR.name, GOAL.connections)) ?? []).map(({ perSecond }) => perSecond);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  return `At ${GOAL.connections} connections the floor itself made ${figure(least)} to ${figure(most)} sends/s from round to round.`;
};

/** Sends per second and their latency, beside the floor. */
export const benchSend = async (): Promise<Section> => {
  const sms = { ...LIVE_SENDS.sms, channel: 'sms' } as const;
  const recording = (await record({ sms })).get('sms');
  if (!recording) throw new Error('no live send was recorded');
  const variants = [live(LIVE, sms), liveFloor(LIVE, 'sms', recording), ...VARIANTS];
  const runs = await measureAll('send', variants, CONNECTIONS, async (variant, connections) =>
    isMeasured(variant, connections) ? measure(variant, connections) : undefined,
  );
  const rows = CONNECTIONS.flatMap((connections) =>
    variants
      .filter((variant) => isMeasured(variant, connections))
      .map(({ name }) => {
        const own = medians(runs, name, connections);
        const { [name]: baseline } = BASELINE_OF;
        const floor = baseline === undefined ? undefined : medians(runs, baseline, connections);
        return {
          Connections: connections,
          What: name,
          'Throughput ÷ floor': floor ? figure(own.perSecond / floor.perSecond) : '1',
          'p95 ÷ floor': floor ? figure(own.p95 / floor.p95) : '1',
          'Sends/s': figure(own.perSecond),
          'p50 ms': figure(own.p50),
          'p95 ms': figure(own.p95),
          'p99 ms': figure(own.p99),
          'CPU ms a send': figure(own.cpu),
          'Engine CPU ms': figure(own.engineCpu),
        };
      }),
  );
  return {
    title: 'A send',
    verdicts: verdictsOf(runs),
    text: `${HOW}\n\n${steadiness(runs)}\n\n${columns(rows)}`,
  };
};
