import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { asCoins } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { Reservation, ReserveOutcome } from '../../domain/sending/message-store.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { recipientConsent } from '../contacts/recipient-opt-outs.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { entryWrite } from '../wallet/ledger.ts';
import { ceilingWrite } from '../wallet/limits.ts';
import { volumeOf, volumeReturn, volumeWrite } from '../wallet/volumes.ts';
import { debitWrite, guessWallet, planDebit, rememberWallet } from '../wallet/wallet.ts';
import { walletRows } from '../wallet/wallet-row.ts';
import { fallbackWrite, stepWrites } from './fallbacks.ts';
import { positionsBack, refundOf } from './holds.ts';
import { idempotencyRows, idempotencyWrite } from './idempotency.ts';
import { linkRows } from './links.ts';
import { dueEntry, messageRows } from './message-rows.ts';
import { bodyWrite, type Sealer } from './queued.ts';
import { replaceWrites } from './replace.ts';

/** Attempts of a debit against a changing wallet; each costs one round trip and reads the wallet's new state. */
const MAX_ATTEMPTS = 12;

type Part =
  | 'idempotencyRecord'
  | 'wallet'
  | 'entry'
  | 'message'
  | 'consent'
  | 'volume'
  | 'ceiling'
  | 'event'
  | 'link'
  | 'transition'
  | 'fallback'
  | 'original';
type Named = { readonly part: Part; readonly write: WriteOp };

const contactConsent = (
  organizationId: Id<'organization'>,
  contactId: Id<'contact'>,
  requiresConsent: boolean,
): WriteOp => {
  const text = requiresConsent ? '#org = :org AND #optInStatus <> :denied' : '#org = :org';
  const values = { org: organizationId, ...(requiresConsent ? { denied: 'denied' } : {}) };
  return { check: KEYS.contact(contactId), when: { text, values } };
};

const consentWrites = ({ message: { organizationId }, consent }: Reservation): Named[] => {
  const { contactId, requiresConsent } = consent;
  const contact = contactId && contactConsent(organizationId, contactId, requiresConsent);
  const recipient = recipientConsent(organizationId, consent);
  return [contact, recipient].flatMap((write) => (write ? [{ part: 'consent', write } as const] : []));
};

/** What a reservation takes of a month and what its original gives back: one write where both are of the same month. */
const volumeWrites = ({ message, original, volume }: Reservation): Named[] => {
  const { organizationId, channel } = message;
  const back = original?.hold === 'open' ? positionsBack(original) : undefined;
  const isSame = back !== undefined && back.month === volume?.month && original?.channel === channel;
  const { month, change } = volume ?? {};
  return [
    ...(month === undefined || change === undefined
      ? []
      : [
          {
            part: 'volume',
            write: volumeWrite(organizationId, channel, month, change, isSame ? back.positions : []),
          } as const,
        ]),
    ...(original && back && !isSame
      ? [{ part: 'original', write: volumeReturn(organizationId, original.channel, back) } as const]
      : []),
  ];
};

const limitWrites = (reservation: Reservation): Named[] => {
  const { organizationId, channel, createdAt } = reservation.message;
  const { perSecond } = reservation;
  return [
    ...volumeWrites(reservation),
    ...(perSecond === undefined
      ? []
      : [
          {
            part: 'ceiling',
            write: ceilingWrite(organizationId, createdAt, { channel, sends: 1, perSecond }),
          } as const,
        ]),
  ];
};

/** What is written with a queued message: the rest of its content, its fallback, or the fallback's step to it. */
const queuedWrites = async ({ message, body, fallback, transition }: Reservation, sealer: Sealer): Promise<Named[]> => [
  ...(transition ? stepWrites(transition, message).map((write): Named => ({ part: 'transition', write })) : []),
  ...(fallback ? [{ part: 'fallback', write: await fallbackWrite(sealer, fallback, message.createdAt) } as const] : []),
  ...(body === undefined ? [] : [{ part: 'fallback', write: await bodyWrite(sealer, message, body) } as const]),
];

/** The coins to debit: the price, less the hold of the message that this one replaces. */
const debitOf = ({ message, original }: Reservation) => asCoins(message.coins - refundOf(original));

const originalWrites = ({ message, original }: Reservation): Named[] => {
  if (!original) return [];
  const { archive, withdrawal } = replaceWrites(original, message);
  return [archive, ...withdrawal].map((write): Named => ({ part: 'original', write }));
};

const linkWrites = ({ message, links }: Reservation): Named[] => {
  const { organizationId, env, id: messageId, createdAt } = message;
  return links.map(({ code, url }): Named => {
    const row = linkRows.write({ code, url, organizationId, env, messageId, clicks: 0 });
    return { part: 'link', write: { put: { ...row, createdAt: isoTime(createdAt) }, when: ABSENT } };
  });
};

const writesOf = (reservation: Reservation, plan: ReturnType<typeof planDebit>, queued: readonly Named[]): Named[] => {
  const { message } = reservation;
  const { organizationId, coins, createdAt } = message;
  const debit = debitOf(reservation);
  return [
    { part: 'idempotencyRecord', write: idempotencyWrite(reservation) },
    ...originalWrites(reservation),
    {
      part: 'wallet',
      write: debitWrite(organizationId, plan, { balance: -debit, held: debit, [message.channel]: 1 }),
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
    {
      part: 'message',
      write: { put: { ...messageRows.write(message), ...dueEntry(message) }, when: ABSENT },
    },
    ...consentWrites(reservation),
    ...limitWrites(reservation),
    ...queued,
    ...[...plan.events, ...(reservation.events ?? [])].map(
      (event): Named => ({ part: 'event', write: eventWrite(event) }),
    ),
    ...linkWrites(reservation),
  ];
};

type Verdict = ReserveOutcome | 'again';

/** The result of a cancelled reservation, in the order in which a send is checked (docs/spec/sends.md#order-of-checks). */
const verdictOf = (reservation: Reservation, named: readonly Named[], reasons: readonly CancelReason[]): Verdict => {
  const failed = (part: Part) => {
    const at = named.findIndex((entry, index) => entry.part === part && reasons[index]?.conditionFailed);
    return at < 0 ? undefined : reasons[at];
  };
  const idempotencyRecord = failed('idempotencyRecord');
  if (idempotencyRecord) {
    if (!idempotencyRecord.row) return 'again';
    const kept = idempotencyRows.read(idempotencyRecord.row);
    // The answer of our own first attempt was lost: its row exists, so everything of it does.
    return kept.messageId === reservation.message.id
      ? { kind: 'reserved' }
      : { kind: 'key_taken', idempotencyRecord: kept };
  }
  if (failed('original')) return { kind: 'original_changed' };
  const consent = failed('consent');
  if (consent) {
    const named = reservation.consent.contactId;
    return named && consent.row?.org !== reservation.message.organizationId
      ? { kind: 'unknown_contact' }
      : { kind: 'opted_out' };
  }
  if (failed('ceiling')) return { kind: 'ceiling' };
  if (failed('transition')) return { kind: 'superseded' };
  const wallet = failed('wallet');
  if (wallet) {
    if (!wallet.row) return { kind: 'insufficient' };
    rememberWallet(reservation.message.organizationId, wallet.row);
    if (walletRows.read(wallet.row).balance < debitOf(reservation)) return { kind: 'insufficient' };
  }
  const volume = failed('volume');
  if (volume) return { kind: 'volume_changed', volume: volumeOf(volume.row) };
  return 'again';
};

/** Reserves a message: idempotency record, hold, ledger entry and message, with all checks, in one transaction. */
export const reserve = async (
  table: Table,
  reservation: Reservation,
  sealer: Sealer,
  raised: (eventIds: readonly Id<'event'>[]) => void,
): Promise<ReserveOutcome> => {
  const { message } = reservation;
  const at = { organizationId: message.organizationId, env: message.env, now: message.createdAt };
  const queued = await queuedWrites(reservation, sealer);
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
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
  throw new Unavailable('The wallet changes too often to be debited.');
};
