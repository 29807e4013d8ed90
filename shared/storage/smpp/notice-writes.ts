import { isoTime } from '../../domain/core/time.ts';
import type { ReplyRecord } from '../../domain/inbound/sms-reply.ts';
import type { MessageRecord, MessageStatus } from '../../domain/message/message.ts';
import { reportedIds } from '../../domain/message/smpp-reports.ts';
import { type Assembly, endedIds } from '../../domain/smpp/assembly.ts';
import { KEEP_NOTICE_MS, type Notice } from '../../domain/smpp/notice.ts';
import type { WriteOp } from '../client/expressions.ts';
import { noticeRows } from './notices.ts';

const noticeWrite = (notice: Omit<Notice, 'reportedCount' | 'attempts'>): WriteOp => ({
  put: {
    ...noticeRows.write({ ...notice, reportedCount: 0, attempts: 0 }),
    ttl: Math.ceil((notice.createdAt + KEEP_NOTICE_MS) / 1000),
  },
});

/** The order in which notices of a message are delivered: sent, final status, replies. */
const ORDER = { left: 1, final: 2, replied: 3 } as const;

/** A status of a message: when it was reached (ms), and when that is recorded. */
interface Reached {
  readonly status: MessageStatus | undefined;
  readonly reason?: string | undefined;
  readonly at: number;
  readonly recordedAt?: number;
}

/**
 * The report of a status to the account that submitted the message, written in the transaction of the status: one row, however many parts
 * the message came in. Nothing if no receipt was requested, or if the message was not submitted over SMPP.
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

/** The notice of a reply to the account of the answered message, written in the transaction of the reply. */
export const replyNoticeWrites = ({ id: replyId, organizationId, inReplyTo, smpp, createdAt }: ReplyRecord) => {
  if (!smpp) return [];
  const { accountId, sentAt } = smpp;
  const position = `${isoTime(sentAt)}#${inReplyTo}#${ORDER.replied}#${isoTime(createdAt)}#${replyId}`;
  return [noticeWrite({ organizationId, accountId, about: inReplyTo, position, replyId, createdAt })];
};

/**
 * The report of cancelled or expired parts to their account, written in the transaction that ends them: nothing if none of them requested a
 * report, or if they have not ended.
 */
export const endedPartsWrites = (assembly: Assembly): readonly WriteOp[] => {
  const { id: about, organizationId, accountId, startedAt, state: reason, endedAt: at } = assembly;
  if (at === undefined || endedIds(assembly).length === 0) return [];
  const position = `${isoTime(startedAt)}#${about}#${ORDER.final}`;
  return [noticeWrite({ organizationId, accountId, about, position, status: 'failed', reason, at, createdAt: at })];
};
