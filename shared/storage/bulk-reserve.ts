import * as z from 'zod';
import type { ChunkMessage, ChunkOutcome, ChunkReservation } from '../domain/bulk/chunk.ts';
import { Unavailable } from '../domain/errors.ts';
import type { KeptPromise } from '../domain/messages/journal.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { chainWrite } from './chains.ts';
import type { WriteOp } from './expressions.ts';
import { entryWrite } from './ledger.ts';
import { messageRow } from './message-rows.ts';
import { eventWrite } from './outbox.ts';
import { bodyWrite, type Sealer } from './queued.ts';
import { parsePromise, promiseWrite } from './reserve.ts';
import type { CancelReason, Table } from './table.ts';
import { guessWallet, planDebit, rememberWallet } from './wallet.ts';
import { parseWallet } from './wallet-row.ts';

/** Tries of a debit that meets a moving wallet; each costs one round trip and learns the wallet's state. */
const TRIES = 12;

type Part = 'chunk' | 'wallet' | 'entry' | 'volume' | 'ceiling' | 'message' | 'promise' | 'rest' | 'event';
interface Named {
  readonly part: Part;
  readonly write: WriteOp;
  /** The message that it belongs to. */
  readonly messageId?: string;
}

/** A queued message waits with its chunk, whose row is due in its place. */
const waitingRow = ({ message }: ChunkMessage) => {
  const { duePk: _, dueAt: __, ...row } = messageRow(message);
  return row;
};

const chunkRow = (reservation: ChunkReservation) => {
  const { batchId, chunk, organizationId, env, coins, createdAt, leavesAt, decidedBy, messages } = reservation;
  return {
    ...KEYS.batchChunk(batchId, chunk),
    ...FINDS.due('send_chunk', `${batchId}#${chunk}`, decidedBy ?? createdAt),
    batchId,
    chunk,
    org: organizationId,
    env,
    state: 'waiting',
    coins,
    ids: messages.map(({ message }) => message.id),
    createdAt: isoTime(createdAt),
    leavesAt,
    decidedBy,
  };
};

const limitWrites = ({ organizationId, createdAt, volume, ceiling }: ChunkReservation): Named[] => {
  const named: Named[] = [];
  if (volume) {
    const { channel, month, units, from, to } = volume;
    const inRange = '#segments BETWEEN :from AND :to';
    named.push({
      part: 'volume',
      write: {
        update: KEYS.volume(organizationId, channel, month),
        add: { segments: units },
        when: { text: from === 0 ? `attribute_not_exists(#pk) OR ${inRange}` : inRange, values: { from, to } },
      },
    });
  }
  if (ceiling) {
    const { channel, sends, perSecond } = ceiling;
    const second = Math.floor(createdAt / 1000);
    const free = '#sends <= :free';
    named.push({
      part: 'ceiling',
      write: {
        update: KEYS.second(organizationId, channel, second),
        set: { ttl: second + 3600 },
        add: { sends },
        when: {
          text: sends <= perSecond ? `attribute_not_exists(#pk) OR ${free}` : free,
          values: { free: perSecond - sends },
        },
      },
    });
  }
  return named;
};

const messageWrites = async (sealer: Sealer, one: ChunkMessage): Promise<Named[]> => {
  const { message, body, chain, keyed } = one;
  const messageId = message.id;
  return [
    { part: 'message', messageId, write: { put: waitingRow(one), when: { text: 'attribute_not_exists(#pk)' } } },
    ...(keyed ? [{ part: 'promise', messageId, write: promiseWrite(one) } as const] : []),
    ...(body === undefined
      ? []
      : [{ part: 'rest', messageId, write: await bodyWrite(sealer, message, body) } as const]),
    ...(chain ? [{ part: 'rest', messageId, write: await chainWrite(sealer, chain, message.createdAt) } as const] : []),
  ];
};

/** How many messages of each channel: the totals of unfiltered lists. */
const counted = (messages: readonly ChunkMessage[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { message } of messages) counts[message.channel] = (counts[message.channel] ?? 0) + 1;
  return counts;
};

const writesOf = (
  reservation: ChunkReservation,
  plan: ReturnType<typeof planDebit>,
  own: readonly Named[],
): Named[] => {
  const { batchId, organizationId, coins, createdAt, messages } = reservation;
  return [
    { part: 'chunk', write: { put: chunkRow(reservation), when: { text: 'attribute_not_exists(#pk)' } } },
    {
      part: 'wallet',
      write: {
        update: KEYS.wallet(organizationId),
        ...(plan.warned === undefined ? {} : { set: { warned: plan.warned } }),
        add: { balance: -coins, held: coins, ...counted(messages) },
        when: plan.when,
      },
    },
    {
      part: 'entry',
      write: entryWrite({ organizationId, kind: 'hold', coins: -coins, held: coins, at: createdAt, batchId }),
    },
    ...limitWrites(reservation),
    ...own,
    ...plan.events.map((event): Named => ({ part: 'event', write: eventWrite(event) })),
  ];
};

const verdictOf = (
  { organizationId, coins }: ChunkReservation,
  named: readonly Named[],
  reasons: readonly CancelReason[],
): ChunkOutcome | undefined => {
  const failed = (part: Part) =>
    named.flatMap(({ part: own, messageId }, at) =>
      own === part && reasons[at]?.conditionFailed ? [{ messageId, row: reasons[at].row }] : [],
    );
  // A batch's id is new and its chunks are numbered once: the row is our own, of a try whose answer was lost.
  if (failed('chunk').length > 0) return { kind: 'reserved' };
  const promises = new Map<string, KeptPromise>();
  for (const { messageId, row } of failed('promise')) if (messageId && row) promises.set(messageId, parsePromise(row));
  if (promises.size > 0) return { kind: 'kept', promises };
  const [ceiling] = failed('ceiling');
  if (ceiling) return { kind: 'ceiling', sends: ceiling.row ? z.int().parse(ceiling.row.sends) : 0 };
  const [wallet] = failed('wallet');
  if (wallet && !wallet.row) return { kind: 'insufficient', balance: 0 };
  if (wallet?.row) {
    rememberWallet(organizationId, wallet.row);
    const { balance } = parseWallet(wallet.row);
    if (balance < coins) return { kind: 'insufficient', balance };
  }
  const [volume] = failed('volume');
  if (volume) return { kind: 'volume_moved', volume: volume.row ? z.int().parse(volume.row.segments) : 0 };
  return undefined;
};

/** RESERVE of a chunk: one debit and one ledger line for all of its messages, with them and their promises, in one transaction. */
export const reserveChunk = async (
  table: Table,
  sealer: Sealer,
  reservation: ChunkReservation,
  raised: (eventIds: readonly string[]) => void,
): Promise<ChunkOutcome> => {
  const { organizationId, env, createdAt: now, coins, messages } = reservation;
  const own = (await Promise.all(messages.map((message) => messageWrites(sealer, message)))).flat();
  for (let turn = 0; turn < TRIES; turn++) {
    const plan = planDebit(guessWallet(organizationId), coins, { organizationId, env, now });
    const named = writesOf(reservation, plan, own);
    const outcome = await table.transact(named.map(({ write }) => write));
    if (outcome.ok) {
      raised(plan.events.map(({ id }) => id));
      return { kind: 'reserved' };
    }
    const verdict = verdictOf(reservation, named, outcome.reasons);
    if (verdict) return verdict;
  }
  throw new Unavailable('The wallet moved too fast to be debited.');
};
