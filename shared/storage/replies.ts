import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { Unavailable } from '../domain/errors.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import type { InboundChange } from '../domain/inbound/receive.ts';
import type { ReplyRecord } from '../domain/sms/replies.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { inboundFault, inboundWrites } from './inbound.ts';
import { entryWrite } from './ledger.ts';
import { eventWrite } from './outbox.ts';
import type { Row, Table } from './table.ts';
import { guessWallet, planDebit, rememberWallet } from './wallet.ts';
import { parseWallet } from './wallet-row.ts';

const TRIES = 12;
const time = z.iso.datetime().transform((text) => Date.parse(text));
const stored = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  inReplyTo: z.string(),
  route: z.enum(['premium', 'otp']).optional(),
  from: z.string(),
  body: z.string(),
  coins: z.int(),
  receivedAt: time,
  createdAt: time,
});

/** Reads a reply's row; every field is checked. */
export const parseReply = (row: Row): ReplyRecord => {
  const { org, ...fields } = stored.parse(row);
  return { ...fields, organizationId: org } as unknown as ReplyRecord;
};

const replyWrite = (reply: ReplyRecord, coins: number): WriteOp => {
  const { organizationId: org, id, ...fields } = reply;
  const createdAt = isoTime(reply.createdAt);
  return {
    put: {
      ...KEYS.reply(id),
      ...FINDS.repliesOf(org, 'sms', createdAt, id),
      ...FINDS.repliesTo(reply.inReplyTo, createdAt, id),
      ...fields,
      id,
      org,
      coins,
      receivedAt: isoTime(reply.receivedAt),
      createdAt,
    },
    when: { text: 'attribute_not_exists(#pk)' },
  };
};

/** `events`: the ids of what was raised. `moved`: what was read of the sender is no longer so. */
export type ReplyOutcome =
  | { readonly kind: 'kept'; readonly events: readonly string[] }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'moved' };

/** The debit of a reply and its line in the ledger; of one that is not charged, the count of replies alone. */
const moneyWrites = (reply: ReplyRecord, charged: number) => {
  const { organizationId, env, coins, createdAt: now } = reply;
  const plan = charged > 0 ? planDebit(guessWallet(organizationId), coins, { organizationId, env, now }) : undefined;
  const wallet: WriteOp = {
    update: KEYS.wallet(organizationId),
    ...(plan?.warned === undefined ? {} : { set: { warned: plan.warned } }),
    add: { balance: -charged, replies: 1 },
    when: plan?.when ?? { text: 'attribute_exists(#pk)' },
  };
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
 * Keeps a reply: its row, its charge, its event, and the inbound message that it also is with what follows from it, in one transaction. A wallet that cannot pay
 * it is not charged, and the reply is kept all the same: it has been received.
 */
export const keepReply = async (
  table: Table,
  reply: ReplyRecord,
  event: DomainEvent,
  inbound?: InboundChange,
): Promise<ReplyOutcome> => {
  const { organizationId, coins } = reply;
  let payable = true;
  for (let turn = 0; turn < TRIES; turn++) {
    const charged = payable ? coins : 0;
    const money = moneyWrites(reply, charged);
    const first = [replyWrite(reply, charged), ...money.writes, ...[event, ...money.events].map(eventWrite)];
    const outcome = await table.transact([...first, ...(inbound ? inboundWrites(inbound) : [])]);
    if (outcome.ok)
      return { kind: 'kept', events: [event, ...money.events, ...(inbound?.events ?? [])].map(({ id }) => id) };
    if (outcome.reasons[0]?.conditionFailed) return { kind: 'repeated' };
    const fault = inboundFault(outcome.reasons.slice(first.length));
    if (fault) return { kind: fault };
    const wallet = outcome.reasons[1]?.row;
    if (wallet) {
      rememberWallet(organizationId, wallet);
      payable = parseWallet(wallet).balance >= coins;
    }
  }
  throw new Unavailable('The wallet moved too fast to be charged for a reply.');
};
