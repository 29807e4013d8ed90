import type { Deferral } from '../messages/leave.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { RateLimit } from './number.ts';

/** When a message may leave its number. `turn`: a moment (ms) that is its alone. `later`: all near turns are given; ask again. */
export type Room =
  | { readonly kind: 'now' }
  | { readonly kind: 'turn'; readonly at: number }
  | { readonly kind: 'later' };

export interface RatePorts {
  /** The rate of a number of the organization; undefined when it has none such. */
  readonly limitOf: (organizationId: string, numberId: string) => Promise<RateLimit | undefined>;
  /** Draws from a number's buckets: a message of a second and of a day, or the next turn of both. */
  readonly draw: (numberId: string, limit: RateLimit, now: number) => Promise<Room>;
}

const TURN = "the number's rate: its turn is given";
const LATER = "the number's rate: no turn is near";
/** How long after its turn a message may still take it, in ms: what a slow queue costs. Older ones would all leave at once. */
const TURN_HOLDS_MS = 60_000;
/** How long a message first waits before it asks again, in ms, doubled at each try; and the longest. */
const FIRST_WAIT_MS = 120_000;
const LONGEST_WAIT_MS = 3_600_000;

/** Whether a message comes for the turn that it was given. */
const hasTurn = ({ decisions, deadline }: MessageRecord, now: number): boolean =>
  decisions.findLast(({ kind }) => kind === 'deferred')?.detail === TURN && now - deadline <= TURN_HOLDS_MS;

/** Between half of a wait and the whole, always the same for a message: what was put off together does not come back together. */
const spread = (id: string, ms: number): number => {
  const sum = [...id].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000, 7);
  return Math.round(ms * (0.5 + sum / 2_000));
};

/**
 * What a number's rate makes of a message that is about to leave (decisions, part 4: it defers a send): undefined when it may go. Who
 * finds no room is given the next free turn, and leaves then without asking again; who finds no turn near comes back later, so that a
 * rate that was changed meanwhile is soon the one that counts.
 */
export const numberRoom = async (
  ports: RatePorts,
  message: MessageRecord,
  now: number,
): Promise<Deferral | undefined> => {
  const { channel, numberId, organizationId, decisions, id } = message;
  if (channel !== 'whatsapp' || numberId === undefined || hasTurn(message, now)) return undefined;
  const limit = await ports.limitOf(organizationId, numberId);
  if (!limit) return undefined;
  const room = await ports.draw(numberId, limit, now);
  if (room.kind === 'now') return undefined;
  if (room.kind === 'turn') return { until: room.at, detail: TURN };
  const tries = decisions.filter(({ detail }) => detail === LATER).length;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries, 10), LONGEST_WAIT_MS);
  return { until: now + spread(id, wait), detail: LATER };
};
