import * as z from 'zod';
import { SMS_ROUTES } from '../../domain/channels/sms/content.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { type Coins, NO_COINS } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { InboundChange } from '../../domain/inbound/receive.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import { KEYS } from '../access-patterns.ts';
import { coins, id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { chooseAccount, type Debit, type DebitWrites, debitFailure, tryDebit } from '../wallet/debit.ts';
import { entryWrite } from '../wallet/ledger.ts';
import { inboundFault, inboundWrites } from './inbound.ts';

const MAX_ATTEMPTS = 24;

type Part = 'reply' | 'wallet' | 'rest' | 'inbound';

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

/** The debit of a reply; only the count of replies if it is not charged. */
const debitOf = ({ organizationId, env, createdAt: now }: ReplyRecord, lane: number, charged: Coins): Debit => ({
  organizationId,
  env,
  lane,
  coins: charged,
  add: { replies: 1 },
  sends: 1,
  now,
});

const entryOf = (reply: ReplyRecord, { lane, coins, now: at, organizationId }: Debit): WriteOp[] =>
  coins === 0
    ? []
    : [
        entryWrite({
          organizationId,
          lane,
          kind: 'adjustment',
          coins: -coins,
          held: 0,
          at,
          messageId: reply.inReplyTo,
          description: 'SMS reply',
        }),
      ];

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
  let payable = true;
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const { lane } = await chooseAccount(table, reply.organizationId);
    const charged = payable ? reply.coins : NO_COINS;
    const debit = debitOf(reply, lane, charged);
    const writesOf = (own: DebitWrites): { part: Part; write: WriteOp }[] => [
      { part: 'reply', write: { put: replyRows.write({ ...reply, coins: charged }), when: ABSENT } },
      { part: 'wallet', write: own.wallet },
      ...[...entryOf(reply, debit), ...[event, ...own.events].map(eventWrite)].map(
        (write) => ({ part: 'rest', write }) as const,
      ),
      ...(inbound ? inboundWrites(inbound) : []).map((write) => ({ part: 'inbound', write }) as const),
    ];
    let parts: ReturnType<typeof writesOf> = [];
    const made = await tryDebit(table, debit, (own) => (parts = writesOf(own)));
    if (made.kind === 'made')
      return { kind: 'kept', events: [event, ...made.events, ...(inbound?.events ?? [])].map(({ id }) => id) };
    if (made.kind !== 'failed') continue;
    const { reasons } = made;
    if (reasons[0]?.conditionFailed) return { kind: 'repeated' };
    const fault = inboundFault(reasons.filter((_, at) => parts[at]?.part === 'inbound'));
    if (fault) return { kind: fault };
    const { kind } = await debitFailure(table, debit, { wallet: reasons[1] });
    payable &&= kind !== 'insufficient';
  }
  throw new Unavailable('The wallet changes too often to be charged for a reply.');
};
