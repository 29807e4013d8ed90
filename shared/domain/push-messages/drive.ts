import type { PushChunk } from '../channels/push/dispatch.ts';
import {
  chunksOf,
  coinsOfDevices,
  deliveredOf,
  failuresOf,
  noTally,
  type PushMessage,
  pushMessageOf,
  sumTallies,
  type Tally,
} from '../channels/push/message.ts';
import { MESSAGE_REASONS } from '../channels/push/outcome.ts';
import type { Id } from '../core/ids.ts';
import type { Decision, MessageRecord } from '../message/message.ts';
import { messageEvent } from '../tracking/events.ts';
import type { PushOutcome, SendPushPorts, SettledDispatch } from './ports.ts';
import { afterSettlement, isResolved } from './settlement.ts';

/** How often a message that is being sent is checked, in ms, to resume chunks whose work item was lost or whose worker crashed. */
const RECHECK_MS = 30_000;

/** The event of a push message, with the counts of its devices: there is no event per device. */
const eventOf = ({ record, origin, reach, rateKind }: PushMessage, outcome: Omit<PushOutcome, 'events'>) => {
  const { status, reason, tally, at } = outcome;
  const counts = { delivered: deliveredOf(tally), failures: failuresOf(tally) };
  return messageEvent(`message.${status}`, { ...record, status, reason }, at, { origin, rateKind, reach, ...counts });
};

/** The timeline entries of how a message ended. */
const decisionsOf = (message: PushMessage, tally: Tally, captured: number, at: number): Decision[] => {
  const released = message.record.coins - captured;
  const detail = `push services accepted ${deliveredOf(tally)} of ${message.reach} devices`;
  return [
    { at, kind: 'provider', detail, coins: captured },
    ...(released > 0
      ? [{ at, kind: 'resolution', detail: 'hold of the others released', coins: released } as const]
      : []),
  ];
};

/** Why no device accepted a message. */
interface Failure {
  readonly reason?: string | undefined;
  /** Whether it is certain that nothing was sent. */
  readonly certain: boolean;
}

/** Why the devices of a chunk failed: of those that `settled` does not have, it is read. */
const reasonsOf = async (ports: SendPushPorts, chunk: PushChunk, settled: readonly SettledDispatch[]) => {
  const ended = new Set(settled.map(({ dispatch }) => dispatch.id));
  const stored = settled.length < chunk.devices ? await ports.sender.dispatches(chunk) : [];
  return new Set([...settled, ...stored.filter(({ id }) => !ended.has(id))].map(({ reason }) => reason));
};

/**
 * Why no device of a message accepted it. For a message to a person, which has one chunk, the combined errors of its devices; for an
 * audience it is unknown without reading every device.
 */
const failureOf = async (
  ports: SendPushPorts,
  message: PushMessage,
  [chunk]: readonly PushChunk[],
  settled: readonly SettledDispatch[],
): Promise<Failure> => {
  if (!message.devices || !chunk) return { certain: false };
  const reasons = await reasonsOf(ports, chunk, settled);
  if (reasons.has('indeterminate')) return { reason: 'indeterminate', certain: false };
  const [only] = reasons;
  return { reason: reasons.size === 1 && only ? MESSAGE_REASONS[only] : undefined, certain: true };
};

/** The outcome of a message whose devices are all resolved: accepted devices are captured, the rest is released. */
const outcomeOfDevices = (message: PushMessage, tally: Tally, failure: Failure, at: number): PushOutcome => {
  const delivered = deliveredOf(tally);
  const captured = coinsOfDevices(message, delivered);
  const lastError = 'No push service accepted it for any of its devices.';
  const ended = {
    ...(delivered > 0
      ? ({ status: 'sent', certain: false } as const)
      : ({ status: 'failed', lastError, ...failure } as const)),
    tally,
    captured,
    at,
    decisions: decisionsOf(message, tally, captured, at),
  };
  return { ...ended, events: [eventOf(message, ended)] };
};

const isOpen = ({ record }: PushMessage): boolean => record.hold === 'open' && record.status === 'sending';

/** The outcome of a message whose chunks are all resolved; `settled`: outcomes that are counted, and not written yet. */
const outcomeOfChunks = async (
  ports: SendPushPorts,
  message: PushMessage,
  chunks: readonly PushChunk[],
  settled: readonly SettledDispatch[] = [],
): Promise<PushOutcome> => {
  const tally = sumTallies(chunks.map((chunk) => chunk.tally));
  const failure = deliveredOf(tally) > 0 ? { certain: false } : await failureOf(ports, message, chunks, settled);
  return outcomeOfDevices(message, tally, failure, ports.clock());
};

/** Closes a message if all of these chunks of it are done; returns whether it did. */
const closeDone = async (
  ports: SendPushPorts,
  message: PushMessage,
  chunks: readonly PushChunk[],
): Promise<boolean> => {
  if (chunks.filter(({ state }) => state === 'done').length < chunksOf(message)) return false;
  return ports.sender.close(message, await outcomeOfChunks(ports, message, chunks));
};

/**
 * Ends a message with its only chunk, if these outcomes resolve the last of its devices, and writes them with it. False, and nothing is
 * written, if they do not, or the message has other chunks, or was changed by others meanwhile.
 */
export const closeWithChunk = async (
  ports: SendPushPorts,
  message: PushMessage,
  chunk: PushChunk,
  settled: readonly SettledDispatch[] = [],
): Promise<boolean> => {
  const ended = afterSettlement(chunk, settled);
  if (chunksOf(message) !== 1 || !isOpen(message) || !isResolved(ended)) return false;
  return ports.sender.close(message, await outcomeOfChunks(ports, message, [ended], settled), { chunk, settled });
};

/** Closes a message once all its chunks are done. Idempotent under concurrent callers. */
export const closeIfDone = async (ports: SendPushPorts, messageId: Id<'message'>): Promise<void> => {
  const message = await ports.sender.message(messageId);
  if (message && isOpen(message)) await closeDone(ports, message, await ports.sender.chunks(message));
};

/** The one chunk of a message to a person. */
const chunkOfPerson = (messageId: Id<'message'>, last: Id<'pushToken'>, devices: number, nextAt: number) =>
  ({
    messageId,
    shard: 0,
    number: 0,
    devices,
    last,
    attempt: 1,
    state: 'open',
    fence: 1,
    leaseUntil: 0,
    nextAt,
    pass: 1,
    cursor: 0,
    step: 0,
    tally: noTally(),
  }) as const;

/** The chunks of a message; those of a message to a person are written when it is sent. */
const chunksToSend = async (ports: SendPushPorts, message: PushMessage, now: number): Promise<readonly PushChunk[]> => {
  const { devices = [] } = message;
  const last = devices.at(-1)?.id;
  if (last !== undefined) {
    const chunk = chunkOfPerson(message.id, last, devices.length, now);
    if ((await ports.sender.putChunk(chunk, message, devices)) === 'written') return [chunk];
  }
  return ports.sender.chunks(message);
};

const drive = async (ports: SendPushPorts, message: PushMessage, now: number): Promise<void> => {
  const chunks = await chunksToSend(ports, message, now);
  if (await closeDone(ports, message, chunks)) return;
  for (const chunk of chunks)
    if (chunk.state === 'open' && chunk.leaseUntil <= now && chunk.nextAt <= now)
      ports.enqueueChunk(message, chunk, now);
};

/** Drives a push message that was just claimed: its deadline is its first check. */
export const driveClaimed = async (ports: SendPushPorts, record: MessageRecord): Promise<void> => {
  if (record.channel === 'push') await drive(ports, pushMessageOf(record, noTally()), ports.clock());
};

/**
 * Drives a push message in progress: enqueues each of its chunks, again while any is unclaimed and due, and closes the message once all are
 * done. Safe under repeats and reordering.
 */
export const drivePush = async (ports: SendPushPorts, messageId: Id<'message'>): Promise<void> => {
  const message = await ports.sender.message(messageId);
  if (!message || !isOpen(message)) return;
  const now = ports.clock();
  await ports.sender.scheduleCheck(message, now + RECHECK_MS);
  await drive(ports, message, now);
};
