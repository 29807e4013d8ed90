import * as z from 'zod';
import { SMS_ROUTES } from '../../domain/channels/sms/content.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { NO_COINS } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { InboundChange } from '../../domain/inbound/receive.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import { KEYS } from '../access-patterns.ts';
import { coins, id, time } from '../client/attributes.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { entryWrite } from '../wallet/ledger.ts';
import { debitWrite, guessWallet, planDebit, rememberWallet } from '../wallet/wallet.ts';
import { walletRows } from '../wallet/wallet-row.ts';
import { inboundFault, inboundWrites } from './inbound.ts';

const MAX_ATTEMPTS = 12;

export const replyRows = defineRow<ReplyRecord>()({
  attributes: {
    id: id('reply'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    inReplyTo: id('message'),
    route: z.enum(SMS_ROUTES).optional(),
    from: z.string(),
    body: z.string(),
    coins,
    receivedAt: time,
    createdAt: time,
  },
  rename: { organizationId: 'org' },
  key: (reply) => KEYS.reply(reply.id),
  index({ id, organizationId, inReplyTo, createdAt }) {
    const at = isoTime(createdAt);
    return { ...INDEX_KEYS.repliesOf(organizationId, 'sms', at, id), ...INDEX_KEYS.repliesTo(inReplyTo, at, id) };
  },
});

/** `events`: the ids of the written events. `moved`: the sender's state changed since it was read. */
export type ReplyOutcome =
  | { readonly kind: 'kept'; readonly events: readonly Id<'event'>[] }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'conflict' };

/** The debit of a reply and its ledger entry; only the count of replies if it is not charged. */
const moneyWrites = (reply: ReplyRecord, charged: number) => {
  const { organizationId, env, coins, createdAt: now } = reply;
  const plan = charged > 0 ? planDebit(guessWallet(organizationId), coins, { organizationId, env, now }) : undefined;
  const wallet = debitWrite(organizationId, plan ?? { when: EXISTS, events: [] }, { balance: -charged, replies: 1 });
  const entry = entryWrite({
    organizationId,
    kind: 'adjustment',
    coins: -charged,
    held: 0,
    at: now,
    messageId: reply.inReplyTo,
    description: 'SMS reply',
  });
  return { writes: charged > 0 ? [wallet, entry] : [wallet], events: plan?.events ?? [] };
};

/**
 * Stores a reply: its row, charge and event, and the inbound message that it also is, with everything that this changes, in one transaction. A
 * wallet with too little money is not charged, and the reply is stored all the same.
 */
export const keepReply = async (
  table: Table,
  reply: ReplyRecord,
  event: DomainEvent,
  inbound?: InboundChange,
): Promise<ReplyOutcome> => {
  const { organizationId, coins } = reply;
  let payable = true;
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const charged = payable ? coins : NO_COINS;
    const money = moneyWrites(reply, charged);
    const first: WriteOp[] = [
      { put: replyRows.write({ ...reply, coins: charged }), when: ABSENT },
      ...money.writes,
      ...[event, ...money.events].map(eventWrite),
    ];
    const outcome = await table.transact([...first, ...(inbound ? inboundWrites(inbound) : [])]);
    if (outcome.ok)
      return { kind: 'kept', events: [event, ...money.events, ...(inbound?.events ?? [])].map(({ id }) => id) };
    if (outcome.reasons[0]?.conditionFailed) return { kind: 'repeated' };
    const fault = inboundFault(outcome.reasons.slice(first.length));
    if (fault) return { kind: fault };
    const wallet = outcome.reasons[1]?.row;
    if (wallet) {
      rememberWallet(organizationId, wallet);
      payable = walletRows.read(wallet).balance >= coins;
    }
  }
  throw new Unavailable('The wallet changes too often to be charged for a reply.');
};
