import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterRegistration } from '../shared/domain/channels/push/device.ts';
import { dispatchId } from '../shared/domain/channels/push/dispatch.ts';
import { PUSH_PLATFORMS } from '../shared/domain/channels/push/transport.ts';
import { type Id, parseId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import type { Row } from '../shared/storage/client/row.ts';
import type { QueryRange, Table } from '../shared/storage/client/table.ts';
import { readPushChunks } from '../shared/storage/push/create.ts';
import { pushDeviceRows } from '../shared/storage/push/devices.ts';
import { apiClient, type Client } from '../test/support/api.ts';
import { cpuMs, inGroups, type Service, startService, startStackProcess } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

const DEVICES = Number(process.env.PUSH_DEVICES ?? 100_000);
/** Audience of the run that counts request units; small, because every call is recorded. */
const COUNTED = 2_000;
/** Goal: time until all devices are queued, in s, on an idle machine, and the memory of the function, in MB. */
const GOAL = { seconds: 20, megabytes: 1769 };
const POLL_MS = 100;
/** Timeout until the last device is resolved, in ms. */
const SENT_WITHIN_MS = 20 * 60_000;
/** Rows per transaction, and concurrent calls of the floor. */
const PER_TRANSACTION = 100;
const CONCURRENT_CALLS = 2;
/** Rows per BatchWriteItem call. */
const BATCH = 25;

const message = { title: 'Seu pedido saiu', body: 'Chega hoje.', platforms: PUSH_PLATFORMS };

/** Writes an audience directly to the table: registering devices is not measured. */
const layOut = async (
  store: Table,
  organizationId: Id<'organization'>,
  appId: Id<'pushApp'>,
  count: number,
): Promise<void> => {
  const tenant = { organizationId, env: 'test' } as const;
  for (let from = 0; from < count; from += PER_TRANSACTION) {
    const puts = Array.from({ length: Math.min(PER_TRANSACTION, count - from) }, (_, at) => {
      const platform = PUSH_PLATFORMS[(from + at) % PUSH_PLATFORMS.length] ?? 'ios';
      // As long as an FCM token.
      const token = `${String(from + at).padStart(12, '0')}${'t'.repeat(146)}0005`;
      return {
        put: pushDeviceRows.write(afterRegistration(tenant, undefined, { appId, token, platform }, Date.now())),
      };
    });
    await store.transact(puts);
  }
};

/** Peak memory of a process, in MB; NaN if the system does not report it. */
const peakMegabytes = (pid: number): number => {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? Number.NaN) / 1024;
  } catch {
    return Number.NaN;
  }
};

/** Sends to all devices. If that takes longer than one request, repeats the request as a caller would. */
const send = async (
  client: Client,
  count: number,
  key: string = randomUUID(),
): Promise<{ readonly id: Id<'message'>; readonly answers: number }> => {
  const headers = { 'idempotency-key': key };
  for (let answers = 1; ; answers++) {
    const answer = await client.post('/v2/push/messages', message, headers);
    const { status, body, text } = answer;
    if (status === 201 && body.metrics.reach === count) return { id: body.id, answers };
    if (status !== 503 && status !== 409) throw new Error(`a push send was answered ${status}: ${text}`);
    await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
  }
};

const untilSent = async (client: Client, id: string, count: number): Promise<void> => {
  for (const until = performance.now() + SENT_WITHIN_MS; performance.now() < until; ) {
    const { body } = await client.get(`/v2/push/messages/${id}`);
    if (body.status === 'sent' && body.metrics.delivered === count) return;
    await pause(POLL_MS);
  }
  throw new Error(`not every device was resolved within ${SENT_WITHIN_MS / 60_000} minutes`);
};

/** All device rows of a push message. */
const rowsOf = async (store: Table, id: Id<'message'>): Promise<Row[]> => {
  const pages = await mapConcurrently(await readPushChunks(store, id), CONCURRENT_CALLS, async (chunk) => {
    const rows: Row[] = [];
    let startKey: QueryRange['startKey'];
    do {
      const page = await store.query({ partition: KEYS.pushDispatch(dispatchId(chunk, 0)).pk, startKey });
      rows.push(...page.rows);
      startKey = page.nextKey;
    } while (startKey);
    return rows;
  });
  return pages.flat();
};

/** Time in s that the engine takes to write the same rows under other keys, by BatchWriteItem and by transactions. */
const floorOf = async (store: Table, rows: readonly Row[]): Promise<{ batches: number; transactions: number }> => {
  const timed = async (mark: string, size: number, write: (group: readonly Row[]) => Promise<unknown>) => {
    const own = inGroups(
      rows.map((row) => ({ ...row, pk: `${row.pk}${mark}` })),
      size,
    );
    const startedAt = performance.now();
    await mapConcurrently(own, CONCURRENT_CALLS, write);
    return (performance.now() - startedAt) / 1000;
  };
  return {
    batches: await timed('B', BATCH, (group) => store.putMany(group)),
    transactions: await timed('T', PER_TRANSACTION, (group) => store.transact(group.map((put) => ({ put })))),
  };
};

interface Run {
  /** Until the response, in s. */
  readonly queued: number;
  /** CPU time of the service's process until then, in s; unlike elapsed time, unaffected by other load. */
  readonly cpu: number;
  /** Devices per second until the last one was resolved. */
  readonly sent: number;
  readonly idleMegabytes: number;
  readonly megabytes: number;
  readonly trips: number;
  /** Floors of the same rows, in s. */
  readonly batches: number;
  readonly transactions: number;
  /** Requests until all devices were queued; one if the table is fast enough. */
  readonly answers: number;
}

/** Starts the service with an audience. */
const started = async (count: number, counted: boolean): Promise<Service> => {
  const service = await startService({ counted });
  const { body: app } = await service.client.post('/v2/push/apps', { name: 'Bench' });
  await layOut(service.table, service.organizationId, app.id, count);
  return service;
};

/** One send to an audience, with an engine and a process of its own. */
const run = async (count: number, counted: boolean): Promise<Run> => {
  const { running, client, proxy, table: direct, stop } = await started(count, counted);
  try {
    await client.post('/v2/push/preview', { platforms: PUSH_PLATFORMS });
    const idleMegabytes = peakMegabytes(running.pid);
    proxy.reset();
    const cpuBefore = cpuMs(running.pid);
    const startedAt = performance.now();
    const { id, answers } = await send(client, count);
    const queued = (performance.now() - startedAt) / 1000;
    const megabytes = peakMegabytes(running.pid);
    const cpu = (cpuMs(running.pid) - cpuBefore) / 1000;
    await untilSent(client, id, count);
    const sent = count / ((performance.now() - startedAt) / 1000);
    const { trips } = proxy.taken();
    const floor = await floorOf(direct, await rowsOf(direct, id));
    return { queued, cpu, sent, idleMegabytes, megabytes, trips, answers, ...floor };
  } finally {
    await stop();
  }
};

/** Devices queued so far for a request that was not answered. */
const queuedBy = async (store: Table, organizationId: Id<'organization'>, key: string): Promise<number> => {
  const row = await store.get(KEYS.idempotency(organizationId, key));
  const chunks = row ? await readPushChunks(store, parseId('message', String(row.messageId))) : [];
  return chunks.reduce((sum, { devices }) => sum + devices, 0);
};

interface Killed {
  /** Devices queued when the process was killed. */
  readonly kept: number;
  readonly doubled: number;
  readonly lost: number;
}

/** Kills the process (SIGKILL) once half of the devices are queued, restarts it and repeats the request as its caller would. */
const killedRun = async (count: number): Promise<Killed> => {
  const { store, client, organizationId, table: direct, keys, stop, running: first } = await started(count, false);
  let running = first;
  try {
    const key = randomUUID();
    const lost = send(client, count, key).catch(() => undefined);
    while ((await queuedBy(direct, organizationId, key)) < count / 2) await pause(POLL_MS);
    process.kill(running.pid, 'SIGKILL');
    await Promise.all([running.stop(), lost]);
    const kept = await queuedBy(direct, organizationId, key);
    running = await startStackProcess({ dataDir: store.folder, dynamodbEndpoint: store.endpoint });
    const { id } = await send(apiClient(`http://127.0.0.1:${running.port}`, keys.test), count, key);
    const rows = await rowsOf(direct, id);
    const devices = new Set(rows.map(({ tokenId }) => tokenId)).size;
    return { kept, doubled: rows.length - devices, lost: count - devices };
  } finally {
    await running.stop();
    await stop();
  }
};

const HOW = `The local stack, run by \`npm start\`, serves one \`POST /v2/push/messages\` to every opted-in device of the sandbox, which are in the table
before. Queued: until the response; by then each device has its row, and the price of all is held. Sent: until the last device is resolved, over the
whole time from the request; the sandbox responds at once, so this measures the rows alone. The local stack does all of it in one process, the engine in
another; memory is the peak of the local stack's process until the response, with all of its functions in it. The floors are the
engine's own time for the same rows under other keys, with nothing read and nothing else written: 25 a call (BatchWriteItem), and 100 a call
(TransactWriteItems), as they are queued. Medians of ${ROUNDS} rounds. Then once more, with the local stack's process killed (SIGKILL) when half of the
devices were queued, restarted, and the request repeated with its key until it was answered.`;

/** One push message to a large audience: time until it is queued, memory, and devices per second. */
export const benchPush = async (): Promise<Section> => {
  const runs: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await run(DEVICES, false));
  const trips = (await run(COUNTED, true)).trips / COUNTED;
  const { kept, doubled, lost } = await killedRun(DEVICES);
  const of = (name: keyof Run) => median(runs.map((each) => each[name]));
  const devices = DEVICES.toLocaleString('en-US');
  const row = {
    Devices: devices,
    'Queued, s': figure(of('queued')),
    'Of it processor, s': figure(of('cpu')),
    'Queued/s': figure(DEVICES / of('queued')),
    'Sent/s': figure(of('sent')),
    'Memory before, MB': figure(of('idleMegabytes')),
    'Memory, MB': figure(of('megabytes')),
    'Round trips a device': figure(trips),
    Answers: of('answers'),
    'Floor of BatchWriteItem, s': figure(of('batches')),
    'Queued over that floor': figure(of('queued') / of('batches')),
    'Floor of transactions, s': figure(of('transactions')),
    'Queued over this floor': figure(of('queued') / of('transactions')),
  };
  const ending = `Killed with ${kept.toLocaleString('en-US')} of ${devices} devices queued: ${doubled} doubled, ${lost} lost.`;
  return {
    title: 'Push sends',
    verdicts: [
      verdict(`a push message to ${devices} devices, s until it is queued`, of('queued'), '<', GOAL.seconds),
      verdict("the same, MB of the local stack's process", of('megabytes'), '<', GOAL.megabytes),
      verdict('the same, killed in the middle and repeated: devices doubled or lost', doubled + lost, '≤', 0),
    ],
    text: `${HOW}\n\n${columns([row])}

${ending}`,
  };
};
