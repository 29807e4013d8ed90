import type { Actor } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import type { StoredMessage } from '../inbound/message.ts';
import type { Clock } from '../time.ts';
import type { Journal } from './journal.ts';
import type { Decision, MessageRecord } from './message.ts';

/** What taking a queued message back needs from outside. */
export interface CancelPorts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'release'>;
  readonly readMessage: (organizationId: string, id: string) => Promise<StoredMessage | undefined>;
}

/** What all of an operator's acts on a queued message need. */
export interface OperatePorts extends CancelPorts {
  /** Makes a queued message leave at a moment (ms) whatever would defer it; false when it left meanwhile. */
  readonly forceLeave: (message: MessageRecord, at: number, decision: Decision) => Promise<boolean>;
  /** Whether the batch that it came with may still be refused as a whole. */
  readonly isUndecided: (message: MessageRecord) => Promise<boolean>;
  /** Hands a queued message to its queue at a moment (ms); may be lost. */
  readonly hintSend: (messageId: string, at: number) => void;
  /** Hands a chain on at a moment (ms); may be lost. */
  readonly hintChain: (id: string, at: number) => void;
}

type Operated = Promise<MessageRecord | Refusal<'CONFLICT' | 'NOT_FOUND'>>;

const isQueued = (message: StoredMessage): message is MessageRecord =>
  message.direction === 'outbound' &&
  message.status === 'queued' &&
  message.hold === 'open' &&
  message.archivedAt === undefined;

const NOT_FOUND = refuse('NOT_FOUND', 'There is no such message.');
const NOT_QUEUED = refuse('CONFLICT', 'The message is not queued.');
/** Why nothing of a strict batch is forced out or sent anew before the batch as a whole is decided. */
export const UNDECIDED = refuse('CONFLICT', {
  detail: 'The strict batch of the message is still being decided: nothing of it leaves before it is accepted.',
  retryAfterSeconds: 1,
});

/**
 * Takes a queued message back before it leaves: its hold is released, its coins are in the wallet at once, and its key stays taken.
 * Against its sender exactly one wins, by the fence. Cancels that meet each other are one, and all answer with the cancelled message. One
 * of a strict batch that is still being decided may be taken back too: the batch counts it as taken in, and as failed since.
 */
export const cancel = async (ports: CancelPorts, { organizationId }: Actor, id: string): Operated => {
  const message = await ports.readMessage(organizationId, id);
  if (!message) return NOT_FOUND;
  if (!isQueued(message)) return NOT_QUEUED;
  const at = ports.clock();
  const released = await ports.journal.release(message, {
    at,
    reason: 'cancelled',
    lastError: 'Cancelled before it left.',
    decisions: [{ at, kind: 'operator', detail: 'cancelled; hold released', coins: message.coins }],
    freeKey: false,
    events: [],
  });
  const now = released ? await ports.readMessage(organizationId, id) : undefined;
  return now?.direction === 'outbound' && now.reason === 'cancelled' ? now : NOT_QUEUED;
};

/**
 * Sends a queued message now, past its moment, quiet hours and rate buckets (interface 2.10, force). One of a strict batch only once that is
 * accepted: 409 before, so that a batch is either sent or refused as a whole.
 */
export const force = async (ports: OperatePorts, { organizationId }: Actor, id: string): Operated => {
  const message = await ports.readMessage(organizationId, id);
  if (!message) return NOT_FOUND;
  if (!isQueued(message)) return NOT_QUEUED;
  if (await ports.isUndecided(message)) return UNDECIDED;
  const at = ports.clock();
  const decision: Decision = { at, kind: 'operator', detail: 'forced to leave now' };
  if (!(await ports.forceLeave(message, at, decision))) return NOT_QUEUED;
  ports.hintSend(id, at);
  if (message.chainId) ports.hintChain(message.chainId, at);
  return { ...message, force: true, updatedAt: at };
};
