import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../shared/domain/ids.ts';
import { registered } from '../shared/domain/push/device.ts';
import { PUSH_PLATFORMS } from '../shared/domain/push/transport.ts';
import { pushDeviceRow } from '../shared/storage/push-devices.ts';
import type { Row, Table } from '../shared/storage/table.ts';
import { apiClient, type Client } from '../test/support/api.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { cpuMs, fundedOrganization, startPlatformProcess, startStore, tablesAt } from './processes.ts';
import { circumstances, figure, loadNow, median, type Section, table } from './report.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const DEVICES = Number(process.env.PUSH_DEVICES ?? 100_000);
/** Devices whose units are counted: few, since every call is written down. */
const COUNTED = 2_000;
/** A function answers within this time, in s, and has this memory, in MB. */
const GOAL = { seconds: 28, megabytes: 1769 };
const LOOK_MS = 100;
/** Devices that are written together when the audience is laid out. */
const TOGETHER = 2_500;

const message = { title: 'Seu pedido saiu', body: 'Chega hoje.', platforms: PUSH_PLATFORMS };

/** Lays out an audience straight in the table: registering is not what is measured. */
const layOut = async (store: Table, organizationId: string, appId: string, count: number): Promise<void> => {
  const tenant = { organizationId: organizationId as Id<'organization'>, env: 'test' } as const;
  for (let from = 0; from < count; from += TOGETHER) {
    const rows = Array.from({ length: Math.min(TOGETHER, count - from) }, (_, at) => {
      const platform = PUSH_PLATFORMS[(from + at) % PUSH_PLATFORMS.length] ?? 'ios';
      // As long as the tokens of FCM are.
      const token = `${String(from + at).padStart(12, '0')}${'t'.repeat(146)}0005`;
      return pushDeviceRow(registered(tenant, undefined, { appId, token, platform }, Date.now())) as Row;
    });
    await store.putMany(rows);
  }
};

/** The most memory that a process ever held, in MB. NaN where the system does not tell. */
const peakMegabytes = (pid: number): number => {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? Number.NaN) / 1024;
  } catch {
    return Number.NaN;
  }
};

/** Sends to all; where the time of one answer does not suffice, the same request goes on, as its caller would. */
const send = async (client: Client, count: number): Promise<{ readonly id: string; readonly answers: number }> => {
  const headers = { 'idempotency-key': randomUUID() };
  for (let answers = 1; ; answers++) {
    const answer = await client.post('/v2/push/messages', message, headers);
    const { status, body, text } = answer;
    if (status === 201 && body.metrics.reach === count) return { id: body.id, answers };
    if (status !== 503 && status !== 409) throw new Error(`a push send was answered ${status}: ${text}`);
    await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
  }
};

const untilSent = async (client: Client, id: string, count: number): Promise<void> => {
  for (;;) {
    const { body } = await client.get(`/v2/push/messages/${id}`);
    if (body.status === 'sent' && body.metrics.delivered === count) return;
    await pause(LOOK_MS);
  }
};

interface Run {
  /** Until the answer, in s. */
  readonly queued: number;
  /** The platform's processor time until then, in s: what others do on the machine does not add to it. */
  readonly cpu: number;
  /** Devices a second, until the last was resolved. */
  readonly sent: number;
  readonly idleMegabytes: number;
  readonly megabytes: number;
  readonly trips: number;
  /** Answers until all was queued: one where the table is fast enough. */
  readonly answers: number;
}

/** One send to an audience of an engine and a process of its own. */
const run = async (count: number, counted: boolean): Promise<Run> => {
  const store = await startStore();
  const proxy = counted ? await startCountingProxy(store.endpoint) : undefined;
  const running = await startPlatformProcess({
    dataDir: store.folder,
    dynamodbEndpoint: proxy?.endpoint ?? store.endpoint,
  });
  try {
    const { keys, organizationId } = await fundedOrganization(store.endpoint);
    const client = apiClient(`http://127.0.0.1:${running.port}`, keys.test);
    const { body: app } = await client.post('/v2/push/apps', { name: 'Bench' });
    await layOut(tablesAt(store.endpoint).test, organizationId, app.id, count);
    await client.post('/v2/push/preview', { platforms: PUSH_PLATFORMS });
    const idleMegabytes = peakMegabytes(running.pid);
    proxy?.reset();
    const cpuBefore = cpuMs(running.pid);
    const startedAt = performance.now();
    const { id, answers } = await send(client, count);
    const queued = (performance.now() - startedAt) / 1000;
    const megabytes = peakMegabytes(running.pid);
    const cpu = (cpuMs(running.pid) - cpuBefore) / 1000;
    await untilSent(client, id, count);
    const sent = count / ((performance.now() - startedAt) / 1000);
    return { queued, cpu, sent, idleMegabytes, megabytes, trips: proxy?.taken().trips ?? 0, answers };
  } finally {
    await running.stop();
    await proxy?.close();
    await store.stop();
  }
};

const HOW = `The local platform as \`npm start\` runs it takes one \`POST /v2/push/messages\` to every opted-in device of the sandbox, laid out in the table
beforehand. Queued is until the answer: by then each device has its row, and the price of all is held. Sent is until the last device is resolved, over the
whole time from the request; the sandbox answers at once, so it is the pace of the rows alone. The platform does all of it in one process, the engine in
another; memory is the most that the platform's process held until the answer, with all of its functions in it. Medians of ${ROUNDS} rounds.`;

/** One push message to a large audience: seconds until it is queued, memory, and the pace of its devices. */
export const benchPush = async (): Promise<Section> => {
  const loadBefore = loadNow();
  const runs: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await run(DEVICES, false));
  const trips = (await run(COUNTED, true)).trips / COUNTED;
  const of = (name: keyof Run) => median(runs.map((each) => each[name]));
  const devices = DEVICES.toLocaleString('en-US');
  const head = [
    'Devices',
    'Queued, s',
    'Of it processor, s',
    'Queued/s',
    'Sent/s',
    'Memory before, MB',
    'Memory, MB',
    'Round trips a device',
  ];
  const row = [
    devices,
    of('answers'),
    figure(of('queued')),
    figure(of('cpu')),
    figure(DEVICES / of('queued')),
    figure(of('sent')),
    figure(of('idleMegabytes')),
    figure(of('megabytes')),
    figure(trips),
  ];
  return {
    title: 'Push sends',
    verdicts: [
      {
        what: `a push message to ${devices} devices, s until it is queued`,
        measured: figure(of('queued')),
        goal: `under ${GOAL.seconds}`,
        holds: of('queued') < GOAL.seconds,
      },
      {
        what: `the same, MB of the platform's process`,
        measured: figure(of('megabytes')),
        goal: `under ${figure(GOAL.megabytes)}`,
        holds: of('megabytes') < GOAL.megabytes,
      },
    ],
    text: `${circumstances('push', loadBefore)}\n\n${HOW}\n\n${table(head, [row])}`,
  };
};
