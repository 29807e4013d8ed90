import type { PushDevice } from '../channels/push/device.ts';
import type { PushChunk, PushDispatchRecord } from '../channels/push/dispatch.ts';
import { parseDispatchId } from '../channels/push/dispatch.ts';
import { chunksOf, isPartOf, type PushMessage } from '../channels/push/message.ts';
import { type DeviceOutcome, outcomeOf, RETRY_DELAYS_MS, skipReason } from '../channels/push/outcome.ts';
import type { PushTransport } from '../channels/push/transport.ts';
import { Unavailable } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { closeIfDone, closeWithChunk } from './drive.ts';
import type { SendPushPorts, SettledDispatch } from './ports.ts';
import { isResolved } from './settlement.ts';

/** Devices sent to concurrently and settled in one transaction (DynamoDB: at most 100 items). */
const GROUP_SIZE = 50;
/** How long one invocation works on a chunk before it enqueues the rest, and how long the chunk is leased to it, in ms. */
const WORK_MS = 18_000;
const LEASE_MS = 60_000;

/** The data that one invocation has read for its chunk. */
interface ChunkRun {
  readonly ports: SendPushPorts;
  readonly message: PushMessage;
  readonly dispatches: readonly PushDispatchRecord[];
  readonly devices: ReadonlyMap<Id<'pushToken'>, PushDevice>;
  readonly denied: ReadonlySet<Id<'contact'>>;
  readonly credentials: Awaited<ReturnType<SendPushPorts['credentials']>>;
  readonly transport: PushTransport;
  /** The longest Retry-After of a push service, in ms. */
  waitMs: number;
}

/** Whether a device has not been attempted in this pass. */
const isPending = ({ status, attempts }: PushDispatchRecord, pass: number): boolean =>
  status === 'queued' && attempts < pass;

const startRun = async (ports: SendPushPorts, message: PushMessage, chunk: PushChunk): Promise<ChunkRun> => {
  const { organizationId } = message;
  const dispatches = await ports.sender.dispatches(chunk);
  const open = dispatches.filter(({ status }) => status === 'queued').map(({ tokenId }) => tokenId);
  const [devices, credentials, transport] = await Promise.all([
    ports.devices(organizationId, open),
    ports.credentials(organizationId),
    ports.transport(),
  ]);
  const contacts = [...devices.values()].flatMap(({ contactId }) => contactId ?? []);
  const denied = await ports.deniedContacts(organizationId, [...new Set(contacts)]);
  return { ports, message, dispatches, devices, denied, credentials, transport, waitMs: 0 };
};

/** Sends the notification to one device. */
const sendToDevice = async (run: ChunkRun, dispatch: PushDispatchRecord, pass: number): Promise<DeviceOutcome> => {
  const device = run.devices.get(dispatch.tokenId);
  const unsent = skipReason(device, run.denied);
  if (unsent || !device) return { status: 'failed', reason: unsent ?? 'unregistered' };
  const app = run.credentials.get(device.appId);
  if (!app) return { status: 'failed', reason: 'app_deleted' };
  const startedAt = performance.now();
  const { platform, token, p256dh, auth } = device;
  const answer = await run.transport.send({
    app,
    device: { platform, token, p256dh, auth },
    notification: run.message.content,
    dispatchId: dispatch.id,
  });
  const outcome = answer.kind === 'refused' ? answer.cause : answer.kind;
  run.ports.observe(platform, outcome, performance.now() - startedAt);
  return outcomeOf(answer, pass);
};

const settledAs = (dispatch: PushDispatchRecord, { status, reason }: DeviceOutcome): SettledDispatch => ({
  dispatch,
  status,
  reason,
});

/**
 * Ends the message with these outcomes if they are its last ones. If the table does not answer, they are still to be written by themselves:
 * those that are not written count as uncertain.
 */
const endedWith = (run: ChunkRun, chunk: PushChunk, settled: readonly SettledDispatch[]): Promise<boolean> =>
  closeWithChunk(run.ports, run.message, chunk, settled).catch((error: unknown) => {
    if (error instanceof Unavailable) return false;
    throw error;
  });

/** Sends to a group of devices and settles it; the updated chunk, or undefined when the claim was lost, or the message ended with it. */
const sendGroup = async (
  run: ChunkRun,
  chunk: PushChunk,
  group: readonly PushDispatchRecord[],
  next: number,
): Promise<PushChunk | undefined> => {
  const { ports, message } = run;
  const at = ports.clock();
  const outcomes = await Promise.all(
    group.map(async (dispatch) => ({ dispatch, outcome: await sendToDevice(run, dispatch, chunk.pass) })),
  );
  const dead = outcomes.filter(({ outcome }) => outcome.dead).map(({ dispatch }) => dispatch.tokenId);
  if (dead.length > 0) await ports.retire(message.organizationId, dead, at);
  run.waitMs = Math.max(run.waitMs, ...outcomes.map(({ outcome }) => outcome.waitMs ?? 0));
  const settled = outcomes.map(({ dispatch, outcome }) => settledAs(dispatch, outcome));
  if (await endedWith(run, chunk, settled)) return undefined;
  return ports.sender.settle(chunk, settled, { cursor: next, leaseUntil: ports.clock() + LEASE_MS });
};

/** Devices that a crashed worker may have sent to are never sent to again: they fail as indeterminate, uncharged. */
const failUnsettled = async (
  run: ChunkRun,
  claimed: PushChunk,
  unsettled: readonly PushDispatchRecord[],
): Promise<PushChunk | undefined> => {
  let chunk: PushChunk | undefined = claimed;
  for (let from = 0; from < unsettled.length && chunk; from += GROUP_SIZE) {
    const settled = unsettled.slice(from, from + GROUP_SIZE).map(
      (dispatch): SettledDispatch => ({
        dispatch,
        status: 'failed',
        reason: 'indeterminate',
      }),
    );
    chunk = await run.ports.sender.settle(chunk, settled, { cursor: chunk.cursor, leaseUntil: chunk.leaseUntil });
  }
  return chunk;
};

/** The cursor behind the last device of a group. */
const cursorAfter = (group: readonly PushDispatchRecord[]): number => {
  const last = group.at(-1);
  return last ? parseDispatchId(last.id).place + 1 : 0;
};

/** The devices of a chunk, as it was read, that this pass has still to reach, in groups; and those that a crashed worker may have reached. */
const pendingOf = (run: ChunkRun, { cursor, pass }: PushChunk) => {
  const pending = run.dispatches.filter((each) => isPending(each, pass));
  const open = pending.filter(({ id }) => parseDispatchId(id).place >= cursor);
  const groups = Array.from({ length: Math.ceil(open.length / GROUP_SIZE) }, (_, at) =>
    open.slice(at * GROUP_SIZE, (at + 1) * GROUP_SIZE),
  );
  return { groups, open, unsettled: pending.filter(({ id }) => parseDispatchId(id).place < cursor) };
};

/** Sends a pass group by group until `until` (ms). `chunk` is undefined when nothing is left to this worker; `unsent`: devices left for the next invocation. */
const sendPass = async (
  run: ChunkRun,
  claimed: PushChunk,
  { groups, open }: Pick<ReturnType<typeof pendingOf>, 'groups' | 'open'>,
  until: number,
) => {
  const { ports } = run;
  const [first] = groups;
  if (!first) return { chunk: claimed, unsent: 0 };
  const lease = { cursor: cursorAfter(first), leaseUntil: ports.clock() + LEASE_MS };
  let chunk: PushChunk | undefined =
    lease.cursor <= claimed.cursor ? claimed : await ports.sender.settle(claimed, [], lease);
  for (const [at, group] of groups.entries()) {
    if (!chunk) break;
    const following = groups[at + 1];
    const timeIsUp = ports.clock() >= until;
    // Settling a group claims the next one in the same write.
    chunk = await sendGroup(run, chunk, group, cursorAfter(timeIsUp || !following ? group : following));
    if (timeIsUp && following) return { chunk, unsent: open.length - (at + 1) * GROUP_SIZE };
  }
  return { chunk, unsent: 0 };
};

/** Ends the claim: the chunk continues at once, waits for its next pass, or is done. */
const endRun = async (run: ChunkRun, chunk: PushChunk, unsent: number): Promise<void> => {
  const { ports, message } = run;
  const now = ports.clock();
  if (unsent > 0) {
    await ports.sender.pause(chunk, { pass: chunk.pass, cursor: chunk.cursor, nextAt: now });
    return ports.enqueueChunk(message, chunk, now);
  }
  if (!isResolved(chunk)) {
    const nextAt = now + Math.max(run.waitMs, RETRY_DELAYS_MS[chunk.pass - 1] ?? 0);
    await ports.sender.pause(chunk, { pass: chunk.pass + 1, cursor: 0, nextAt });
    return ports.enqueueChunk(message, chunk, nextAt);
  }
  if (await closeWithChunk(ports, message, chunk)) return;
  const done = await ports.sender.finish(chunk);
  if (done !== undefined && done >= chunksOf(message)) await closeIfDone(ports, message.id);
};

/**
 * Sends a due chunk of devices (docs/spec/push.md#how-push-is-sent). Each device is sent to at most once per pass: a group is claimed before
 * it is sent, and what a crash leaves claimed but unsettled fails. A later pass retries only devices that their push service certainly did
 * not accept. Safe under repeats and reordering.
 */
export const sendPushChunk = async (
  ports: SendPushPorts,
  messageId: Id<'message'>,
  shard: number,
  number: number,
): Promise<void> => {
  const [message, found] = await Promise.all([
    ports.sender.message(messageId),
    ports.sender.chunk(messageId, shard, number),
  ]);
  const now = ports.clock();
  if (message?.status !== 'sending' || found?.state !== 'open' || !isPartOf(message, found)) return;
  if (found.leaseUntil > now || found.nextAt > now) return;
  // All is read before the claim, which also claims the first group: nothing that may fail comes between it and the push services.
  const run = await startRun(ports, message, found);
  const { unsettled, ...pending } = pendingOf(run, found);
  const cursor = unsettled.length > 0 ? found.cursor : Math.max(found.cursor, cursorAfter(pending.groups[0] ?? []));
  const claimed = await ports.sender.claim(found, ports.clock(), { cursor, leaseUntil: ports.clock() + LEASE_MS });
  const chunk = claimed && (await failUnsettled(run, claimed, unsettled));
  if (!chunk) return;
  const result = await sendPass(run, chunk, pending, now + WORK_MS);
  if (result.chunk) await endRun(run, result.chunk, result.unsent);
};
