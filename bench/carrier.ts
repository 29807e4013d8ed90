import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CARRIER_PATHS, carrierResult, signCarrierBody } from '../shared/domain/smpp/carrier.ts';
import { smppCarrierSettings } from '../shared/providers/sms/smpp-carrier.ts';
import type { LoadResult } from './load.ts';
import { cpuMs, ended } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';
import { responseCounter } from './response-counter.ts';
import { bindAll, startSmppFloor, submitLoad, TEXT, unbindAll, WINDOW } from './smpp-clients.ts';

const BINDS = [1, 4] as const;
/** Goal: messages a second through the most binds. Carriers sell binds of some ten to some hundred. */
const GOAL = 1_000;
const MEASURE_MS = Number(process.env.MEASURE_MS ?? 2_000);
const WARM_MS = Number(process.env.WARM_MS ?? 1_000);
const RECIPIENT = '5511987654321';
const KEY = 'a key that both sides of a bench have';
/** Longer than anything waits here. */
const WAIT_MS = 8_000;

const WAYS = ['SMPP service', 'bare client'] as const;
type Way = (typeof WAYS)[number];
interface Run extends LoadResult {
  /** CPU time of a message in the process that submits it (ms). */
  readonly cpu: number;
}

/** The SMPP service with that many binds to a carrier, which bounds nothing. */
const startCarrierService = async (carrierPort: number, binds: number) => {
  const child = fork(join(import.meta.dirname, 'carrier-process.ts'));
  const given = { host: '127.0.0.1', port: carrierPort, systemId: 'bench', password: 'bench', from: '28000' };
  const limits = { binds, window: WINDOW, throughput: 10_000, serviceKey: KEY, serviceUrl: 'http://127.0.0.1:1' };
  child.send(smppCarrierSettings.parse({ ...given, ...limits }));
  const [port] = (await once(child, 'message')) as [number];
  return { port, pid: child.pid ?? 0, stop: () => ended(child) };
};

let messages = 0;
/** Posts a message as the adapter does; what became of it. */
const post = async (agent: Agent, port: number): Promise<string> => {
  const message = { messageId: `msg_${messages++}`, to: `+${RECIPIENT}`, from: '28000', text: TEXT, waitMs: WAIT_MS };
  const body = JSON.stringify(message);
  const headers = { ...signCarrierBody(KEY, 'submit', body, Date.now()), 'content-length': Buffer.byteLength(body) };
  const outgoing = request({ agent, port, host: '127.0.0.1', path: CARRIER_PATHS.submit, method: 'POST', headers });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return carrierResult.parse(JSON.parse(await text(response))).kind;
};

/** Keeps as many messages on their way as all windows take. */
const postLoad = async (port: number, inFlight: number, measureMs: number): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const counter = responseCounter({ warmMs: 0, measureMs });
  const loop = async () => {
    while (!counter.isOver()) {
      const startedAt = performance.now();
      counter.note(await post(agent, port), performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  agent.destroy();
  return { ...counter.result(), trace: [] };
};

const timed = async (pid: number, load: () => Promise<LoadResult>): Promise<Run> => {
  const before = cpuMs(pid);
  const result = await load();
  const cpu = (cpuMs(pid) - before) / result.requests;
  return { ...result, perSecond: (result.requests * 1000) / result.lastMs, cpu };
};

const throughService = async (carrierPort: number, binds: number, measureMs: number): Promise<Run> => {
  const service = await startCarrierService(carrierPort, binds);
  try {
    await postLoad(service.port, binds * WINDOW, WARM_MS);
    return await timed(service.pid, () => postLoad(service.port, binds * WINDOW, measureMs));
  } finally {
    await service.stop();
  }
};

const bare = async (carrierPort: number, binds: number, measureMs: number): Promise<Run> => {
  const clients = await bindAll(carrierPort, Array(binds).fill({ systemId: 'bench', password: 'bench' }));
  try {
    await submitLoad(clients, RECIPIENT, { warmMs: 0, measureMs: WARM_MS });
    return await timed(process.pid, () => submitLoad(clients, RECIPIENT, { warmMs: 0, measureMs }));
  } finally {
    await unbindAll(clients);
  }
};

const RUN = { 'SMPP service': throughService, 'bare client': bare } satisfies Record<Way, typeof bare>;
const EXPECTED: Readonly<Record<Way, string>> = { 'SMPP service': 'accepted', 'bare client': 'ESME_ROK' };
type Round = ReadonlyMap<string, Run>;
const at = (way: Way, binds: number) => `${way} ${binds}`;

const measureRound = async (round: number): Promise<Round> => {
  const carrier = await startSmppFloor();
  const runs = new Map<string, Run>();
  try {
    for (const binds of BINDS)
      for (const way of round % 2 === 0 ? WAYS.toReversed() : WAYS) {
        const result = await RUN[way](carrier.port, binds, MEASURE_MS);
        if (Object.keys(result.statuses).join() !== EXPECTED[way])
          throw new Error(`${way}: answers ${JSON.stringify(result.statuses)}`);
        runs.set(at(way, binds), result);
        const { perSecond, p50, p95, cpu } = result;
        console.log(
          `carrier: round ${round}, ${way}, ${binds} binds: ${figure(perSecond)}/s, p50 ${figure(p50)}, p95 ${figure(p95)} ms, CPU ${figure(cpu)} ms`,
        );
      }
    return runs;
  } finally {
    await carrier.stop();
  }
};

const FIGURES = { perSecond: 'A second', p50: 'p50 ms', p95: 'p95 ms', cpu: 'CPU ms each' } as const;
const medianOf = (rounds: readonly Round[], way: Way, binds: number, name: keyof typeof FIGURES): number =>
  median(rounds.map((runs) => runs.get(at(way, binds))?.[name] ?? Number.NaN));

const rowsOf = (rounds: readonly Round[]) =>
  BINDS.flatMap((binds) =>
    WAYS.map((way) => ({
      Binds: binds,
      What: way,
      ...Object.fromEntries(
        Object.entries(FIGURES).map(([name, head]) => [
          head,
          figure(medianOf(rounds, way, binds, name as keyof typeof FIGURES)),
        ]),
      ),
    })),
  );

const HOW = `Messages to a carrier over SMPP (“${TEXT}”), through binds with a window of ${WINDOW} each. The SMPP service takes each by one signed HTTP request, as the adapter posts it, over as many keep-alive connections as all windows take, and answers it once the
carrier has; its process has no table. The bare client submits the same from the bench's process by the session alone, and waits for each response. The carrier is a bare server in a process of its own, which answers with the codec and the session, and does nothing else.
Each way warms up for ${WARM_MS / 1000} s and is measured for ${MEASURE_MS / 1000} s and until all that is on its way is answered, in the other order in the next round. Medians of ${ROUNDS} rounds; CPU is that of the process that submits.`;

/** Messages through the carrier's side of the SMPP service, beside a client that does nothing else. */
export const benchCarrier = async (): Promise<Section> => {
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) rounds.push(await measureRound(round));
  const binds = Math.max(...BINDS);
  const measured = medianOf(rounds, 'SMPP service', binds, 'perSecond');
  return {
    title: 'A carrier over SMPP',
    verdicts: [verdict(`messages/s to a carrier over ${binds} binds`, measured, '≥', GOAL, '/s')],
    text: [HOW, columns(rowsOf(rounds))].join('\n\n'),
  };
};
