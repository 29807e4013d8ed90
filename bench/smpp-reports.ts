import { setTimeout as pause } from 'node:timers/promises';
import { parseId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { SMPP_SHARDS } from '../shared/storage/table-indexes.ts';
import { bindSmpp } from '../test/support/smpp-client.ts';
import { cpuMs, type Service } from './processes.ts';
import { newAccount, TEXT, WINDOW } from './smpp-clients.ts';

/** Reports that wait when the transceiver binds. */
export const REPORTS = Number(process.env.REPORTS ?? 1_000);
/** A recipient of the sandbox that is delivered to. */
const DELIVERED = '5511999990005';
const CHECK_DELAY_MS = 200;
const DEADLINE_MS = 60_000;

export interface Delivered {
  readonly perSecond: number;
  /** CPU time of a report (ms) in the process that delivers it and in its engine. */
  readonly cpu: number;
  readonly engineCpu: number;
}

type Account = Awaited<ReturnType<typeof newAccount>>;
/** How many reports of an account wait. */
const waiting = async ({ table }: Service, { id }: Account): Promise<number> => {
  const account = parseId('smppAccount', id);
  const shards = Array.from({ length: SMPP_SHARDS }, (_, shard) => KEYS.smppShardLease(account, shard).pk);
  const rows = await Promise.all(shards.map((partition) => table.queryAll({ partition, consistent: true })));
  return rows.flat().filter(({ sk }) => sk !== 'TURN').length;
};
const untilWaiting = async (service: Service, account: Account, count: number): Promise<void> => {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const now = await waiting(service, account);
    if (now === count) return;
    if (Date.now() > deadline) throw new Error(`${now} reports wait, not ${count}`);
    await pause(CHECK_DELAY_MS);
  }
};

/** Submits from a transmitter, so that nothing is delivered yet, until a report of each message waits; answers their ids. */
const submitAll = async (service: Service, smppPort: number, account: Account): Promise<ReadonlySet<string>> => {
  const sender = await bindSmpp(smppPort, account, { command: 'bind_transmitter' });
  const message = { destinationAddr: DELIVERED, registeredDelivery: 1, shortMessage: Buffer.from(TEXT) };
  const ids = await mapConcurrently(Array.from({ length: REPORTS }), WINDOW, () => sender.submit(message));
  await sender.session.unbind();
  await untilWaiting(service, account, REPORTS);
  return new Set(ids);
};

/** How fast reports that wait for a transceiver are delivered, from its bind until it has acknowledged the last of them. */
export const deliverReports = async (service: Service, smppPort: number): Promise<Delivered> => {
  const account = await newAccount(service, 1);
  const open = new Set(await submitAll(service, smppPort, account));
  const { pid } = service.running;
  const used = [pid, service.store.pid].map(cpuMs);
  const startedAt = performance.now();
  const last = Promise.withResolvers<number>();
  const receiver = await bindSmpp(smppPort, account, {
    answer: ({ receipt }) => {
      open.delete(receipt?.id ?? '');
      if (open.size === 0) last.resolve(performance.now());
      return 'ESME_ROK';
    },
  });
  const late = setTimeout(() => last.reject(new Error(`${open.size} reports did not come`)), DEADLINE_MS);
  const endedAt = await last.promise.finally(() => clearTimeout(late));
  await untilWaiting(service, account, 0);
  const [cpu = 0, engineCpu = 0] = [pid, service.store.pid].map(
    (each, at) => (cpuMs(each) - (used[at] ?? 0)) / REPORTS,
  );
  await receiver.session.unbind();
  if (receiver.delivered.length !== REPORTS) throw new Error(`${receiver.delivered.length} deliver_sm of ${REPORTS}`);
  return { perSecond: (REPORTS * 1000) / (endedAt - startedAt), cpu, engineCpu };
};
