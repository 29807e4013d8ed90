import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import type { Client } from '../test/support/api.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { measureParts, PARTS, partsTable } from './delivery-parts.ts';
import { type Receiver, startReceiver, until, untilReceived } from './delivery-receiver.ts';
import { rowsPerSecond } from './delivery-rows.ts';
import { cpuMs, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { figure, median, type Section, verdict } from './report.ts';
import { table } from './table.ts';

const FLOOR_MS = 4_000;
/** Connections of the floor. */
const CONCURRENCY = 32;
/** Concurrent requests that raise events. */
const CALLERS = 8;
const WARM_EVENTS = 50;
const BURSTS = [
  { endpoints: 10, events: 200 },
  { endpoints: 1, events: 400 },
] as const;
/** Events without subscriptions. */
const RAISED = 400;
const LATENCY_CALLS = { contacts: 100, sends: 20 };
const COUNTED = { endpoints: 10, events: 50 };
const DELIVERED = '+5511999990005';
const GOAL = 0.5;
/** Goal of a delivery. */
const WRITE_UNITS = 10;
const QUIET_MS = 1_500;

/** Signed posts per second of a bare process. */
const floorOnce = async (receiver: Receiver): Promise<number> => {
  receiver.count(false);
  const args = [receiver.url, String(CONCURRENCY), String(FLOOR_MS)];
  const child = fork(join(import.meta.dirname, 'delivery-floor.ts'), args);
  const [perSecond] = (await once(child, 'message')) as [number];
  await once(child, 'exit');
  receiver.count(true);
  return perSecond;
};

const created = async (client: Client, path: string, body: unknown): Promise<string> => {
  const answer = await client.post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body.id;
};
const subscribe = async (client: Client, receiver: Receiver, count: number): Promise<void> => {
  for (let at = 0; at < count; at++) {
    const url = `${receiver.url}/${at}`;
    await created(client, '/webhooks', { url, events: ['contact.created', 'sms.delivered'] });
  }
};

let phones = 0;
const createContact = (client: Client) => {
  phones += 1;
  return created(client, '/contacts', { phone: `+551198${String(phones).padStart(7, '0')}` });
};
const raise = (client: Client, events: number) =>
  mapConcurrently(Array.from({ length: events }), CALLERS, () => createContact(client));

/** Runs the service as `npm start` does, with a new organization on its own engine. */
const withService = async <T>(
  work: (client: Client, pids: Pids, proxy: CountingProxy) => Promise<T>,
  counted = false,
): Promise<T> => {
  const { client, running, store, proxy, stop } = await startService({ counted, env: { DISPATCH_SECONDS: '60000' } });
  try {
    return await work(client, { own: running.pid, engine: store.pid }, proxy);
  } finally {
    await stop();
  }
};

interface Pids {
  readonly own: number;
  readonly engine: number;
}
interface Burst {
  readonly perSecond: number;
  /** CPU time per delivery in the service's process and in its engine, in ms, including raising the event. */
  readonly cpu: number;
  readonly engineCpu: number;
}

const usedBy = (pids: Pids): Pids => ({ own: cpuMs(pids.own), engine: cpuMs(pids.engine) });
const usedSince = (before: Pids, pids: Pids, count: number) => {
  const { own, engine } = usedBy(pids);
  return { cpu: (own - before.own) / count, engineCpu: (engine - before.engine) / count };
};

/** Deliveries per second, from the first event's request to the last receipt. */
const burstOnce = (receiver: Receiver, endpoints: number, events: number): Promise<Burst> =>
  withService(async (client, pids) => {
    receiver.receipts.length = 0;
    await subscribe(client, receiver, endpoints);
    await raise(client, WARM_EVENTS);
    await untilReceived(receiver, WARM_EVENTS * endpoints);
    receiver.receipts.length = 0;
    const before = usedBy(pids);
    const startedAt = performance.now();
    await raise(client, events);
    const deliveries = events * endpoints;
    await untilReceived(receiver, deliveries);
    const seconds = ((receiver.receipts.at(-1)?.at ?? 0) - startedAt) / 1000;
    return { perSecond: deliveries / seconds, ...usedSince(before, pids, deliveries) };
  });

/** The same without subscriptions: events per second and their CPU time in ms. What raising the events takes of a burst. */
const raisedAlone = (): Promise<Burst> =>
  withService(async (client, pids) => {
    await raise(client, WARM_EVENTS);
    await pause(QUIET_MS);
    const before = usedBy(pids);
    const startedAt = performance.now();
    await raise(client, RAISED);
    const perSecond = (RAISED * 1000) / (performance.now() - startedAt);
    await pause(QUIET_MS);
    return { perSecond, ...usedSince(before, pids, RAISED) };
  });

/** Ms from a call's response to the receipt of its event; calls in sequence. */
const waitsOf = async (receiver: Receiver, calls: number, call: () => Promise<string>): Promise<number[]> => {
  const waits: number[] = [];
  for (let at = 0; at < calls; at++) {
    receiver.receipts.length = 0;
    const subject = await call();
    const answeredAt = performance.now();
    const receipt = () => receiver.receipts.find((each) => each.subject === subject);
    await until(
      () => receipt() !== undefined,
      () => `the event of ${subject} did not arrive`,
    );
    waits.push((receipt()?.at ?? Number.NaN) - answeredAt);
  }
  return waits.sort((a, b) => a - b);
};

const timesAlone = (receiver: Receiver) =>
  withService(async (client) => {
    await subscribe(client, receiver, 1);
    receiver.receipts.length = 0;
    await raise(client, WARM_EVENTS);
    await untilReceived(receiver, WARM_EVENTS);
    const contacts = await waitsOf(receiver, LATENCY_CALLS.contacts, () => createContact(client));
    const sends = await waitsOf(
      receiver,
      LATENCY_CALLS.sends,
      async () => (await client.send({ to: DELIVERED })).body.id,
    );
    return { contacts, sends };
  });

/** Table usage per delivery, beyond that of the same events without subscriptions. */
const countDeliveries = (receiver: Receiver) =>
  withService(async (client, _, proxy) => {
    const counted = async () => {
      proxy.reset();
      await raise(client, COUNTED.events);
      for (let seen = -1; seen !== proxy.taken().trips; await pause(QUIET_MS)) seen = proxy.taken().trips;
      const { trips, writeUnits, readUnits } = proxy.taken();
      return [writeUnits, readUnits, trips];
    };
    await counted();
    const without = await counted();
    await subscribe(client, receiver, COUNTED.endpoints);
    await counted();
    const subscribed = await counted();
    const deliveries = COUNTED.endpoints * COUNTED.events;
    return subscribed.map((value, at) => (value - (without[at] ?? 0)) / deliveries);
  }, true);

const measure = async (receiver: Receiver) => {
  const floors: number[] = [];
  const bursts = BURSTS.map((burst) => ({ ...burst, runs: [] as Burst[] }));
  for (let round = 1; round <= ROUNDS; round++) {
    floors.push(await floorOnce(receiver));
    console.log(`deliveries: round ${round}, floor: ${figure(floors.at(-1) ?? 0)}/s`);
    for (const { endpoints, events, runs } of bursts) {
      runs.push(await burstOnce(receiver, endpoints, events));
      const { perSecond, cpu } = runs.at(-1) as Burst;
      console.log(`deliveries: round ${round}, to ${endpoints}: ${figure(perSecond)}/s, CPU ${figure(cpu)} ms`);
    }
  }
  const rows: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) rows.push(await rowsPerSecond());
  const raised = await raisedAlone();
  const parts = await measureParts();
  return {
    floors,
    rows,
    bursts,
    raised,
    parts,
    alone: await timesAlone(receiver),
    units: await countDeliveries(receiver),
  };
};

const at = (sorted: readonly number[], share: number) =>
  figure(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);

const HOW = `The local stack, run by \`npm start\`, serves \`POST /contacts\` from ${CALLERS} callers, each of which raises an event for every
subscription of its organization, and delivers them to one server that answers 200 at once over keep-alive connections. Deliveries are counted from the first
event's request to the last receipt, so that creating the contacts, assigning sequence numbers, the queues and the record of each attempt are included.
The floor (\`bench/delivery-floor.ts\`) is one Node process that signs bodies of the same size and posts them to the same server over ${CONCURRENCY} keep-alive connections, and does nothing else.
Rows alone (\`bench/delivery-rows.ts\`) are the upper bound of any service with a row per delivery in this engine: the row put and updated once, 100 per transaction, and nothing else.
Runs alternate; each has an engine and a process of its own; medians of ${ROUNDS} rounds. With one endpoint each delivery needs an event of its own: that row is bounded by the events that the API accepts.`;

type Results = Awaited<ReturnType<typeof measure>>;

/** The CPU time of a delivery by part, with the first burst as the whole. */
const partsOf = ({ floors, bursts: [burst], raised, parts }: Results): string => {
  const { runs = [], endpoints = 1 } = burst ?? {};
  const whole = { own: median(runs.map(({ cpu }) => cpu)), engine: median(runs.map((run) => run.engineCpu)) };
  const share = { own: raised.cpu / endpoints, engine: raised.engineCpu / endpoints };
  const known = [
    { what: 'the signed post, as in the floor', own: 1000 / median(floors), engine: 0 },
    { what: `its share of raising the event, among ${endpoints}`, ...share },
    ...parts,
  ];
  return partsTable(known, { what: `all, measured with ${endpoints} endpoints`, ...whole });
};

const textOf = (results: Results): string => {
  const { floors, bursts, raised, alone, units } = results;
  const floor = median(floors);
  const rowsAlone = median(results.rows);
  const rows = bursts.map(({ endpoints, runs }) => {
    const of = (pick: (run: Burst) => number) => median(runs.map(pick));
    const perSecond = of((run) => run.perSecond);
    return [
      `local stack, ${endpoints} endpoint${endpoints === 1 ? '' : 's'}`,
      figure(perSecond / floor),
      figure(perSecond),
      figure(of((run) => run.cpu)),
      figure(of((run) => run.engineCpu)),
    ];
  });
  const rates = table(
    ['What', '÷ floor', 'Deliveries/s', 'CPU ms a delivery', 'Engine CPU ms'],
    [
      ['floor', '1', figure(floor), '', ''],
      ['rows alone', figure(rowsAlone / floor), figure(rowsAlone), '', ''],
      ...rows,
      ['events alone, without endpoints', '', figure(raised.perSecond), figure(raised.cpu), figure(raised.engineCpu)],
    ],
  );
  const times = table(
    ['From the answer to the receipt, one at a time', 'p50 ms', 'p95 ms'],
    [
      ['`POST /contacts` to contact.created', at(alone.contacts, 0.5), at(alone.contacts, 0.95)],
      [
        "`POST /v2/sms/messages` to sms.delivered, the sandbox's 3 s included",
        at(alone.sends, 0.5),
        at(alone.sends, 0.95),
      ],
    ],
  );
  const [writeUnits = 0, readUnits = 0, trips = 0] = units;
  const cost = table(
    ['Of a million deliveries, in millions', 'Write units', 'Read units', 'Round trips'],
    [['above the same events without subscriptions', figure(writeUnits), figure(readUnits), figure(trips)]],
  );
  const counted = `Request units are those of the embedded engine, by a proxy that adds \`ReturnConsumedCapacity\` to each call: ${COUNTED.events} events to ${COUNTED.endpoints} endpoints, less the same without endpoints.`;
  return [HOW, rates, PARTS, partsOf(results), times, counted, cost].join('\n\n');
};

/** Webhook deliveries per second beside the floor, their latency, and their table usage. */
export const benchDeliveries = async (): Promise<Section> => {
  const receiver = await startReceiver();
  try {
    const results = await measure(receiver);
    const ten = results.bursts[0]?.runs ?? [];
    const ratio = median(ten.map(({ perSecond }) => perSecond)) / median(results.floors);
    const what = `deliveries/s to ${BURSTS[0].endpoints} endpoints, relative to signed posts alone`;
    const [writeUnits = Number.NaN] = results.units;
    const verdicts = [
      verdict(what, ratio, '≥', GOAL, '×'),
      verdict('write units of a delivery', writeUnits, '≤', WRITE_UNITS),
    ];
    return { title: 'A delivery', verdicts, text: textOf(results) };
  } finally {
    await receiver.close();
  }
};
