import * as z from 'zod';
import { SMS_ROUTES } from '../../domain/channels/sms/content.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import { type Coins, NO_COINS } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { InboundChange } from '../../domain/inbound/receive.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry, personOf } from '../archive/archive-expiry.ts';
import { coins, id, tenant, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { replyNoticeWrites } from '../smpp/notice-writes.ts';
import { type Debit, type DebitWrites, debitFailure, inAnyLane, makeDebit } from '../wallet/debit.ts';
import { entryWrite } from '../wallet/entries.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { inboundFault, inboundWrites, journeyWorkItems, readForInbound } from './inbound.ts';

type Part = 'reply' | 'wallet' | 'entry' | 'rest' | 'inbound';

export const replyRows = defineRow<ReplyRecord>()({
  attributes: {
    id: id('reply'),
    ...tenant,
    inReplyTo: id('message'),
    route: z.enum(SMS_ROUTES).optional(),
    from: z.string(),
    body: z.string(),
    coins,
    receivedAt: time,
    smpp: z.object({ accountId: id('smppAccount'), sentAt: time }).optional(),
    createdAt: time,
  },
  key: (reply) => KEYS.reply(reply.id),
  index({ id, organizationId, inReplyTo, createdAt }) {
    const at = isoTime(createdAt);
    return { ...INDEX_KEYS.repliesOf(organizationId, 'sms', at, id), ...INDEX_KEYS.repliesTo(inReplyTo, at, id) };
  },
});

/** `work`: resulting work for early publication. `moved`: the sender's state changed since it was read. */
export type ReplyOutcome =
  | { readonly kind: 'kept'; readonly work: readonly Publishable[] }
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
 * Stores a reply: its row, charge and event, and its inbound message with all of its effects, in one transaction. If the wallet has too
 * little money, the reply is stored without a charge.
 */
export const keepReply = async (
  table: Table,
  reply: ReplyRecord,
  event: DomainEvent,
  inbound?: InboundChange,
): Promise<ReplyOutcome> => {
  const { organizationId } = reply;
  const [events, readings] = await Promise.all([
    takenEvents(table, organizationId, [event, ...(inbound?.events ?? [])]),
    inbound && readForInbound(table, inbound),
  ]);
  const received = inbound && readings ? { change: { ...inbound, events: [] }, readings } : undefined;
  const keep = (charged: Coins) =>
    inAnyLane(table, organizationId, (lane) => keepIn(table, reply, lane, charged, events, received));
  const kept = await keep(reply.coins);
  const outcome = kept.kind === 'insufficient' ? await keep(NO_COINS) : kept;
  if (outcome.kind === 'made') {
    const journeyWork = received ? journeyWorkItems(received.change, received.readings) : [];
    return { kind: 'kept', work: [...[...events, ...outcome.events].map(eventWorkItem), ...journeyWork] };
  }
  if (outcome.kind === 'insufficient' || outcome.kind === 'volume_changed')
    throw new Unavailable('There is no wallet.');
  return outcome;
};

/** When a reply is archived, and its person, which its inbound message contains. */
const archiveAttributes = (table: Table, { createdAt }: ReplyRecord, inbound: InboundChange | undefined) =>
  inbound && { ...archiveExpiry(table, createdAt), ...personOf(inbound.message) };

/** The inbound message of a reply. */
interface Received {
  readonly change: InboundChange;
  readonly readings: Awaited<ReturnType<typeof readForInbound>>;
}

/** Stores a reply with its charge, debited from a lane. */
const keepIn = async (
  table: Table,
  reply: ReplyRecord,
  lane: number,
  charged: Coins,
  events: readonly DomainEvent[],
  received: Received | undefined,
) => {
  const debit = debitOf(reply, lane, charged);
  const inbound = received ? inboundWrites(table, received.change, received.readings) : [];
  const writes = (own: DebitWrites): { part: Part; write: WriteOp }[] => [
    {
      part: 'reply',
      write: {
        put: { ...replyRows.write({ ...reply, coins: charged }), ...archiveAttributes(table, reply, received?.change) },
        when: ABSENT,
      },
    },
    { part: 'wallet', write: own.wallet },
    ...entryOf(reply, debit).map((write) => ({ part: 'entry', write }) as const),
    ...[...events, ...own.events].map(eventWrite).map((write) => ({ part: 'rest', write }) as const),
    ...inbound.map((write) => ({ part: 'inbound', write }) as const),
    ...replyNoticeWrites(reply).map((write) => ({ part: 'rest', write }) as const),
  ];
  return makeDebit(table, debit, writes, async (named, reasons) => {
    const failed = (part: Part) => reasons.filter((_, at) => named[at]?.part === part);
    if (failed('reply')[0]?.conditionFailed) return { kind: 'repeated' } as const;
    const fault = inboundFault(failed('inbound'));
    return fault ? ({ kind: fault } as const) : debitFailure(table, debit, failed('wallet')[0]);
  });
};
