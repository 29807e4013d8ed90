import * as z from 'zod';
import { Unavailable } from '../domain/errors.ts';
import type { Id } from '../domain/ids.ts';
import type { KeptPromise, Reservation, ReserveOutcome } from '../domain/messages/journal.ts';
import { asCoins } from '../domain/money.ts';
import { KEYS } from './access-patterns.ts';
import { chainWrite, stepWrites } from './chains.ts';
import { recipientConsent } from './consent-rows.ts';
import type { WriteOp } from './expressions.ts';
import { refundOf } from './holds.ts';
import { entryWrite } from './ledger.ts';
import { messageRow } from './message-rows.ts';
import { eventWrite } from './outbox.ts';
import { bodyWrite, type Sealer } from './queued.ts';
import { replaceWrites } from './replace.ts';
import type { CancelReason, Row, Table } from './table.ts';
import { guessWallet, planDebit, rememberWallet } from './wallet.ts';
import { parseWallet } from './wallet-row.ts';

/** How long an idempotency key is kept (interface, part 8). */
export const IDEMPOTENCY_MS = 24 * 3600 * 1000;
/** Tries of a debit that meets a moving wallet; each costs one round trip and learns the wallet's state. */
const TRIES = 12;

const promiseRow = z.object({ messageId: z.string(), requestHash: z.string(), expiresAt: z.int() });
export const parsePromise = (row: Row): KeptPromise & { expiresAt: number } => {
  const { messageId, ...rest } = promiseRow.parse(row);
  return { ...rest, messageId: messageId as Id<'message'> };
};

type Part =
  | 'promise'
  | 'wallet'
  | 'entry'
  | 'message'
  | 'consent'
  | 'volume'
  | 'ceiling'
  | 'event'
  | 'link'
  | 'step'
  | 'chain'
  | 'original';
type Named = { readonly part: Part; readonly write: WriteOp };

/** The promise that a caller's key sends once. */
export const promiseWrite = ({ message, requestHash }: Pick<Reservation, 'message' | 'requestHash'>): WriteOp => {
  const expiresAt = message.createdAt + IDEMPOTENCY_MS;
  return {
    put: {
      ...KEYS.idempotency(message.organizationId, message.callerKey),
      messageId: message.id,
      requestHash,
      expiresAt,
      ttl: Math.ceil(expiresAt / 1000),
    },
    when: { text: 'attribute_not_exists(#pk) OR #expiresAt <= :now', values: { now: message.createdAt } },
  };
};

const contactConsent = (organizationId: string, contactId: string, mayOptOut: boolean): WriteOp => {
  const text = mayOptOut ? '#org = :org AND #optInStatus <> :denied' : '#org = :org';
  const values = { org: organizationId, ...(mayOptOut ? { denied: 'denied' } : {}) };
  return { check: KEYS.contact(contactId), when: { text, values } };
};

const consentWrites = ({ message: { organizationId }, consent }: Reservation): Named[] => {
  const { contactId, mayOptOut } = consent;
  const contact = contactId && contactConsent(organizationId, contactId, mayOptOut);
  const recipient = recipientConsent(organizationId, consent);
  return [contact, recipient].flatMap((write) => (write ? [{ part: 'consent', write } as const] : []));
};

const limitWrites = ({ message, volume, perSecond }: Reservation): Named[] => {
  const named: Named[] = [];
  if (volume) {
    const { month, units, from, to } = volume;
    const inRange = '#segments BETWEEN :from AND :to';
    named.push({
      part: 'volume',
      write: {
        update: KEYS.volume(message.organizationId, message.channel, month),
        add: { segments: units },
        when: { text: from === 0 ? `attribute_not_exists(#pk) OR ${inRange}` : inRange, values: { from, to } },
      },
    });
  }
  if (perSecond !== undefined) {
    const second = Math.floor(message.createdAt / 1000);
    named.push({
      part: 'ceiling',
      write: {
        update: KEYS.second(message.organizationId, message.channel, second),
        set: { ttl: second + 3600 },
        add: { sends: 1 },
        when: { text: 'attribute_not_exists(#pk) OR #sends < :ceiling', values: { ceiling: perSecond } },
      },
    });
  }
  return named;
};

/** What a queued message brings along: the rest of its content, its fallbacks, or the step of its chain. */
const queuedWrites = async ({ message, body, chain, step }: Reservation, sealer: Sealer): Promise<Named[]> => [
  ...(step ? stepWrites(step, message).map((write): Named => ({ part: 'step', write })) : []),
  ...(chain ? [{ part: 'chain', write: await chainWrite(sealer, chain, message.createdAt) } as const] : []),
  ...(body === undefined ? [] : [{ part: 'chain', write: await bodyWrite(sealer, message, body) } as const]),
];

/** What the wallet is to give: the price, less the hold that the replaced message gives back. */
const debitOf = ({ message, original }: Reservation) => asCoins(message.coins - refundOf(original));

const originalWrites = ({ message, original }: Reservation): Named[] => {
  if (!original) return [];
  const { archive, withdrawal } = replaceWrites(original, message);
  return [archive, ...withdrawal].map((write): Named => ({ part: 'original', write }));
};

const writesOf = (reservation: Reservation, plan: ReturnType<typeof planDebit>, queued: readonly Named[]): Named[] => {
  const { message } = reservation;
  const { organizationId, coins, createdAt } = message;
  const debit = debitOf(reservation);
  return [
    { part: 'promise', write: promiseWrite(reservation) },
    ...originalWrites(reservation),
    {
      part: 'wallet',
      write: {
        update: KEYS.wallet(organizationId),
        ...(plan.warned === undefined ? {} : { set: { warned: plan.warned } }),
        add: { balance: -debit, held: debit, [message.channel]: 1 },
        when: plan.when,
      },
    },
    {
      part: 'entry',
      write: entryWrite({
        organizationId,
        kind: 'hold',
        coins: -coins,
        held: coins,
        at: createdAt,
        messageId: message.id,
      }),
    },
    { part: 'message', write: { put: messageRow(message), when: { text: 'attribute_not_exists(#pk)' } } },
    ...consentWrites(reservation),
    ...limitWrites(reservation),
    ...queued,
    ...[...plan.events, ...(reservation.events ?? [])].map(
      (event): Named => ({ part: 'event', write: eventWrite(event) }),
    ),
    ...reservation.links.map(
      ({ code, url }): Named => ({
        part: 'link',
        write: {
          put: {
            ...KEYS.link(code),
            code,
            url,
            org: organizationId,
            env: message.env,
            messageId: message.id,
            clicks: 0,
            createdAt: new Date(createdAt).toISOString(),
          },
          when: { text: 'attribute_not_exists(#pk)' },
        },
      }),
    ),
  ];
};

type Verdict = ReserveOutcome | 'again';

/** What a cancelled reservation means, in the order in which a send is checked (decisions, part 4). */
const verdictOf = (reservation: Reservation, named: readonly Named[], reasons: readonly CancelReason[]): Verdict => {
  const failed = (part: Part) => {
    const at = named.findIndex((entry, index) => entry.part === part && reasons[index]?.conditionFailed);
    return at < 0 ? undefined : reasons[at];
  };
  const promise = failed('promise');
  if (promise) {
    if (!promise.row) return 'again';
    const kept = parsePromise(promise.row);
    // The answer of our own first try was lost: its row is there, so everything of it is.
    return kept.messageId === reservation.message.id ? { kind: 'reserved' } : { kind: 'kept', promise: kept };
  }
  if (failed('original')) return { kind: 'original_moved' };
  const consent = failed('consent');
  if (consent) {
    const named = reservation.consent.contactId;
    return named && consent.row?.org !== reservation.message.organizationId
      ? { kind: 'unknown_contact' }
      : { kind: 'opted_out' };
  }
  if (failed('ceiling')) return { kind: 'ceiling' };
  if (failed('step')) return { kind: 'overtaken' };
  const wallet = failed('wallet');
  if (wallet) {
    if (!wallet.row) return { kind: 'insufficient' };
    rememberWallet(reservation.message.organizationId, wallet.row);
    if (parseWallet(wallet.row).balance < debitOf(reservation)) return { kind: 'insufficient' };
  }
  const volume = failed('volume');
  if (volume) return { kind: 'volume_moved', volume: volume.row ? z.int().parse(volume.row.segments) : 0 };
  return 'again';
};

/** RESERVE: the promise, the hold, its ledger line and the message, with what may forbid them, in one transaction. */
export const reserve = async (
  table: Table,
  reservation: Reservation,
  sealer: Sealer,
  raised: (eventIds: readonly string[]) => void,
): Promise<ReserveOutcome> => {
  const { message } = reservation;
  const at = { organizationId: message.organizationId, env: message.env, now: message.createdAt };
  const queued = await queuedWrites(reservation, sealer);
  for (let turn = 0; turn < TRIES; turn++) {
    const plan = planDebit(guessWallet(message.organizationId), debitOf(reservation), at);
    const named = writesOf(reservation, plan, queued);
    const outcome = await table.transact(named.map(({ write }) => write));
    if (outcome.ok) {
      raised([...plan.events, ...(reservation.events ?? [])].map(({ id }) => id));
      return { kind: 'reserved' };
    }
    const verdict = verdictOf(reservation, named, outcome.reasons);
    if (verdict !== 'again') return verdict;
  }
  throw new Unavailable('The wallet moved too fast to be debited.');
};

/** What is kept under a caller's key, if it has not expired. One read. */
export const readPromise = async (
  table: Table,
  organizationId: string,
  callerKey: string,
  now: number,
): Promise<KeptPromise | undefined> => {
  const row = await table.get(KEYS.idempotency(organizationId, callerKey));
  const promise = row ? parsePromise(row) : undefined;
  return promise && promise.expiresAt > now ? promise : undefined;
};
