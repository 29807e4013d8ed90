import type { Id } from '../core/ids.ts';
import { isFailed, type JourneyLabel, MESSAGE_STATUSES, type MessageStatus } from '../message/message.ts';

/**
 * The channels whose messages count as touches. Push, which goes to devices, and Instagram, which goes to an account rather than a contact,
 * don't count (docs/spec/customer-events.md#attribution).
 */
export const TOUCH_CHANNELS = ['whatsapp', 'sms', 'rcs', 'email'] as const;
export type TouchChannel = (typeof TOUCH_CHANNELS)[number];

/** A message sent to a contact; `sentAt` in ms. */
export interface Touch {
  readonly messageId: Id<'message'>;
  readonly channel: TouchChannel;
  readonly campaignId?: string | undefined;
  readonly sentAt: number;
}
/** The touch that an event is attributed to, and the step of a journey that sent it. */
export interface Attribution extends Touch {
  readonly journey?: Pick<JourneyLabel, 'journeyId' | 'stepId' | 'runId'> | undefined;
}

const BEFORE_SENT: readonly MessageStatus[] = ['queued', 'sending'];
/** The statuses of messages that were sent and did not fail. */
export const TOUCHING_STATUSES: readonly MessageStatus[] = MESSAGE_STATUSES.filter(
  (status) => !BEFORE_SENT.includes(status) && !isFailed({ status }),
);

/** How many hours before an event a message counts: the default, and the maximum. */
export const ATTRIBUTION_HOURS = { fallback: 168, maximum: 720 } as const;

const isLater = (a: Touch, b: Touch): boolean =>
  a.sentAt === b.sentAt ? a.messageId > b.messageId : a.sentAt > b.sentAt;

/** The last touch; of those at the same time the one with the greatest id, so that every reader chooses the same. Null if there is none. */
export const lastTouch = (touches: readonly Touch[]): Touch | null =>
  touches.reduce<Touch | null>((last, touch) => (last === null || isLater(touch, last) ? touch : last), null);
