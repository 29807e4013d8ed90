import { asCoins } from '../../domain/core/money.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { bothChanges, NO_CHANGE, type VolumeChange } from '../../domain/pricing/volume.ts';
import type { Reservation, ReserveOutcome } from '../../domain/sending/message-store.ts';
import { rowBytes } from '../../domain/sending/size.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { inTransactions, type TransactionPart, writeName } from '../client/transactions.ts';
import { type Debit, type DebitFailure, debitFailure, makeDebit } from '../wallet/debit.ts';
import { consentWrites, debitOf, type Named, ownWrites, sharedWrites } from './reserve.ts';

/** What became of one of several reservations. `apart`: nothing was stored for it, as far as is known; alone it gets its answer. */
export type TogetherOutcome =
  | Extract<ReserveOutcome, { kind: 'insufficient' | 'moved' | 'reserved' }>
  | { readonly kind: 'apart' };
const APART: TogetherOutcome = { kind: 'apart' };
const RESERVED: TogetherOutcome = { kind: 'reserved' };
const INSUFFICIENT: TogetherOutcome = { kind: 'insufficient' };

/** Upper estimate of the rows of a message without its content, in bytes. */
const ROWS_BYTES = 4_000;

/** Reservations whose transactions may be one: of the same rows of the wallet, and with the same prices and rates. */
export const togetherKey = ({ message, volume, perSecond }: Reservation): string => {
  const { organizationId, env, channel, lane = 0 } = message;
  return [organizationId, env, channel, lane, volume?.month, perSecond].join(' ');
};

/**
 * Whether a reservation may be in one transaction with others: it writes only what is its own. Not one that takes positions which came back: the
 * condition on how many there are is one for all, and holds for the sum of two that would each have another price.
 */
export const mayJoin = (reservation: Reservation): boolean => {
  const { original, body, fallback, transition, count, links, consent, volume } = reservation;
  const parts = [original, body, fallback, transition, count, consent.contactId];
  return parts.every((part) => part === undefined) && links.length === 0 && !volume?.change.reused.length;
};

/** What reservations take of the month one after the other; undefined where one of them has another price behind those before it. */
const takenBy = (before: VolumeChange, { volume }: Reservation): VolumeChange | undefined => {
  if (!volume) return before;
  const change = bothChanges(before, volume.change);
  return change.volumeFrom <= change.volumeTo ? change : undefined;
};

/** Those that have their price one after the other. */
const atTheirPrice = <One extends { readonly reservation: Reservation }>(all: readonly One[]): One[] => {
  let taken: VolumeChange = NO_CHANGE;
  return all.filter(({ reservation }) => {
    const change = takenBy(taken, reservation);
    if (change) taken = change;
    return change !== undefined;
  });
};

/** The one debit of several reservations. */
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

/** A write, and the reservations that it is of. */
interface Owned extends Named {
  readonly of: readonly Reservation[];
}

/** A reservation with what it writes of its own. */
interface Part extends TransactionPart {
  readonly reservation: Reservation;
  readonly own: readonly Owned[];
}

const partOf = (table: Table, reservation: Reservation): Part => {
  const { content, metadata } = reservation.message;
  const own = ownWrites(table, reservation).map((named): Owned => ({ ...named, of: [reservation] }));
  // Besides them the check of its recipient, which others may share.
  const size = { besides: 1, bytes: ROWS_BYTES + rowBytes({ content, metadata, labels: {} }) * 1.1 };
  return { reservation, own, writes: own.map(({ write }) => write), ...size };
};

/** The checks of recipients, each once for all messages to it. */
const sharedConsents = (reservations: readonly Reservation[]): Owned[] => {
  const owned = reservations.flatMap((one) => consentWrites(one).map((named): Owned => ({ ...named, of: [one] })));
  const byRecipient = Map.groupBy(owned, ({ write }) => writeName(write));
  return [...byRecipient.values()].flatMap((same): Owned[] => {
    const [first] = same;
    return first ? [{ ...first, of: same.flatMap(({ of }) => of) }] : [];
  });
};

type Failure =
  /** Conditions of these failed; the others may still be reserved together. */
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

/** Makes one debit for reservations, with the rows of all of them, in one transaction. */
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

/** Parts, in their order, that a balance pays for together. */
const paidFrom = (parts: readonly Part[], balance: number): ReadonlySet<Part> => {
  let left = balance;
  const paid = parts.filter(({ reservation: { message } }) => {
    if (message.coins > left) return false;
    left -= message.coins;
    return true;
  });
  return new Set(paid);
};

type Outcomes = Map<Reservation, TogetherOutcome>;

/** Decides what can be decided together; what is to be decided alone gets no outcome. */
const decide = async (table: Table, asked: readonly Part[], raised: Raised, outcomes: Outcomes): Promise<void> => {
  // Without those that were refused, others may not have their price any more.
  const parts = atTheirPrice(asked);
  const [first] = parts;
  if (!first) return undefined;
  const all = (outcome: TogetherOutcome, some = parts): void => {
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
      // No other condition failed: the wallet refuses whose own price it does not cover, and pays for as many of the others as it can.
      const { balance } = outcome;
      const isShort = ({ reservation: { message } }: Part) => message.coins > balance;
      all(INSUFFICIENT, parts.filter(isShort));
      const open = parts.filter((part) => !isShort(part));
      const paid = paidFrom(open, balance);
      // What a balance would have paid for was refused: there is no wallet, and not even what is free is sent.
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
 * Reserves messages of one `togetherKey`, each by itself as `reserve` does, in as few transactions as may be: one debit for all of them, while each has
 * its own rows and conditions. Answers in their order. What cannot be decided together is `apart`: a message whose own condition fails, and all of them
 * where their rate or their place in the month is refused.
 */
export const reserveTogether = async (
  table: Table,
  reservations: readonly Reservation[],
  raised: Raised,
): Promise<readonly TogetherOutcome[]> => {
  const outcomes: Outcomes = new Map();
  const parts = reservations.length > 1 ? atTheirPrice(reservations.map((one) => partOf(table, one))) : [];
  for (const transaction of inTransactions(parts)) await decide(table, transaction, raised, outcomes);
  return reservations.map((one) => outcomes.get(one) ?? APART);
};
