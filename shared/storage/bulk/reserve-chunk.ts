import * as z from 'zod';
import type { ChunkMessage, ChunkOutcome, ChunkReservation, PresentContact } from '../../domain/bulk/chunk.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countsOfAcceptance } from '../../domain/message/automation-counts.ts';
import type { CountedSend } from '../../domain/sending/frequency.ts';
import type { IdempotencyRecord } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import { messageCountWrites } from '../automation/counters.ts';
import { ABSENT, all } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { countWrite, parseSentCounts } from '../contacts/sent-counts.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { fallbackWrite } from '../messages/fallbacks.ts';
import { idempotencyRows, idempotencyWrite } from '../messages/idempotency.ts';
import { linkWrites } from '../messages/links.ts';
import { messageRows } from '../messages/message-rows.ts';
import { bodyWrite, type Sealer } from '../messages/queued.ts';
import { type Debit, type DebitFailure, type DebitWrites, debitFailure, makeDebit } from '../wallet/debit.ts';
import { entryWrite } from '../wallet/entries.ts';
import { ceilingWrite } from '../wallet/limits.ts';
import { chunkRows } from './batch-rows.ts';

type Part =
  | 'contact'
  | 'count'
  | 'chunk'
  | 'wallet'
  | 'entry'
  | 'ceiling'
  | 'message'
  | 'idempotencyRecord'
  | 'rest'
  | 'event';
interface Named {
  readonly part: Part;
  readonly write: WriteOp;
  /** The message or contact that the write belongs to. */
  readonly messageId?: Id<'message'>;
  readonly contactId?: Id<'contact'>;
}

const chunkRow = (reservation: ChunkReservation): Row => {
  const { batchId, chunk, organizationId, env, lane, coins, createdAt, leavesAt, decidedBy, messages } = reservation;
  const messageIds = messages.map(({ message }) => message.id);
  const fields = { batchId, chunk, organizationId, env, coins, messageIds, createdAt, leavesAt, decidedBy } as const;
  return {
    ...chunkRows.write({ ...fields, ...(lane > 0 ? { lane } : {}), state: 'waiting' }),
    ...INDEX_KEYS.due('send_chunk', `${batchId}#${chunk}`, decidedBy),
  };
};

const messageWrites = async (sealer: Sealer, one: ChunkMessage): Promise<Named[]> => {
  const { message, body, fallback, keyed } = one;
  const messageId = message.id;
  return [
    // Not due on its own: the chunk's row is due for all of its messages.
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
    ...linkWrites(one).map((write): Named => ({ part: 'rest', messageId, write })),
  ];
};

/** Counts a send to a contact. */
const countWriteOf = (count: CountedSend): Named => ({
  part: 'count',
  contactId: count.contactId,
  write: countWrite(count),
});

/** Condition: the number of contacts merged into the contact is unchanged. */
const hasMerged = (merges: number): Condition =>
  merges === 0
    ? { text: 'attribute_not_exists(#mergedContacts)' }
    : { text: 'size(#mergedContacts) = :merges', values: { merges } };

/** Condition: the contact exists, with the expected merged ones. */
const presenceCheck =
  ({ organizationId }: ChunkReservation) =>
  ({ contactId, merges }: PresentContact): Named => {
    const isOwn: Condition = { text: '#org = :org', values: { org: organizationId } };
    const when = merges === undefined ? isOwn : all(isOwn, hasMerged(merges));
    return { part: 'contact', contactId, write: { check: KEYS.contact(contactId), when } };
  };

/** The number of messages per channel: added to the totals of unfiltered lists. */
const counted = (messages: readonly ChunkMessage[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { message } of messages) counts[message.channel] = (counts[message.channel] ?? 0) + 1;
  return counts;
};

const debitOf = (reservation: ChunkReservation): Debit => {
  const { organizationId, env, lane, coins, createdAt: now, messages, volume } = reservation;
  const add = { held: coins, ...counted(messages) };
  return { organizationId, env, lane, coins, add, sends: messages.length, volume, now };
};

const writesOf = (reservation: ChunkReservation, debit: DebitWrites, own: readonly Named[]): Named[] => {
  const { batchId, organizationId, lane, coins, createdAt, ceiling, messages } = reservation;
  return [
    { part: 'chunk', write: { put: chunkRow(reservation), when: ABSENT } },
    { part: 'wallet', write: debit.wallet },
    {
      part: 'entry',
      write: entryWrite({ organizationId, lane, kind: 'hold', coins: -coins, held: coins, at: createdAt, batchId }),
    },
    ...(ceiling ? [{ part: 'ceiling', write: ceilingWrite(organizationId, createdAt, ceiling) } as const] : []),
    ...own,
    ...reservation.counts.map(countWriteOf),
    ...reservation.contacts.map(presenceCheck(reservation)),
    ...messageCountWrites(messages.map(({ message }) => [message, countsOfAcceptance(message)] as const)).map(
      (write): Named => ({ part: 'rest', write }),
    ),
    ...debit.events.map((event): Named => ({ part: 'event', write: eventWrite(event) })),
  ];
};

/** Why a chunk's conditions failed. */
const failureOf = async (
  table: Table,
  debit: Debit,
  named: readonly Named[],
  reasons: readonly CancelReason[],
): Promise<ChunkOutcome | DebitFailure> => {
  const failed = (part: Part) =>
    named.flatMap(({ part: own, messageId, contactId }, at) =>
      own === part && reasons[at]?.conditionFailed ? [{ ...reasons[at], messageId, contactId }] : [],
    );
  // A batch's id is new and its chunks are numbered once, so this row is from an earlier attempt of this call whose response was lost.
  if (failed('chunk').length > 0) return { kind: 'reserved' };
  const idempotencyRecords = new Map<Id<'message'>, IdempotencyRecord>();
  for (const { messageId, row } of failed('idempotencyRecord'))
    if (messageId && row) idempotencyRecords.set(messageId, idempotencyRows.read(row));
  if (idempotencyRecords.size > 0) return { kind: 'keys_taken', idempotencyRecords };
  const changed = failed('contact');
  if (changed.length > 0) {
    const isThere = ({ row }: (typeof changed)[number]) => row?.org === debit.organizationId;
    const idsOf = (contacts: typeof changed) => new Set(contacts.flatMap(({ contactId }) => contactId ?? []));
    const merged = idsOf(changed.filter(isThere));
    return { kind: 'contacts_changed', gone: idsOf(changed.filter((one) => !isThere(one))), merged };
  }
  const counted = failed('count').flatMap(({ contactId, row }) =>
    contactId ? [[contactId, parseSentCounts(row)] as const] : [],
  );
  if (counted.length > 0) return { kind: 'counts_changed', counts: new Map(counted) };
  const [ceiling] = failed('ceiling');
  if (ceiling) return { kind: 'ceiling', sends: ceiling.row ? z.int().parse(ceiling.row.sends) : 0 };
  return debitFailure(table, debit, failed('wallet')[0]);
};

/** Reserves a chunk: one debit and one ledger entry for all of its messages, together with them and their idempotency records, in one transaction. */
export const reserveChunk = async (
  table: Table,
  sealer: Sealer,
  reservation: ChunkReservation,
  raised: (events: readonly DomainEvent[]) => void,
): Promise<ChunkOutcome> => {
  const debit = debitOf(reservation);
  const own = (await Promise.all(reservation.messages.map((message) => messageWrites(sealer, message)))).flat();
  const outcome = await makeDebit(
    table,
    debit,
    (writes) => writesOf(reservation, writes, own),
    (named, reasons) => failureOf(table, debit, named, reasons),
  );
  if (outcome.kind !== 'made') return outcome;
  raised(outcome.events);
  return { kind: 'reserved' };
};
