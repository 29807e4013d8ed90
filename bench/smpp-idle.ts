import { setTimeout as pause } from 'node:timers/promises';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { BINDS } from '../shared/domain/smpp/account.ts';
import type { SmppCredentials } from '../test/support/smpp-client.ts';
import { cpuMs, inGroups, residentBytes } from './processes.ts';
import { bindAll, newAccount, startSmppService, unbindAll } from './smpp-clients.ts';

/** Binds that do nothing but ask whether the service is there. */
const IDLE = Number(process.env.IDLE ?? 1_000);
/** A whole period in which each bind is kept. */
const IDLE_MS = Number(process.env.IDLE_MS ?? 20_000);
/** Silence after which a client sends enquire_link. */
export const ENQUIRE_MS = 5_000;
/** Binds that are made and ended first, so that what any bind loads is there. */
const WARM = 50;

export interface Idle {
  readonly binds: number;
  readonly accounts: number;
  readonly seconds: number;
  readonly bindsPerSecond: number;
  /** RAM of the service's process without binds, and with them. */
  readonly before: number;
  readonly after: number;
  /** Shares of one processor, in %. */
  readonly cpu: number;
  readonly engineCpu: number;
}

/** What idle binds of several accounts take of the process that holds them. */
export const measureIdle = async (): Promise<Idle> => {
  const service = await startSmppService();
  const { running, store, smppPort } = service;
  try {
    const accounts = await mapConcurrently(inGroups(Array.from({ length: IDLE }), BINDS.maximum), 1, async (group) => {
      const account = await newAccount(service, BINDS.maximum);
      return group.map((): SmppCredentials => account);
    });
    const credentials = accounts.flat();
    await unbindAll(await bindAll(smppPort, credentials.slice(0, WARM)));
    const before = residentBytes(running.pid);
    const startedAt = performance.now();
    const clients = await bindAll(smppPort, credentials, { limits: { enquireMs: ENQUIRE_MS } });
    const bindsPerSecond = (IDLE * 1000) / (performance.now() - startedAt);
    const used = [running.pid, store.pid].map(cpuMs);
    const idleAt = performance.now();
    await pause(IDLE_MS);
    const idleMs = performance.now() - idleAt;
    const [cpu = 0, engineCpu = 0] = [running.pid, store.pid].map(
      (pid, at) => (100 * (cpuMs(pid) - (used[at] ?? 0))) / idleMs,
    );
    const after = residentBytes(running.pid);
    const bound = clients.filter(({ session }) => session.state === 'transceiver').length;
    if (bound !== IDLE) throw new Error(`${bound} of ${IDLE} binds are left`);
    await unbindAll(clients);
    const seconds = idleMs / 1000;
    return { binds: IDLE, accounts: accounts.length, seconds, bindsPerSecond, before, after, cpu, engineCpu };
  } finally {
    await service.stop();
  }
};
