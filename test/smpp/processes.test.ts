import { afterEach, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { StatusName } from '../../shared/smpp/statuses.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { SMPP_SHARDS } from '../../shared/storage/table-indexes.ts';
import { bindSmpp, type SmppClient, type SmppClientOptions } from '../support/smpp-client.ts';
import { startSmppLab } from '../support/smpp-lab.ts';
import { use } from '../support/use.ts';

// Real processes, and a lease that has to pass.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const lab = await use(startSmppLab());
const clients: SmppClient[] = [];
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
type Process = Awaited<ReturnType<typeof lab.start>>;
const bindTo = async (
  { smppPort }: Process,
  account: Awaited<ReturnType<typeof lab.account>>,
  options?: SmppClientOptions,
) => {
  const client = await bindSmpp(smppPort, account, options);
  clients.push(client);
  return client;
};
/** The notices of an account that wait. */
const waitingOf = async (id: string) => {
  const accountId = parseId('smppAccount', id);
  const shards = Array.from({ length: SMPP_SHARDS }, (_, shard) => KEYS.smppShardLease(accountId, shard));
  const rows = await Promise.all(shards.map(({ pk }) => lab.table.queryAll({ partition: pk, consistent: true })));
  return rows.flat().filter(({ sk }) => sk.startsWith('WAITS#'));
};
const SOON = { timeout: 60_000, interval: 100 };
/** The lease of a turn, and time for a busy machine. */
const AFTER_A_LEASE = { timeout: 150_000, interval: 250 };
const SILENCE = (): Promise<StatusName> => new Promise(() => {});
const sorted = (states: Readonly<Record<string, readonly string[]>>) => Object.entries(states).toSorted();

const BOTH = 0x11;
const submitAll = (binds: readonly SmppClient[], count: number, registeredDelivery: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      (binds[at % binds.length] as SmppClient).submit({
        registeredDelivery,
        destinationAddr: `55119${String(80_000_000 + at).slice(0, 4)}${String(at).padStart(2, '0')}05`,
      }),
    ),
  );

test('two processes with binds of one account deliver every notice once between them, in order for each message', async () => {
  const processes = [await lab.start(), await lab.start()];
  const account = await lab.account(processes[0] as Process);
  const binds = await Promise.all(processes.map((process) => bindTo(process, account)));
  const ids: string[] = [];
  const all = () =>
    binds.flatMap(({ delivered }) => delivered.map(({ receipt }) => `${receipt?.id} ${receipt?.state}`));
  // On a busy machine the one may have taken all leases before the other asked for any: then there is more for both.
  do {
    ids.push(...(await submitAll(binds, 40, BOTH)));
    await expect.poll(() => all().length, SOON).toBe(2 * ids.length);
  } while (binds.some(({ delivered }) => delivered.length === 0));
  // A duplicate delivery would arrive soon.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(all().toSorted()).toEqual(ids.flatMap((id) => [`${id} DELIVRD`, `${id} ENROUTE`]).toSorted());
  // Each bind records its own order; reports of one message on different binds waited for each other.
  for (const states of binds.map((bind) => Object.values(bind.states())))
    for (const each of states) if (each.length === 2) expect(each).toEqual(['ENROUTE', 'DELIVRD']);
  for (const process of processes) await process.end();
});

test('a process that is killed after submit_sm_resp loses no report: another one delivers it', async () => {
  const dying = await lab.start();
  const account = await lab.account(dying);
  const bound = await bindTo(dying, account);
  const ids = await submitAll([bound], 10, 1);
  await dying.kill();
  // A slow machine may have delivered some of them by then: those need not come again.
  const known = new Set(bound.delivered.map(({ receipt }) => receipt?.id));
  const next = await bindTo(await lab.start(), account);
  const wanted = ids.filter((id) => !known.has(id)).map((id) => [id, ['DELIVRD']]);
  await expect
    .poll(() => sorted(next.states()).filter(([id]) => !known.has(String(id))), known.size > 0 ? AFTER_A_LEASE : SOON)
    .toEqual(wanted.toSorted());
});

test('a process that is killed between deliver_sm and its response loses nothing: unanswered notices are delivered again', async () => {
  const dying = await lab.start();
  const account = await lab.account(dying);
  let answered = 0;
  const bound = await bindTo(dying, account, { answer: () => (++answered <= 5 ? 'ESME_ROK' : SILENCE()) });
  const ids = await submitAll([bound], 12, 1);
  await expect.poll(() => bound.delivered.length, SOON).toBeGreaterThan(5);
  const taken = bound.delivered.slice(0, 5).map(({ receipt }) => receipt?.id);
  const left = ids.filter((id) => !taken.includes(id));
  // The responses are stored: answered notices are not delivered again.
  await expect.poll(async () => (await waitingOf(account.id)).length, SOON).toBe(left.length);
  await dying.kill();
  const next = await bindTo(await lab.start(), account);
  await expect.poll(() => sorted(next.states()), AFTER_A_LEASE).toEqual(left.map((id) => [id, ['DELIVRD']]).toSorted());
  await expect.poll(async () => (await waitingOf(account.id)).length, SOON).toBe(0);
});

test('a process that shuts down releases its leases: another immediately delivers the rest, and nothing that was answered', async () => {
  const [ending, other] = [await lab.start(), await lab.start()];
  const account = await lab.account(ending);
  const bound = await bindTo(ending, account, { answer: SILENCE });
  const ids = await submitAll([bound], 6, 1);
  await expect.poll(() => bound.delivered.length, SOON).toBeGreaterThan(0);
  await ending.end();
  const next = await bindTo(other, account);
  const startedAt = Date.now();
  await expect.poll(() => sorted(next.states()), SOON).toEqual(ids.map((id) => [id, ['DELIVRD']]).toSorted());
  expect(Date.now() - startedAt).toBeLessThan(45_000);
});
