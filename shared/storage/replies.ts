import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import { Unavailable } from '../domain/errors.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import type { ReplyRecord } from '../domain/sms/replies.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
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
  route: z.enum(['premium', 'otp']),
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

/**
 * Keeps a reply: its row, its charge and its events in one transaction. A wallet that cannot pay it is not charged, and the
 * reply is kept all the same: it has been received. Answers the raised events' ids, or undefined when the reply was kept before.
 */
export const keepReply = async (
  table: Table,
  reply: ReplyRecord,
  event: DomainEvent,
): Promise<readonly string[] | undefined> => {
  const { organizationId, env, coins, createdAt: now } = reply;
  let payable = true;
  for (let turn = 0; turn < TRIES; turn++) {
    const charged = payable ? coins : 0;
    const plan = charged > 0 ? planDebit(guessWallet(organizationId), coins, { organizationId, env, now }) : undefined;
    const events = [event, ...(plan?.events ?? [])];
    const outcome = await table.transact([
      replyWrite(reply, charged),
      {
        update: KEYS.wallet(organizationId),
        ...(plan?.warned === undefined ? {} : { set: { warned: plan.warned } }),
        add: { balance: -charged, replies: 1 },
        when: plan?.when ?? { text: 'attribute_exists(#pk)' },
      },
      ...(charged > 0
        ? [
            entryWrite({
              organizationId,
              kind: 'adjustment',
              coins: -charged,
              held: 0,
              at: now,
              messageId: reply.inReplyTo,
              description: 'SMS reply',
            }),
          ]
        : []),
      ...events.map(eventWrite),
    ]);
    if (outcome.ok) return events.map(({ id }) => id);
    if (outcome.reasons[0]?.conditionFailed) return undefined;
    const wallet = outcome.reasons[1]?.row;
    if (wallet) {
      rememberWallet(organizationId, wallet);
      payable = parseWallet(wallet).balance >= coins;
    }
  }
  throw new Unavailable('The wallet moved too fast to be charged for a reply.');
};
