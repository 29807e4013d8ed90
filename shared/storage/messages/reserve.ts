import type { Id } from '../../domain/core/ids.ts';
import { asCoins } from '../../domain/core/money.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countsOfAcceptance, countsOfWithdrawal } from '../../domain/message/automation-counts.ts';
import type { Reservation, ReserveOutcome } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import { messageCountWrites } from '../automation/counters.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { recipientConsent } from '../contacts/recipient-opt-outs.ts';
import { countWrite, parseSentCounts } from '../contacts/sent-counts.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { takenPartsWrites } from '../smpp/parts-of-message.ts';
import { type Debit, type DebitWrites, debitFailure, makeDebit } from '../wallet/debit.ts';
import { entryWrite, groupedEntries } from '../wallet/entries.ts';
import { ceilingWrite } from '../wallet/limits.ts';
import { freedUnits } from '../wallet/volumes.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { fallbackWrite, stepWrites } from './fallbacks.ts';
import { positionsBack, refundOf, returnWrites } from './holds.ts';
import { idempotencyRows, idempotencyWrite } from './idempotency.ts';
import { sentMessageOf } from './inbound-rows.ts';
import { markLate } from './late-changes.ts';
import { linkWrites } from './links.ts';
import { dueEntry, messageRows } from './message-rows.ts';
import { bodyWrite, type Sealer } from './queued.ts';
import { replaceWrites } from './replace.ts';

type Part =
  | 'idempotencyRecord'
  | 'wallet'
  | 'entry'
  | 'message'
  | 'consent'
  | 'ceiling'
  | 'count'
  | 'tally'
  | 'event'
  | 'link'
  | 'transition'
  | 'fallback'
  | 'parts'
  | 'original';
/** A write of a reservation, with its role. */
export type Named = { readonly part: Part; readonly write: WriteOp };

const contactConsent = (
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  requiresConsent: boolean,
): WriteOp => {
  const text = requiresConsent ? '#org = :org AND #optInStatus <> :denied' : '#org = :org';
  const values = { org: organizationId, ...(requiresConsent ? { denied: 'denied' } : {}) };
  return { check: KEYS.contact(contactId), when: { text, values } };
};

/** The checks that the recipient of a reservation, and the contact that it names, did not opt out. */
export const consentWrites = ({ message: { organizationId }, consent }: Reservation): Named[] => {
  const { contactId, requiresConsent } = consent;
  const contact = contactId && contactConsent(organizationId, contactId, requiresConsent);
  const recipient = recipientConsent(organizationId, consent);
  return [contact, recipient].flatMap((write) => (write ? [{ part: 'consent', write } as const] : []));
};

/** Whether the replaced message returns its hold to the rows that the debit writes: its hold is open, and in the same lane. */
const returnsWithDebit = ({ message, original }: Reservation): boolean =>
  original?.hold === 'open' && message.lane === original.lane;

/** The debit of a reservation: the price, minus the hold of the replaced message if both are in one lane. */
export const debitOf = (reservation: Reservation): Debit => {
  const { message, original, volume } = reservation;
  const { organizationId, env, channel, createdAt: now, lane = 0 } = message;
  const replaced = original && returnsWithDebit(reservation) ? original : undefined;
  const coins = asCoins(message.coins - refundOf(replaced));
  const positions = replaced && positionsBack(replaced);
  const isSameMonth = lane === 0 && replaced?.channel === channel && positions?.month === volume?.month;
  const back = isSameMonth ? positions?.positions : undefined;
  return {
    organizationId,
    env,
    lane,
    coins,
    add: {
      held: coins,
      [channel]: 1,
      ...(replaced && positions && !back ? freedUnits(replaced.channel, positions) : {}),
    },
    sends: 1,
    volume: volume && { channel, ...volume },
    back,
    now,
  };
};

/** The returns of the replaced message to rows other than those of the debit. */
const replacedWrites = (reservation: Reservation): WriteOp[] => {
  const { original } = reservation;
  return original?.hold === 'open' && !returnsWithDebit(reservation) ? returnWrites(original) : [];
};

/** Counts sends of one organization, channel and contracted rate in their seconds. */
const limitWrites = (reservations: readonly Reservation[]): Named[] => {
  const limited = reservations.filter(({ perSecond }) => perSecond !== undefined);
  const seconds = Map.groupBy(limited, ({ message }) => Math.floor(message.createdAt / 1000));
  return [...seconds.values()].flatMap((sent): Named[] => {
    const [{ message, perSecond } = {}] = sent;
    if (!message || perSecond === undefined) return [];
    const { organizationId, channel, createdAt } = message;
    const write = ceilingWrite(organizationId, createdAt, { channel, sends: sent.length, perSecond });
    return [{ part: 'ceiling', write }];
  });
};

/** The rows of a queued message: the rest of its content, its fallback, or the fallback's step to it. */
const queuedWrites = async ({ message, body, fallback, transition }: Reservation, sealer: Sealer): Promise<Named[]> => [
  ...(transition ? stepWrites(transition, message).map((write): Named => ({ part: 'transition', write })) : []),
  ...(fallback ? [{ part: 'fallback', write: await fallbackWrite(sealer, fallback, message.createdAt) } as const] : []),
  ...(body === undefined ? [] : [{ part: 'fallback', write: await bodyWrite(sealer, message, body) } as const]),
];

const originalWrites = (table: Table, { message, original }: Reservation): Named[] => {
  if (!original) return [];
  const { archive, withdrawal } = replaceWrites(table, original, message);
  return [archive, ...withdrawal].map((write): Named => ({ part: 'original', write }));
};

/** Updates the counters of journey steps and campaigns for messages, and for those that they replace. */
const tallyWrites = (reservations: readonly Reservation[]): Named[] =>
  messageCountWrites(
    reservations.flatMap(({ message, original }) => [
      [message, countsOfAcceptance(message)] as const,
      ...(original?.hold === 'open' ? [[original, countsOfWithdrawal(original)] as const] : []),
    ]),
  ).map((write) => ({ part: 'tally', write }));

const eventWrites = (events: readonly DomainEvent[] = []): Named[] =>
  events.map((event) => ({ part: 'event', write: eventWrite(event) }));

/** The writes of a reservation without its consent checks and those that it may share with others. */
export const ownWrites = (table: Table, reservation: Reservation, queued: readonly Named[] = []): Named[] => {
  const { message } = reservation;
  return [
    ...(reservation.unrepeatable ? [] : [{ part: 'idempotencyRecord', write: idempotencyWrite(reservation) } as const]),
    ...originalWrites(table, reservation),
    { part: 'message', write: { put: { ...messageRows.write(message), ...dueEntry(message) }, when: ABSENT } },
    ...(reservation.count ? [{ part: 'count', write: countWrite(reservation.count) } as const] : []),
    ...replacedWrites(reservation).map((write): Named => ({ part: 'original', write })),
    ...queued,
    ...eventWrites(reservation.events),
    ...takenPartsWrites(message).map((write): Named => ({ part: 'parts', write })),
    ...linkWrites(reservation).map((write): Named => ({ part: 'link', write })),
  ];
};

/** The ledger entry of a message's hold. */
const holdWrite = ({ message: { id: messageId, organizationId, coins, createdAt: at, lane } }: Reservation): WriteOp =>
  entryWrite({ organizationId, lane, kind: 'hold', coins: -coins, held: coins, at, messageId });

/** The writes that reservations of one debit share: the debit, its warnings, their ledger entries, their rate limit and their counters. */
export const sharedWrites = (reservations: readonly Reservation[], { wallet, events }: DebitWrites): Named[] => [
  { part: 'wallet', write: wallet },
  ...groupedEntries(reservations.map(holdWrite)).map((write): Named => ({ part: 'entry', write })),
  ...limitWrites(reservations),
  ...tallyWrites(reservations),
  ...eventWrites(events),
];

/**
 * The result of a cancelled reservation apart from its debit, in the order in which a send is checked (docs/spec/sends.md#order-of-checks).
 */
const verdictOf = (
  reservation: Reservation,
  failed: (part: Part) => CancelReason | undefined,
): ReserveOutcome | { readonly kind: 'again' } | undefined => {
  const idempotencyRecord = failed('idempotencyRecord');
  if (idempotencyRecord) {
    if (!idempotencyRecord.row) return { kind: 'again' };
    const kept = idempotencyRows.read(idempotencyRecord.row);
    // The response to an earlier attempt was lost: its row exists, so all of its writes do.
    return kept.messageId === reservation.message.id
      ? { kind: 'reserved' }
      : { kind: 'key_taken', idempotencyRecord: kept };
  }
  // Without a record, the row itself is from an earlier attempt, since its key is unique.
  const { unrepeatable, message } = reservation;
  const stored = unrepeatable ? sentMessageOf(failed('message')?.row) : undefined;
  if (stored?.callerKey === message.callerKey) return { kind: 'reserved' };
  if (failed('original')) return { kind: 'original_changed' };
  const consent = failed('consent');
  if (consent) {
    const named = reservation.consent.contactId;
    return named && consent.row?.org !== reservation.message.organizationId
      ? { kind: 'unknown_contact' }
      : { kind: 'opted_out' };
  }
  if (failed('ceiling')) return { kind: 'ceiling' };
  if (failed('parts')) return { kind: 'parts_changed' };
  if (failed('transition')) return { kind: 'superseded' };
  const count = failed('count');
  if (count) return { kind: 'counts_changed', counts: parseSentCounts(count.row) };
  return undefined;
};

/** A reservation with those of its events that a webhook takes. */
export const withTakenEvents = async (table: Table, reservation: Reservation): Promise<Reservation> => {
  const { message, events = [] } = reservation;
  return { ...reservation, events: await takenEvents(table, message.organizationId, events) };
};

/**
 * Reserves a message: idempotency record, hold, ledger entry and message, with all checks, in one transaction. `moved`: its lane was busy
 * or empty; nothing is stored. `raised` receives the committed events for early publication; best effort.
 */
export const reserve = async (
  table: Table,
  reservation: Reservation,
  sealer: Sealer,
  raised: (events: readonly DomainEvent[]) => void,
): Promise<ReserveOutcome> => {
  const { original, message } = reservation;
  if (original) await markLate(table, [original], message.createdAt);
  const debit = debitOf(reservation);
  const queued = await queuedWrites(reservation, sealer);
  const outcome = await makeDebit(
    table,
    debit,
    (own) => [
      ...ownWrites(table, reservation, queued),
      ...consentWrites(reservation),
      ...sharedWrites([reservation], own),
    ],
    async (named, reasons) => {
      const failed = (part: Part) =>
        reasons.find(({ conditionFailed }, at) => conditionFailed && named[at]?.part === part);
      const verdict = verdictOf(reservation, failed);
      return verdict ?? debitFailure(table, debit, failed('wallet'));
    },
  );
  if (outcome.kind !== 'made') return outcome;
  raised([...outcome.events, ...(reservation.events ?? [])]);
  return { kind: 'reserved' };
};
