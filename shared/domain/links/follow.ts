import type { Environment } from '../actor.ts';
import { type Refusal, refuse, Unavailable } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import { type Id, newId } from '../ids.ts';
import { rulesOf } from '../messages/channels.ts';
import { messageEventData } from '../messages/events.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { Clock } from '../time.ts';

/** A short link as it is stored with its message. */
export interface ShortLink {
  readonly code: string;
  /** The address as it stood in the text. */
  readonly url: string;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly messageId: Id<'message'>;
  readonly clicks: number;
}

export interface LinkPorts {
  readonly clock: Clock;
  readonly readLink: (code: string) => Promise<ShortLink | undefined>;
  /**
   * Counts one click over what was read of the link and raises its event, in one transaction. True when it is counted, also by an
   * earlier try with the same event; false when the link was clicked meanwhile.
   */
  readonly countClick: (link: ShortLink, event: DomainEvent) => Promise<boolean>;
  readonly readMessage: (organizationId: string, id: string) => Promise<MessageRecord | undefined>;
}

/** Tries against others who click the same link at the same moment. */
const TRIES = 25;
const CODE = /^[0-9A-Za-z]{2,32}$/;

/** Where a link leads, as a header carries it: ASCII. Undefined for anything but http and https. */
export const redirectTarget = (url: string): string | undefined => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : undefined;
};

/** Stands for the link's own code in its address: `https://wa.me/5511…?text=Oi%20{{codigo}}` fills it into what the person will send. */
const OWN_CODE = /(?:\{\{|%7B%7B)codigo(?:\}\}|%7D%7D)/gi;

const unknown = () => refuse('NOT_FOUND', 'There is no such link.');

/** The event of one click: the message's data, the address, and which click of this link it is. */
const clickEvent = (id: Id<'event'>, link: ShortLink, message: MessageRecord, now: number): DomainEvent => ({
  id,
  type: rulesOf(message.channel).engagementOf.clicked ?? 'sms.clicked',
  organizationId: link.organizationId,
  env: link.env,
  createdAt: now,
  data: messageEventData(message, { url: link.url, click: link.clicks + 1 }),
});

/**
 * Follows a short link (interface 4.1, trackLinks): each click is counted and raises the channel's clicked event, once. Answers where to go
 * on, with the link's code where the address asks for it: an inbound message that carries the code tells where its sender came from.
 * 404 for a code that never was, and for an address that is no web page's.
 */
export const followLink = async (ports: LinkPorts, code: string): Promise<string | Refusal<'NOT_FOUND'>> => {
  if (!CODE.test(code)) return unknown();
  // One id for all tries: a try that was committed but not answered is recognised by it.
  const eventId = newId('event');
  let message: MessageRecord | undefined;
  for (let turn = 0; turn < TRIES; turn++) {
    const link = await ports.readLink(code);
    const target = link && redirectTarget(link.url.replace(OWN_CODE, link.code));
    if (!target) return unknown();
    message ??= await ports.readMessage(link.organizationId, link.messageId);
    // A message that was erased has nobody to tell; its link still leads on.
    if (!message) return target;
    if (await ports.countClick(link, clickEvent(eventId, link, message, ports.clock()))) return target;
  }
  throw new Unavailable('The link is clicked too fast to be counted.');
};
