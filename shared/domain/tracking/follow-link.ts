import { channelOf } from '../channels/registry.ts';
import { type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { ShortLink } from '../links/short-link.ts';
import type { MessageRecord } from '../message/message.ts';
import { messageEventData } from './events.ts';

export interface LinkPorts {
  readonly clock: Clock;
  readonly readLink: (code: string) => Promise<ShortLink | undefined>;
  /**
   * Counts a click of a message's link and raises its event in one transaction, conditional on the link as it was read. True if the click
   * is counted, also by an earlier attempt with the same event; false if another click was counted meanwhile.
   */
  readonly countClick: (link: ShortLink, message: MessageRecord, event: DomainEvent) => Promise<boolean>;
  /** Advances the last interaction of the message's contact to `at` (ms). Idempotent. */
  readonly interacted: (message: MessageRecord, at: number) => Promise<void>;
  readonly readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => Promise<MessageRecord | undefined>;
}

/** Attempts against concurrent clicks on the same link. */
const MAX_ATTEMPTS = 25;
const CODE = /^[0-9A-Za-z]{2,32}$/;

/** A link's target as an ASCII Location header; undefined for anything but http and https. */
export const redirectTarget = (url: string): string | undefined => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : undefined;
};

/** Placeholder for the link's code in its target: `https://wa.me/5511…?text=Oi%20{{codigo}}` puts it into the text the person will send. */
const CODE_PLACEHOLDER = /(?:\{\{|%7B%7B)codigo(?:\}\}|%7D%7D)/gi;

const linkNotFound = () => refuse('NOT_FOUND', 'There is no such link.');

/** The event of a click: message data, target, and the click's number. */
const clickEvent = (id: Id<'event'>, link: ShortLink, message: MessageRecord, now: number): DomainEvent => ({
  id,
  type: channelOf(message.channel).engagementOf.clicked ?? 'sms.clicked',
  organizationId: link.organizationId,
  env: link.env,
  createdAt: now,
  data: messageEventData(message, { url: link.url, click: link.clicks + 1 }),
});

/**
 * Follows a short link (docs/spec/links.md#following-a-link): counts the click and raises the channel's clicked event, once; with `isClick`
 * false it does neither. Returns the
 * target with its code placeholder filled in, so that an inbound message with the code can be attributed. 404 for an unknown code, and for
 * a target that is not http or https.
 */
export const followLink = async (
  ports: LinkPorts,
  code: string,
  isClick = true,
): Promise<string | Refusal<'NOT_FOUND'>> => {
  if (!CODE.test(code)) return linkNotFound();
  // The same id for all attempts, so that a commit whose response was lost is recognized.
  const eventId = newId('event');
  let message: MessageRecord | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const link = await ports.readLink(code);
    const target = link && redirectTarget(link.url.replace(CODE_PLACEHOLDER, link.code));
    if (!target) return linkNotFound();
    if (!isClick) return target;
    if (!message) {
      message = await ports.readMessage(link.organizationId, link.messageId);
      // The message was erased: no event, but the link still works.
      if (!message) return target;
      // Before the click is counted, so that a counted click is never missing from its contact.
      await ports.interacted(message, ports.clock());
    }
    if (await ports.countClick(link, message, clickEvent(eventId, link, message, ports.clock()))) return target;
  }
  throw new Unavailable('The link is clicked too fast to be counted.');
};
