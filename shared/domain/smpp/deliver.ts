import { asId, type Id } from '../core/ids.ts';
import type { MessageOf, MessageStatus } from '../message/message.ts';
import { reportedIds } from '../message/smpp-reports.ts';
import { type Assembly, endedIds } from './assembly.ts';
import { stateOf } from './look-up.ts';
import {
  dueAt,
  KEEP_NOTICE_MS,
  type Notice,
  type NoticeKey,
  type NoticeQueue,
  SHARD_LEASE_MS,
  type ShardLease,
} from './notice.ts';

/** How long a lease is used for sending (ms); the rest of it is for the responses. */
const SENDING_MS = 25_000;
/** The delay of a notice that was not accepted, by the number of attempts (ms); the last value applies from then on. */
const WAITS_MS = [5_000, 15_000, 60_000, 300_000, 900_000];

/** The maximum of a text in a report: 20 characters, each of two code units at most. */
const SHOWN = 40;

/** The text of a reply. */
export interface ReplyText {
  readonly from: string;
  readonly body: string;
}

export interface DeliverPorts {
  readonly clock: () => number;
  readonly notices: NoticeQueue;
  /** Current messages, replies and parts by their ids. One that this version cannot read only defers its own notices. */
  readonly messages: (ids: readonly Id<'message'>[]) => Promise<ReadonlyMap<Id<'message'>, Found<MessageOf<'sms'>>>>;
  readonly replies: (ids: readonly Id<'reply'>[]) => Promise<ReadonlyMap<Id<'reply'>, Found<ReplyText>>>;
  readonly parts: (ids: readonly Id<'smppParts'>[]) => Promise<ReadonlyMap<Id<'smppParts'>, Found<Assembly>>>;
}
export type Found<T> = T | 'unreadable';

/** One deliver_sm, as the functions hand it to the SMPP containers: both may be of another version, so that its names stay. Moments are ms. */
export interface Delivery {
  readonly notice: NoticeKey;
  /** How many earlier attempts its notice had. */
  readonly tries: number;
  /** How many receipts of the notice are answered including this one; absent with the last. */
  readonly told?: number;
  readonly source: string;
  readonly destination: string;
  /** The text of a reply; in a report, the start of the message. */
  readonly text: string;
  /** Absent in a reply. */
  readonly report?: {
    readonly id: string;
    /** `message_state` (SMPP 3.4, 5.2.28). */
    readonly state: number;
    readonly errorCode: number;
    readonly submittedAt: number;
    readonly doneAt: number;
    /** The message has been sent, and its state may still change. */
    readonly intermediate: boolean;
  };
}

/** The deliveries of one lease. */
export interface LeasedWork {
  /** Deliveries of one message are in order, and each waits for the response to the previous one. */
  readonly deliveries: readonly Delivery[];
  /** No sending after this moment (ms). */
  readonly sendUntil: number;
  /** Where the next lease of the shard continues; absent if this one read all of it. */
  readonly next?: string;
  /** When the first deferred notice is due (ms); absent if none was deferred. */
  readonly waitsUntil?: number;
}

/** The subject of reports, and the ids under which it is reported. */
interface Reported extends Pick<Delivery, 'destination' | 'source' | 'text'> {
  readonly ids: readonly string[];
  readonly submittedAt: number;
}

const ofMessage = (message: MessageOf<'sms'>, status: MessageStatus): Reported => ({
  ids: reportedIds(message, status),
  submittedAt: message.createdAt,
  source: message.to,
  destination: message.content.senderId ?? '',
  text: message.content.text.slice(0, SHOWN),
});

/** Parts that never became a message: their text is no longer stored. */
const ofParts = (assembly: Assembly): Reported => ({
  ids: endedIds(assembly),
  submittedAt: assembly.startedAt,
  source: assembly.destination ?? '',
  destination: assembly.source ?? '',
  text: '',
});

/** The reports of a notice that are still unanswered. */
const reportsOf = (notice: Notice, status: MessageStatus, { ids, submittedAt, ...shown }: Reported): Delivery[] => {
  const { reason, at: doneAt = notice.createdAt, reportedCount, attempts } = notice;
  const { state, errorCode } = stateOf({ status, reason });
  const about = { state, errorCode, submittedAt, doneAt, intermediate: status === 'sent' };
  return ids.slice(reportedCount).map((id, at) => ({
    notice,
    tries: attempts,
    ...(reportedCount + at + 1 < ids.length ? { told: reportedCount + at + 1 } : {}),
    ...shown,
    report: { id, ...about },
  }));
};

const replyOf = (notice: Notice, { content }: MessageOf<'sms'>, { from, body }: ReplyText): Delivery => ({
  notice,
  tries: notice.attempts,
  source: from,
  destination: content.senderId ?? '',
  text: body,
});

/** The subjects of the notices. */
interface Subjects {
  readonly messages: ReadonlyMap<string, Found<MessageOf<'sms'>>>;
  readonly replies: ReadonlyMap<string, Found<ReplyText>>;
  readonly parts: ReadonlyMap<string, Found<Assembly>>;
}

/** The deliveries of a notice; none if its subject no longer exists. */
const deliveriesOf = (notice: Notice, { messages, replies, parts }: Subjects): Found<Delivery[]> => {
  const { about, replyId, status } = notice;
  const [message, reply, assembly] = [messages.get(about), replies.get(replyId ?? ''), parts.get(about)];
  if (message === 'unreadable' || reply === 'unreadable' || assembly === 'unreadable') return 'unreadable';
  if (replyId !== undefined) return message && reply ? [replyOf(notice, message, reply)] : [];
  const reported = status && ((message && ofMessage(message, status)) ?? (assembly && ofParts(assembly)));
  return reported ? reportsOf(notice, status, reported) : [];
};

/** The notices to deliver now: a deferred notice holds back the later ones of its message. */
const dueOf = (notices: readonly Notice[], now: number, heldBack: string | undefined) => {
  const held = new Set<string>(heldBack === undefined ? [] : [heldBack]);
  const waits: number[] = [];
  const due = notices.filter((notice) => {
    if (dueAt(notice) > now) {
      held.add(notice.about);
      waits.push(dueAt(notice));
    }
    return !held.has(notice.about);
  });
  return { due, ...(waits.length > 0 ? { waitsUntil: Math.min(...waits) } : {}) };
};

/** The subject of a position: the next page starts after it, so that the rest of the subject waits for the next round. */
const aboutAt = (position: string | undefined): string | undefined => position?.split('#')[1];

/** Records that the account answered a deliver_sm, or refused it permanently. */
export const recordAnswered = async (
  { notices }: Pick<DeliverPorts, 'notices'>,
  { notice, told }: Pick<Delivery, 'notice' | 'told'>,
): Promise<void> => (told === undefined ? notices.remove(notice) : notices.advance(notice, told));

/** Defers a deliver_sm that the account did not accept, or did not answer. */
export const defer = async (
  { clock, notices }: Pick<DeliverPorts, 'clock' | 'notices'>,
  { notice, tries }: Pick<Delivery, 'notice' | 'tries'>,
): Promise<void> => {
  const wait = WAITS_MS[Math.min(tries, WAITS_MS.length - 1)] ?? 0;
  await notices.postpone(notice, tries + 1, clock() + wait);
};

/** Reads what is due, and returns its deliveries; removes notices without content, and defers unreadable ones. */
const deliveriesBy = async (ports: DeliverPorts, due: readonly Notice[]): Promise<Delivery[]> => {
  const about = [...new Set(due.map((notice) => notice.about))];
  const [messages, parts, replies] = await Promise.all([
    ports.messages(about.flatMap((id) => asId('message', id) ?? [])),
    ports.parts(about.flatMap((id) => asId('smppParts', id) ?? [])),
    ports.replies(due.flatMap(({ replyId }) => replyId ?? [])),
  ]);
  const subjects = { messages, parts, replies };
  const said = await Promise.all(
    due.map(async (notice) => {
      const says = deliveriesOf(notice, subjects);
      if (says === 'unreadable') await defer(ports, { notice, tries: notice.attempts });
      else if (says.length === 0) await ports.notices.remove(notice);
      return says === 'unreadable' ? [] : says;
    }),
  );
  return said.flat();
};

/**
 * Leases a shard of an account's notices, and returns the deliveries; undefined while another process has the lease. Until the lease ends
 * no other process delivers from it, so that a notice is delivered twice only if a process crashed, or its acknowledgement was late.
 */
export const leaseShard = async (
  ports: DeliverPorts,
  lease: ShardLease,
  after: string | undefined,
): Promise<LeasedWork | undefined> => {
  const now = ports.clock();
  if (!(await ports.notices.begin(lease, now, now + SHARD_LEASE_MS))) return undefined;
  const { notices, more } = await ports.notices.page(lease, after);
  const isKept = ({ createdAt }: Notice) => createdAt + KEEP_NOTICE_MS > now;
  await Promise.all(notices.filter((notice) => !isKept(notice)).map((notice) => ports.notices.remove(notice)));
  const { due, ...waits } = dueOf(notices.filter(isKept), now, aboutAt(after));
  const last = notices.at(-1)?.position;
  return {
    deliveries: await deliveriesBy(ports, due),
    sendUntil: now + SENDING_MS,
    ...(more && last !== undefined ? { next: last } : {}),
    ...waits,
  };
};
