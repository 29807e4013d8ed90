import { isRefusal } from '../errors.ts';
import { dispatchMessage, giveUp } from './dispatch.ts';
import type { Decision, MessageRecord } from './message.ts';
import type { SendPorts } from './ports.ts';

/** Why a message does not leave yet, and until when (ms). */
export interface Deferral {
  readonly until: number;
  readonly detail: string;
}

export interface LeavePorts extends SendPorts {
  /** What leaves, where more leaves than is kept on the message; undefined when it is gone. */
  readonly contentOf: (message: MessageRecord) => Promise<unknown>;
  /** Whether a way before it, of the chain that it is a hop of, has arrived. */
  readonly overtaken: (message: MessageRecord) => Promise<boolean>;
  /** When a message may leave, in ms, by the quiet hours of its organization; `now` or earlier when at once. */
  readonly mayLeaveAt: (message: MessageRecord, now: number) => Promise<number>;
  /** What the rate of the number that it leaves from makes of it; undefined when it may go. Absent where numbers have no rates. */
  readonly numberRoom?: (message: MessageRecord, now: number) => Promise<Deferral | undefined>;
  /** Moves a queued message's moment; false when it moved meanwhile. */
  readonly postpone: (message: MessageRecord, until: number, decision: Decision) => Promise<boolean>;
  /** Hands a queued message to its queue at a moment (ms); may be lost. */
  readonly hintSend: (messageId: string, at: number) => void;
}

/**
 * Sends a queued message whose time has come. Repeats and any order change nothing: only who takes it from the queue under its fence
 * sends it, and what a crash leaves behind is resolved like any other send.
 */
export const leave = async (ports: LeavePorts, messageId: string): Promise<void> => {
  const queued = await ports.journal.read(messageId);
  if (queued && mayLeave(queued, ports.clock())) await leaveQueued(ports, queued);
};

/** Whether a message's time has come and nobody took it yet. */
export const mayLeave = ({ status, hold, deadline }: MessageRecord, now: number): boolean =>
  status === 'queued' && hold === 'open' && deadline <= now;

/** Quiet hours first: what they hold back takes no room from what may leave. */
const deferralOf = async (ports: LeavePorts, queued: MessageRecord, now: number): Promise<Deferral | undefined> => {
  const until = await ports.mayLeaveAt(queued, now);
  return until > now ? { until, detail: 'quiet hours' } : ports.numberRoom?.(queued, now);
};

/** A hop that waited for its moment while a way before it arrived after all: it never leaves, and its hold is given back. */
const withdrawHop = async (ports: LeavePorts, queued: MessageRecord, at: number): Promise<void> => {
  const detail = 'not sent: a way before it arrived; hold released';
  await ports.journal.release(queued, {
    at,
    reason: 'cancelled',
    lastError: 'A way before it arrived.',
    decisions: [{ at, kind: 'fallback', detail, coins: queued.coins }],
    freeKey: false,
    events: [],
  });
};

/** Whether a message's moment was moved, so that much may have happened since it was queued. */
const wasDeferred = ({ deadline, createdAt }: MessageRecord): boolean => deadline > createdAt;

/** The same for a message that was just read. */
export const leaveQueued = async (ports: LeavePorts, queued: MessageRecord): Promise<void> => {
  const now = ports.clock();
  if (wasDeferred(queued) && (await ports.overtaken(queued))) return withdrawHop(ports, queued, now);
  const deferral = queued.force ? undefined : await deferralOf(ports, queued, now);
  if (deferral) {
    const { until, detail } = deferral;
    const decision: Decision = { at: now, kind: 'deferred', detail };
    if (await ports.postpone(queued, until, decision)) ports.hintSend(queued.id, until);
    return;
  }
  const { id: messageId, channel, organizationId, env, route } = queued;
  const candidates = await ports.routing.candidates(channel, organizationId, env, route);
  const provider = (candidates.kind === 'ready' && candidates.providers[0]?.name) || queued.provider;
  const message = await ports.journal.begin(queued, provider, now, now + ports.sendDeadlineMs);
  if (!message) return;
  const content = await ports.contentOf(message);
  if (content === undefined) {
    await giveUp(ports, message, { kind: 'refused', cause: 'content', detail: 'its content is gone' }, true);
    return;
  }
  const sent = await dispatchMessage(ports, message, content, candidates, true);
  if (isRefusal(sent)) ports.observe.sent(channel, sent.name, { organizationId, messageId });
};
