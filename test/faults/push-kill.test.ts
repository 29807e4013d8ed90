import { beforeAll, expect, test, vi } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { ended, send } from '../push/flow.ts';
import {
  attemptsOf,
  checkLedger,
  commitsFor,
  DEVICES,
  devicesOf,
  endLeases,
  expireReservation,
  pushTenant,
  putsChunk,
  settlesDevices,
} from '../push/kill-kit.ts';
import { startKillLab } from '../support/kill.ts';
import type { GateCall, HoldAt } from '../support/kill-gate.ts';
import { use } from '../support/use.ts';

// Real processes, on machines with other work: a bound, not a wait.
const ENDS_WITHIN_MS = 150_000;
vi.setConfig({ testTimeout: 2 * ENDS_WITHIN_MS, hookTimeout: 2 * ENDS_WITHIN_MS });

/** Shards whose devices are settled before the process is killed, and shards whose rows are written before. */
const [SETTLED, WRITTEN] = [5, 8];
const platforms = ['android'];

let caller: Awaited<ReturnType<typeof pushTenant>>;
/** The message that was being sent when its process was killed. */
let sending: Id<'message'>;

const sendBy = (key: string) => send(caller.client, { platforms }, key);

/** Requests whose process was killed. */
const lost: Promise<unknown>[] = [];
/** Starts a send; resolves when its process waits at a held call. */
const stopped = async (key: string, at: HoldAt, matches: (call: GateCall) => boolean): Promise<void> => {
  const hold = lab.tableGate.hold(at, matches);
  lost.push(sendBy(key).catch(() => undefined));
  await hold.reached;
};

/** Stops the sending of a message: in every other shard before its devices are settled, in the others before that is answered. */
const stopSending = async (): Promise<void> => {
  const settling = (parity: number) => (call: GateCall) => {
    const shard = settlesDevices(call)?.shard ?? 0;
    return shard >= SETTLED && shard % 2 === parity;
  };
  const holds = [lab.tableGate.hold('before', settling(0)), lab.tableGate.hold('after', settling(1))];
  sending = (await sendBy('sending')).body.id;
  await Promise.all(holds.map(({ reached }) => reached));
};

/** Stops a send that has written half of its rows. */
const stopWriting = async (): Promise<void> => {
  let own: string | undefined;
  await stopped('writing', 'before', (call) => {
    const chunk = putsChunk(call);
    if (!chunk || chunk.shard < WRITTEN) return false;
    own ??= chunk.messageId;
    return chunk.messageId === own;
  });
};

const lab = await use(startKillLab());
beforeAll(async () => {
  await lab.start();
  caller = await pushTenant(lab);
  await stopSending();
  await stopWriting();
  await Promise.all([
    stopped('uncommitted', 'before', commitsFor(caller, 'uncommitted')),
    stopped('committed', 'after', commitsFor(caller, 'committed')),
  ]);
  await lab.kill();
  await Promise.all(lost);
  lab.tableGate.clear();
  await lab.start();
});

/** How often the push service took each dispatch. */
const timesTaken = (): Map<string | undefined, number> => {
  const { pushes } = lab.providers.push.standIn.fcm;
  const byDispatch = Map.groupBy(pushes, ({ fields }) => fields.dispatchId as string | undefined);
  return new Map([...byDispatch].map(([id, all]) => [id, all.length]));
};

/** Each device has one row, was accepted by the push service at most once, and its outcome is known; how many were delivered. */
const deliveredOnce = async (id: string): Promise<number> => {
  const { metrics } = await ended(caller.client, id, ENDS_WITHIN_MS);
  const devices = await devicesOf(caller.client, id);
  expect(devices).toHaveLength(DEVICES);
  expect(new Set(devices.map(({ tokenId }) => tokenId)).size).toBe(DEVICES);
  const taken = timesTaken();
  for (const { dispatchId, status, reason } of devices) {
    const times = taken.get(String(dispatchId)) ?? 0;
    if (status === 'delivered') expect(times).toBe(1);
    else {
      // A device whose answer was not stored is neither billed nor sent again.
      expect({ status, reason }).toEqual({ status: 'failed', reason: 'indeterminate' });
      expect(times).toBeLessThanOrEqual(1);
    }
  }
  const delivered = devices.filter(({ status }) => status === 'delivered').length;
  expect(metrics).toMatchObject({ reach: DEVICES, delivered, failures: DEVICES - delivered });
  return delivered;
};

test('a process killed while it queues and sends push messages doubles and loses no device, and its money is exact', async () => {
  const { client, organizationId } = caller;
  for (const key of ['writing', 'uncommitted']) await expireReservation(lab, organizationId, key);
  const [writing, uncommitted, committed] = await Promise.all(['writing', 'uncommitted', 'committed'].map(sendBy));
  for (const made of [writing, uncommitted])
    expect(made).toMatchObject({ status: 201, body: { replayed: false, metrics: { reach: DEVICES } } });
  expect(committed).toMatchObject({ status: 201, body: { replayed: true, metrics: { reach: DEVICES } } });
  // The rows that the killed attempt had written belong to the message: the repeat wrote only the others.
  expect(await attemptsOf(lab, writing?.body.id)).toEqual(new Set([1, 2]));
  expect(await attemptsOf(lab, uncommitted?.body.id)).toEqual(new Set([1]));

  await endLeases(lab, sending);
  const others = [writing, uncommitted, committed].map((made) => made?.body.id as string);
  const messages = [];
  for (const id of [sending, ...others]) messages.push({ id, delivered: await deliveredOnce(id) });
  const [killed, ...whole] = messages.map(({ delivered }) => delivered);
  expect(killed).toBeGreaterThan(0);
  expect(killed).toBeLessThan(DEVICES);
  expect(whole).toEqual([DEVICES, DEVICES, DEVICES]);
  await checkLedger(client, messages);
});
