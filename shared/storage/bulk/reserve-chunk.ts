import * as z from 'zod';
import type { ChunkMessage, ChunkOutcome, ChunkReservation } from '../../domain/bulk/chunk.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { IdempotencyRecord } from '../../domain/sending/message-store.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { fallbackWrite } from '../messages/fallbacks.ts';
import { idempotencyRows, idempotencyWrite } from '../messages/idempotency.ts';
import { messageRows } from '../messages/message-rows.ts';
import { bodyWrite, type Sealer } from '../messages/queued.ts';
import { entryWrite } from '../wallet/ledger.ts';
import { ceilingWrite } from '../wallet/limits.ts';
import { volumeOf, volumeWrite } from '../wallet/volumes.ts';
import { debitWrite, guessWallet, planDebit, rememberWallet } from '../wallet/wallet.ts';
import { walletRows } from '../wallet/wallet-row.ts';
import { chunkRows } from './batch-rows.ts';

/** Attempts of a debit against a changing wallet; each costs one round trip and reads the wallet's new state. */
const MAX_ATTEMPTS = 12;

type Part = 'chunk' | 'wallet' | 'entry' | 'volume' | 'ceiling' | 'message' | 'idempotencyRecord' | 'rest' | 'event';
interface Named {
  readonly part: Part;
  readonly write: WriteOp;
  /** The message that the write belongs to. */
  readonly messageId?: Id<'message'>;
}

const chunkRow = (reservation: ChunkReservation): Row => {
  const { batchId, chunk, organizationId, env, coins, createdAt, leavesAt, decidedBy, messages } = reservation;
  const messageIds = messages.map(({ message }) => message.id);
  const fields = { batchId, chunk, organizationId, env, coins, messageIds, createdAt, leavesAt, decidedBy } as const;
  return {
    ...chunkRows.write({ ...fields, state: 'waiting' }),
    ...INDEX_KEYS.due('send_chunk', `${batchId}#${chunk}`, decidedBy),
  };
};

const limitWrites = ({ organizationId, createdAt, volume, ceiling }: ChunkReservation): Named[] => [
  ...(volume
    ? [{ part: 'volume', write: volumeWrite(organizationId, volume.channel, volume.month, volume.change) } as const]
    : []),
  ...(ceiling ? [{ part: 'ceiling', write: ceilingWrite(organizationId, createdAt, ceiling) } as const] : []),
];

const messageWrites = async (sealer: Sealer, one: ChunkMessage): Promise<Named[]> => {
  const { message, body, fallback, keyed } = one;
  const messageId = message.id;
  return [
    // Not due by itself: the chunk's row is due for all of its messages.
    {
      part: 'message',
      messageId,
      write: { put: messageRows.write(message), when: ABSENT },
    },
    ...(keyed ? [{ part: 'idempotencyRecord', messageId, write: idempotencyWrite(one) } as const] : []),
    ...(body === undefined
      ? []
      : [{ part: 'rest', messageId, write: await bodyWrite(sealer, message, body) } as const]),
    ...(fallback
      ? [{ part: 'rest', messageId, write: await fallbackWrite(sealer, fallback, message.createdAt) } as const]
      : []),
  ];
};

/** The number of messages per channel: added to the totals of unfiltered lists. */
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
    { part: 'chunk', write: { put: chunkRow(reservation), when: ABSENT } },
    {
      part: 'wallet',
      write: debitWrite(organizationId, plan, { balance: -coins, held: coins, ...counted(messages) }),
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
  // A batch's id is new and its chunks are numbered once: this row was written by our own earlier attempt, whose answer was lost.
  if (failed('chunk').length > 0) return { kind: 'reserved' };
  const idempotencyRecords = new Map<Id<'message'>, IdempotencyRecord>();
  for (const { messageId, row } of failed('idempotencyRecord'))
    if (messageId && row) idempotencyRecords.set(messageId, idempotencyRows.read(row));
  if (idempotencyRecords.size > 0) return { kind: 'keys_taken', idempotencyRecords };
  const [ceiling] = failed('ceiling');
  if (ceiling) return { kind: 'ceiling', sends: ceiling.row ? z.int().parse(ceiling.row.sends) : 0 };
  const [wallet] = failed('wallet');
  if (wallet && !wallet.row) return { kind: 'insufficient', balance: 0 };
  if (wallet?.row) {
    rememberWallet(organizationId, wallet.row);
    const { balance } = walletRows.read(wallet.row);
    if (balance < coins) return { kind: 'insufficient', balance };
  }
  const [volume] = failed('volume');
  if (volume) return { kind: 'volume_changed', volume: volumeOf(volume.row) };
  return undefined;
};

/** Reserves a chunk: one debit and one ledger entry for all of its messages, together with them and their idempotency records, in one transaction. */
export const reserveChunk = async (
  table: Table,
  sealer: Sealer,
  reservation: ChunkReservation,
  raised: (eventIds: readonly Id<'event'>[]) => void,
): Promise<ChunkOutcome> => {
  const { organizationId, env, createdAt: now, coins, messages } = reservation;
  const own = (await Promise.all(messages.map((message) => messageWrites(sealer, message)))).flat();
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
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
  throw new Unavailable('The wallet changes too often to be debited.');
};
