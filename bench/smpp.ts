import type { SmppCredentials } from '../test/support/smpp-client.ts';
import type { LoadResult } from './load.ts';
import { cpuMs, type Measured, runLoadInThread } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';
import { type Run, sendPlan } from './send.ts';
import {
  bindAll,
  newAccount,
  startSmppFloor,
  startSmppService,
  submitLoad,
  TEXT,
  unbindAll,
  WINDOW,
} from './smpp-clients.ts';
import { ENQUIRE_MS, type Idle, measureIdle } from './smpp-idle.ts';
import { type Delivered, deliverReports, REPORTS } from './smpp-reports.ts';

const BINDS = [1, 20] as const;
/** Goal: submits over many binds, relative to HTTP sends with as many messages in flight. */
const GOAL = { binds: 20, ratio: 1.3 };
/** How long each load goes on (ms) before what is in flight is waited for; and the one that warms up. */
const MEASURE_MS = Number(process.env.MEASURE_MS ?? 2_000);
const WARM_MS = Number(process.env.WARM_MS ?? 1_000);
/** A recipient for which the sandbox reports nothing: the submit alone. */
const SILENT = '5511999990099';

const WAYS = ['SMPP', 'HTTP', 'bare SMPP server'] as const;
type Way = (typeof WAYS)[number];
type Server = Pick<Measured, 'enginePid' | 'pid' | 'port'>;

/**
 * A load from its first request until all in flight is answered, with CPU times. Hundreds of requests that begin at once end at once: the rate within
 * a fixed time would depend on where in such a wave it ends.
 */
const whole = async ({ pid, enginePid }: Server, load: () => Promise<LoadResult>): Promise<Run> => {
  const [before, engineBefore] = [cpuMs(pid), cpuMs(enginePid)];
  const result = await load();
  const each = (used: number) => used / result.requests;
  const perSecond = (result.requests * 1000) / result.lastMs;
  return { ...result, perSecond, cpu: each(cpuMs(pid) - before), engineCpu: each(cpuMs(enginePid) - engineBefore) };
};

const overSmpp = async (server: Server, account: SmppCredentials, binds: number, measureMs: number): Promise<Run> => {
  const clients = await bindAll(server.port, Array(binds).fill(account));
  try {
    return await whole(server, () => submitLoad(clients, SILENT, { warmMs: 0, measureMs }));
  } finally {
    await unbindAll(clients);
  }
};

const overHttp = (server: Server, key: string, connections: number, measureMs: number): Promise<Run> => {
  const { port } = server;
  const plan = { ...sendPlan(key, `+${SILENT}`, 'premium'), warmMs: 0, measureMs, port, connections, method: 'POST' };
  return whole(server, () => runLoadInThread(plan));
};

/** The ways to measure in a round, each with the status that it must answer. */
const waysOf = (service: Awaited<ReturnType<typeof startSmppService>>, account: SmppCredentials, floor: Server) => {
  const pids = { pid: service.running.pid, enginePid: service.store.pid };
  const smpp = { ...pids, port: service.smppPort };
  const http = { ...pids, port: service.running.port };
  return {
    SMPP: { status: 'ESME_ROK', run: (binds, ms) => overSmpp(smpp, account, binds, ms) },
    HTTP: { status: '201', run: (binds, ms) => overHttp(http, service.keys.test, binds * WINDOW, ms) },
    'bare SMPP server': { status: 'ESME_ROK', run: (binds, ms) => overSmpp(floor, account, binds, ms / 3) },
  } satisfies Record<Way, { readonly status: string; readonly run: (binds: number, ms: number) => Promise<Run> }>;
};

interface Round {
  /** By way and binds. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly reports: Delivered;
}
const at = (way: Way, binds: number) => `${way} ${binds}`;

const checked = (what: string, status: string, result: LoadResult): void => {
  const isRight = result.requests > 0 && Object.keys(result.statuses).every((each) => each === status);
  if (!isRight) throw new Error(`${what}: answers ${JSON.stringify(result.statuses)}`);
};

/** One service, to which each way sends in turn, the next round in the other order. */
const measureRound = async (round: number): Promise<Round> => {
  const floor = await startSmppFloor();
  const service = await startSmppService();
  try {
    const account = await newAccount(service, Math.max(...BINDS));
    const ways = waysOf(service, account, floor);
    const order = round % 2 === 0 ? WAYS.toReversed() : WAYS;
    const runs = new Map<string, Run>();
    for (const way of order) await ways[way].run(1, WARM_MS);
    for (const binds of BINDS)
      for (const way of order) {
        const result = await ways[way].run(binds, MEASURE_MS);
        checked(way, ways[way].status, result);
        runs.set(at(way, binds), result);
        const { perSecond, p50, p95, cpu, engineCpu } = result;
        console.log(
          `smpp: round ${round}, ${way}, ${binds * WINDOW} in flight: ${figure(perSecond)}/s, p50 ${figure(p50)}, p95 ${figure(p95)} ms, CPU ${figure(cpu)} ms, engine's ${figure(engineCpu)} ms`,
        );
      }
    const reports = await deliverReports(service, service.smppPort);
    console.log(`smpp: round ${round}, reports: ${figure(reports.perSecond)}/s, CPU ${figure(reports.cpu)} ms`);
    return { runs, reports };
  } finally {
    await service.stop();
    await floor.stop();
  }
};

const FIGURES = { perSecond: 'A second', p50: 'p50 ms', p95: 'p95 ms', cpu: 'CPU ms each', engineCpu: 'Engine CPU ms' };
const medianOf = (rounds: readonly Round[], way: Way, binds: number, name: keyof typeof FIGURES): number =>
  median(rounds.map(({ runs }) => runs.get(at(way, binds))?.[name] ?? Number.NaN));
/** Within each round, since rounds differ by what else the machine does. */
const ratioToHttp = (rounds: readonly Round[], binds: number): number =>
  median(
    rounds.map(({ runs }) => {
      const [smpp, http] = [runs.get(at('SMPP', binds)), runs.get(at('HTTP', binds))];
      return (smpp?.perSecond ?? Number.NaN) / (http?.perSecond ?? Number.NaN);
    }),
  );

const rowsOf = (rounds: readonly Round[]) =>
  BINDS.flatMap((binds) =>
    WAYS.map((way) => ({
      'In flight': binds * WINDOW,
      What: way === 'HTTP' ? `HTTP, ${binds * WINDOW} connections` : `${way}, ${binds} bind${binds > 1 ? 's' : ''}`,
      'Throughput ÷ HTTP': way === 'SMPP' ? figure(ratioToHttp(rounds, binds)) : way === 'HTTP' ? '1' : '',
      ...Object.fromEntries(
        Object.entries(FIGURES).map(([name, head]) => [
          head,
          figure(medianOf(rounds, way, binds, name as keyof typeof FIGURES)),
        ]),
      ),
    })),
  );

const HOW = `The local stack, run by \`npm start\`, takes the same SMS (“${TEXT}”, route premium, test) as submit_sm of one account, whose binds keep their windows of ${WINDOW} full, and as \`POST /v2/sms/messages\` over as many
keep-alive connections as there are messages in flight; to a recipient of whom the sandbox reports nothing. Each HTTP send has an idempotency key of its own, a submit_sm none. The bare server answers with the codec and the session of the service, and does
nothing else. Clients of SMPP use that session, too, in the bench's process; HTTP's load is raw sockets in a thread, which takes less of the machine. All ways send to one service in turn, in the other order in the next round,
after ${WARM_MS / 1000} s of each to warm up: for ${MEASURE_MS / 1000} s, and until all that is in flight is answered (to the bare server a third of that). A new engine and process for each of ${ROUNDS} rounds, whose medians are shown.`;

const reportsText = (rounds: readonly Round[]): string => {
  const of = (name: keyof Delivered) => figure(median(rounds.map(({ reports }) => reports[name])));
  return `**Reports.** ${figure(REPORTS)} messages are submitted with registered_delivery 1 and delivered by the sandbox. Once a report of each waits, the account binds a transceiver, which acknowledges each deliver_sm at once: **${of('perSecond')} reports a second** from before
its bind until it has acknowledged the last, each once; CPU ${of('cpu')} ms a report, the engine's ${of('engineCpu')} ms.`;
};

const MEGABYTE = 2 ** 20;
const idleText = ({ binds, accounts, seconds, bindsPerSecond, before, after, cpu, engineCpu }: Idle): string =>
  `**Idle binds.** ${figure(binds)} transceivers of ${accounts} accounts, of which each sends enquire_link after ${ENQUIRE_MS / 1000} s of silence, measured once: ${figure((after - before) / MEGABYTE)} MB more resident memory of the service's process (${figure(before / MEGABYTE)} MB before, after some binds that ended),
**${figure((after - before) / 1024 / binds)} KB a bind**; **${figure(cpu)} % of one processor**, and ${figure(engineCpu)} % for the engine, over ${figure(seconds)} s, in which each bind is kept once and each account is looked at once a second, as it is in the first minute. They bound ${figure(bindsPerSecond)} a second.`;

/** Submits over SMPP beside HTTP, reports over SMPP, and what idle binds take. */
export const benchSmpp = async (): Promise<Section> => {
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) rounds.push(await measureRound(round));
  const idle = await measureIdle();
  console.log('smpp: idle', idle);
  const { binds, ratio } = GOAL;
  const what = `submits/s over ${binds} binds, relative to HTTP sends/s, each with ${binds * WINDOW} messages in flight`;
  return {
    title: 'SMPP',
    verdicts: [verdict(what, ratioToHttp(rounds, binds), '≥', ratio, '×')],
    text: [HOW, columns(rowsOf(rounds)), reportsText(rounds), idleText(idle)].join('\n\n'),
  };
};
