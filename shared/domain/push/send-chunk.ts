import type { PushDevice } from './device.ts';
import type { PushChunk, PushDispatchRecord } from './dispatch.ts';
import { placeOf } from './dispatch.ts';
import { closeIfDone } from './drive.ts';
import { chunksOf, isPartOf, type PushMessage } from './message.ts';
import { type DeviceOutcome, leftOut, outcomeOf, RETRY_WAITS_MS } from './outcome.ts';
import type { SendPushPorts, Settled } from './ports.ts';
import type { PushTransport } from './transport.ts';

/** Devices that are handed over at the same time, and settled in one transaction (DynamoDB takes 100 rows). */
const GROUP = 50;
/** How long one turn works on a chunk before it hands itself on, and how long others leave the chunk to it, in ms. */
const TURN_MS = 18_000;
const LEASE_MS = 60_000;

/** All that a turn needs of its chunk. */
interface Turn {
  readonly ports: SendPushPorts;
  readonly message: PushMessage;
  readonly dispatches: readonly PushDispatchRecord[];
  readonly devices: ReadonlyMap<string, PushDevice>;
  readonly denied: ReadonlySet<string>;
  readonly credentials: Awaited<ReturnType<SendPushPorts['credentials']>>;
  readonly transport: PushTransport;
  /** The longest wait that a push service asked for, in ms. */
  waitMs: number;
}

/** Whether a device of this place still waits for this pass. */
const waits = ({ status, attempts }: PushDispatchRecord, pass: number): boolean =>
  status === 'queued' && attempts < pass;

const readTurn = async (ports: SendPushPorts, message: PushMessage, chunk: PushChunk): Promise<Turn> => {
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

/** Hands one device's notification over; its outcome. */
const handOver = async (turn: Turn, dispatch: PushDispatchRecord, pass: number): Promise<DeviceOutcome> => {
  const device = turn.devices.get(dispatch.tokenId);
  const left = leftOut(device, turn.denied);
  if (left || !device) return { status: 'failed', reason: left ?? 'unregistered' };
  const app = turn.credentials.get(device.appId);
  if (!app) return { status: 'failed', reason: 'app_deleted' };
  const startedAt = performance.now();
  const { platform, token, p256dh, auth } = device;
  const answer = await turn.transport.send({
    app,
    device: { platform, token, p256dh, auth },
    notification: turn.message.content,
    dispatchId: dispatch.id,
  });
  const named = answer.kind === 'refused' ? answer.cause : answer.kind;
  turn.ports.observe(platform, named, performance.now() - startedAt);
  return outcomeOf(answer, pass);
};

const settledAs = (dispatch: PushDispatchRecord, { status, reason }: DeviceOutcome): Settled => ({
  dispatch,
  status,
  reason,
});

/** Hands a group over and settles it; what the chunk is then, or undefined when it was overtaken. */
const sendGroup = async (
  turn: Turn,
  chunk: PushChunk,
  group: readonly PushDispatchRecord[],
  next: number,
): Promise<PushChunk | undefined> => {
  const { ports, message } = turn;
  const at = ports.clock();
  const outcomes = await Promise.all(
    group.map(async (dispatch) => ({ dispatch, outcome: await handOver(turn, dispatch, chunk.pass) })),
  );
  const dead = outcomes.filter(({ outcome }) => outcome.dead).map(({ dispatch }) => dispatch.tokenId);
  if (dead.length > 0) await ports.retire(message.organizationId, dead, at);
  turn.waitMs = Math.max(turn.waitMs, ...outcomes.map(({ outcome }) => outcome.waitMs ?? 0));
  const settled = outcomes.map(({ dispatch, outcome }) => settledAs(dispatch, outcome));
  return ports.sender.settle(chunk, settled, { cursor: next, leaseUntil: ports.clock() + LEASE_MS });
};

/** What a sender that ended in the middle may have handed over is never sent again: it failed, unpaid. */
const giveUpClaimed = async (turn: Turn, taken: PushChunk): Promise<PushChunk | undefined> => {
  const lost = turn.dispatches.filter((each) => placeOf(each.id).place < taken.cursor && waits(each, taken.pass));
  let chunk: PushChunk | undefined = taken;
  for (let from = 0; from < lost.length && chunk; from += GROUP) {
    const settled = lost.slice(from, from + GROUP).map(
      (dispatch): Settled => ({
        dispatch,
        status: 'failed',
        reason: 'indeterminate',
      }),
    );
    chunk = await turn.ports.sender.settle(chunk, settled, { cursor: chunk.cursor, leaseUntil: chunk.leaseUntil });
  }
  return chunk;
};

/** The place behind the last device of a group. */
const endOf = (group: readonly PushDispatchRecord[]): number => placeOf(group.at(-1)?.id ?? '').place + 1;

/** Sends what of a pass fits before `until` (ms), group by group, in the order of places; undefined when overtaken. */
const sendPass = async (turn: Turn, taken: PushChunk, until: number) => {
  const { ports, dispatches } = turn;
  const open = dispatches.filter((each) => placeOf(each.id).place >= taken.cursor && waits(each, taken.pass));
  const groups = Array.from({ length: Math.ceil(open.length / GROUP) }, (_, at) =>
    open.slice(at * GROUP, (at + 1) * GROUP),
  );
  const [first] = groups;
  if (!first) return { chunk: taken, left: 0 };
  const lease = { cursor: endOf(first), leaseUntil: ports.clock() + LEASE_MS };
  let chunk: PushChunk | undefined = await ports.sender.settle(taken, [], lease);
  for (const [at, group] of groups.entries()) {
    if (!chunk) break;
    const following = groups[at + 1];
    const late = ports.clock() >= until;
    // The settlement of a group claims the next one: one write for both.
    chunk = await sendGroup(turn, chunk, group, endOf(late || !following ? group : following));
    if (late && following) return { chunk, left: open.length - (at + 1) * GROUP };
  }
  return { chunk, left: 0 };
};

/** Ends a turn: the chunk goes on at once, rests until busy push services are asked again, or is done. */
const endTurn = async (turn: Turn, chunk: PushChunk, left: number): Promise<void> => {
  const { ports, message } = turn;
  const now = ports.clock();
  if (left > 0) {
    await ports.sender.rest(chunk, { pass: chunk.pass, cursor: chunk.cursor, nextAt: now });
    return ports.hintChunk(chunk, now);
  }
  const { delivered, failures } = resolvedOf(chunk);
  if (delivered + failures < chunk.devices) {
    const nextAt = now + Math.max(turn.waitMs, RETRY_WAITS_MS[chunk.pass - 1] ?? 0);
    await ports.sender.rest(chunk, { pass: chunk.pass + 1, cursor: 0, nextAt });
    return ports.hintChunk(chunk, nextAt);
  }
  const done = await ports.sender.finish(chunk);
  if (done !== undefined && done >= chunksOf(message)) await closeIfDone(ports, message.id);
};

const resolvedOf = ({ tally }: PushChunk) =>
  Object.values(tally).reduce(
    (sum, { delivered, failures }) => ({ delivered: sum.delivered + delivered, failures: sum.failures + failures }),
    { delivered: 0, failures: 0 },
  );

/**
 * Sends the devices of a chunk whose time has come. Each is handed over at most once per pass: a group is claimed before it is handed
 * over, and what a crash leaves claimed but unsettled is given up, never sent again. Only a push service that said for certain that it
 * did not take a device is asked again, in a later pass. Repeats and any order change nothing.
 */
export const sendPushChunk = async (
  ports: SendPushPorts,
  messageId: string,
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
  const taken = await ports.sender.take(found, now, now + LEASE_MS);
  if (!taken) return;
  const turn = await readTurn(ports, message, taken);
  const chunk = await giveUpClaimed(turn, taken);
  if (!chunk) return;
  const passed = await sendPass(turn, chunk, now + TURN_MS);
  if (passed.chunk) await endTurn(turn, passed.chunk, passed.left);
};
