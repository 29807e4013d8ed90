import { asCoins } from '../../domain/core/money.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { bothChanges, NO_CHANGE, type VolumeChange } from '../../domain/pricing/volume.ts';
import type { Reservation, ReserveOutcome } from '../../domain/sending/message-store.ts';
import { rowBytes } from '../../domain/sending/size.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { inTransactions, type TransactionPart, writeName } from '../client/transactions.ts';
import { type Debit, type DebitFailure, debitFailure, makeDebit } from '../wallet/debit.ts';
import { consentWrites, debitOf, type Named, ownWrites, sharedWrites } from './reserve.ts';

/** The result of one of several reservations. `apart`: nothing was stored for it, as far as is known; it must be reserved individually. */
export type BatchOutcome =
  | Extract<ReserveOutcome, { kind: 'insufficient' | 'moved' | 'reserved' }>
  | { readonly kind: 'apart' };
const APART: BatchOutcome = { kind: 'apart' };
const RESERVED: BatchOutcome = { kind: 'reserved' };
const INSUFFICIENT: BatchOutcome = { kind: 'insufficient' };

/** Upper estimate of the rows of a message without its content, in bytes. */
const ROWS_BYTES = 4_000;

/** Reservations with the same key may share a transaction: they use the same wallet rows, prices and rates. */
export const batchingKey = ({ message, volume, perSecond }: Reservation): string => {
  const { organizationId, env, channel, lane = 0 } = message;
  return [organizationId, env, channel, lane, volume?.month, perSecond].join(' ');
};

/**
 * Whether a reservation may share a transaction: it writes only rows of its own. Not one that takes returned positions: the condition on
 * their number would be shared, and could hold for the sum of two that have different prices individually.
 */
export const mayJoin = (reservation: Reservation): boolean => {
  const { original, body, fallback, transition, count, links, consent, volume } = reservation;
  const parts = [original, body, fallback, transition, count, consent.contactId];
  return parts.every((part) => part === undefined) && links.length === 0 && !volume?.change.reused.length;
};

/** The volume changes of consecutive reservations; undefined if one of them has another price after those before it. */
const takenBy = (before: VolumeChange, { volume }: Reservation): VolumeChange | undefined => {
  if (!volume) return before;
  const change = bothChanges(before, volume.change);
  return change.volumeFrom <= change.volumeTo ? change : undefined;
};

/** The reservations that keep their price when made one after the other. */
const atTheirPrice = <One extends { readonly reservation: Reservation }>(all: readonly One[]): One[] => {
  let taken: VolumeChange = NO_CHANGE;
  return all.filter(({ reservation }) => {
    const change = takenBy(taken, reservation);
    if (change) taken = change;
    return change !== undefined;
  });
};

/** The combined debit of several reservations. */
const sumDebit = (first: Reservation, all: readonly Reservation[]): Debit => {
  const coins = asCoins(all.reduce((sum, { message }) => sum + message.coins, 0));
  const change = all.reduce((sum, one) => (one.volume ? bothChanges(sum, one.volume.change) : sum), NO_CHANGE);
  const { volume, ...debit } = debitOf(first);
  return {
    ...debit,
    coins,
    add: { held: coins, [first.message.channel]: all.length },
    sends: all.length,
    volume: volume && { ...volume, change },
    now: Math.max(...all.map(({ message }) => message.createdAt)),
  };
};

/** A write, and the reservations that it belongs to. */
interface Owned extends Named {
  readonly of: readonly Reservation[];
}

/** A reservation with its own writes. */
interface Part extends TransactionPart {
  readonly reservation: Reservation;
  readonly own: readonly Owned[];
}

const partOf = (table: Table, reservation: Reservation): Part => {
  const { content, metadata } = reservation.message;
  const own = ownWrites(table, reservation).map((named): Owned => ({ ...named, of: [reservation] }));
  // The check of its recipient is separate, since others may share it.
  const size = { besides: 1, bytes: ROWS_BYTES + rowBytes({ content, metadata, labels: {} }) * 1.1 };
  return { reservation, own, writes: own.map(({ write }) => write), ...size };
};

/** The checks of recipients, one per recipient. */
const sharedConsents = (reservations: readonly Reservation[]): Owned[] => {
  const owned = reservations.flatMap((one) => consentWrites(one).map((named): Owned => ({ ...named, of: [one] })));
  const byRecipient = Map.groupBy(owned, ({ write }) => writeName(write));
  return [...byRecipient.values()].flatMap((same): Owned[] => {
    const [first] = same;
    return first ? [{ ...first, of: same.flatMap(({ of }) => of) }] : [];
  });
};

type Failure =
  /** The conditions of these failed; the others may still be reserved together. */
  { readonly kind: 'refused'; readonly refused: ReadonlySet<Reservation> } | { readonly kind: 'apart' };

/** Why a transaction of several was cancelled. */
const failureOf = async (
  table: Table,
  debit: Debit,
  named: readonly Owned[],
  reasons: readonly CancelReason[],
): Promise<DebitFailure | Failure> => {
  const failed = named.filter((_, at) => reasons[at]?.conditionFailed);
  const refused = new Set(failed.flatMap(({ of }) => of));
  if (refused.size > 0) return { kind: 'refused', refused };
  if (failed.some(({ part }) => part === 'ceiling')) return { kind: 'apart' };
  return debitFailure(table, debit, reasons[named.findIndex(({ part }) => part === 'wallet')]);
};

type Raised = (events: readonly DomainEvent[]) => void;

/** Makes one debit for several reservations, with the rows of all of them, in one transaction. */
const reserveAll = async (table: Table, first: Reservation, parts: readonly Part[], raised: Raised) => {
  const all = parts.map(({ reservation }) => reservation);
  const debit = sumDebit(first, all);
  const outcome = await makeDebit(
    table,
    debit,
    (own): Owned[] => [
      ...parts.flatMap((part) => part.own),
      ...sharedConsents(all),
      ...sharedWrites(all, own).map((named): Owned => ({ ...named, of: [] })),
    ],
    (named, reasons) => failureOf(table, debit, named, reasons),
  );
  if (outcome.kind === 'made') raised([...outcome.events, ...all.flatMap(({ events = [] }) => events)]);
  return outcome;
};

/** The parts, in order, that a balance covers together. */
const paidFrom = (parts: readonly Part[], balance: number): ReadonlySet<Part> => {
  let left = balance;
  const paid = parts.filter(({ reservation: { message } }) => {
    if (message.coins > left) return false;
    left -= message.coins;
    return true;
  });
  return new Set(paid);
};

type Outcomes = Map<Reservation, BatchOutcome>;

/** Decides all that can be decided together; the others get no outcome. */
const decide = async (table: Table, requested: readonly Part[], raised: Raised, outcomes: Outcomes): Promise<void> => {
  // Without those that were refused, others may no longer have their price.
  const parts = atTheirPrice(requested);
  const [first] = parts;
  if (!first) return undefined;
  const all = (outcome: BatchOutcome, some = parts): void => {
    for (const { reservation } of some) outcomes.set(reservation, outcome);
  };
  const outcome = await reserveAll(table, first.reservation, parts, raised);
  switch (outcome.kind) {
    case 'made':
      return all(RESERVED);
    case 'moved':
      return all(outcome);
    case 'refused': {
      const open = parts.filter(({ reservation }) => !outcome.refused.has(reservation));
      return decide(table, open, raised, outcomes);
    }
    case 'insufficient': {
      // No other condition failed: the wallet refuses reservations whose own price it does not cover, and pays for as many of the others as
      // it can.
      const { balance } = outcome;
      const isShort = ({ reservation: { message } }: Part) => message.coins > balance;
      all(INSUFFICIENT, parts.filter(isShort));
      const open = parts.filter((part) => !isShort(part));
      const paid = paidFrom(open, balance);
      // Parts that the balance should have covered were refused: there is no wallet, and not even free messages are sent.
      if (paid.size === parts.length) return all(INSUFFICIENT);
      await decide(table, [...paid], raised, outcomes);
      return decide(
        table,
        open.filter((part) => !paid.has(part)),
        raised,
        outcomes,
      );
    }
    default:
      return undefined;
  }
};

/**
 * Reserves messages with the same `batchingKey`, each as `reserve` would, in as few transactions as possible: one debit for all of them,
 * while each has its own rows and conditions. Returns the results in order. `apart` are those that can't be decided together: a message
 * whose own condition fails, or all of them if their rate or volume is refused.
 */
export const reserveBatch = async (
  table: Table,
  reservations: readonly Reservation[],
  raised: Raised,
): Promise<readonly BatchOutcome[]> => {
  const outcomes: Outcomes = new Map();
  const parts = reservations.length > 1 ? reservations.map((one) => partOf(table, one)) : [];
  for (const transaction of inTransactions(parts)) await decide(table, transaction, raised, outcomes);
  return reservations.map((one) => outcomes.get(one) ?? APART);
};
