import { isoTime } from '../../domain/core/time.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import type { MessageRecord, MessageStatus } from '../../domain/message/message.ts';
import { reportedIds } from '../../domain/message/smpp-reports.ts';
import { type Assembly, endedIds } from '../../domain/smpp/assembly.ts';
import { KEEP_NOTICE_MS, type Notice } from '../../domain/smpp/notice.ts';
import type { WriteOp } from '../client/expressions.ts';
import { noticeRows } from './notices.ts';

const noticeWrite = (notice: Omit<Notice, 'told' | 'tries'>): WriteOp => ({
  put: {
    ...noticeRows.write({ ...notice, told: 0, tries: 0 }),
    ttl: Math.ceil((notice.createdAt + KEEP_NOTICE_MS) / 1000),
  },
});

/** The notices of a message are told in this order: that it has left, what became of it, the replies to it. */
const ORDER = { left: 1, final: 2, replied: 3 } as const;

/** A status that a message comes to: when (ms), and when that is recorded. */
interface Reached {
  readonly status: MessageStatus | undefined;
  readonly reason?: string | undefined;
  readonly at: number;
  readonly recordedAt?: number;
}

/**
 * What a status of a message writes for the account that submitted it, in the transaction of the status: one row, however many parts the message
 * came in. Nothing where no receipt for it was asked for, and nothing of messages that did not come over SMPP.
 */
export const reportWrites = (
  message: MessageRecord,
  { status, reason, at, recordedAt = at }: Reached,
): readonly WriteOp[] => {
  const { smpp, id: messageId, organizationId, createdAt } = message;
  if (!smpp || status === undefined || reportedIds(message, status).length === 0) return [];
  const order = status === 'sent' ? ORDER.left : ORDER.final;
  const position = `${isoTime(createdAt)}#${messageId}#${order}`;
  const { accountId } = smpp;
  const notice = { organizationId, accountId, about: messageId, position, status, reason, at };
  return [noticeWrite({ ...notice, createdAt: recordedAt })];
};

/** What a reply writes for the account whose message it answers, in the transaction of the reply. */
export const replyNoticeWrites = ({ id: replyId, organizationId, inReplyTo, smpp, createdAt }: ReplyRecord) => {
  if (!smpp) return [];
  const { accountId, sentAt } = smpp;
  const position = `${isoTime(sentAt)}#${inReplyTo}#${ORDER.replied}#${isoTime(createdAt)}#${replyId}`;
  return [noticeWrite({ organizationId, accountId, about: inReplyTo, position, replyId, createdAt })];
};

/**
 * What parts that were cancelled or expired write for their account, in the transaction by which they end: nothing where none of them asked for
 * a report, and nothing of parts that have not ended.
 */
export const endedPartsWrites = (assembly: Assembly): readonly WriteOp[] => {
  const { id: about, organizationId, accountId, startedAt, state: reason, endedAt: at } = assembly;
  if (at === undefined || endedIds(assembly).length === 0) return [];
  const position = `${isoTime(startedAt)}#${about}#${ORDER.final}`;
  return [noticeWrite({ organizationId, accountId, about, position, status: 'failed', reason, at, createdAt: at })];
};
