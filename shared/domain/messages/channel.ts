import type { EventType } from '../events/catalogue.ts';
import type { MessageRecord, MessageStatus } from './message.ts';
import type { Channel, RefusalCause } from './provider.ts';
import type { SandboxPlay } from './sandbox.ts';

/** How a recipient is found again: by which blind index, and in which opt-out row. `platform`: its user, by its id of the user. */
export type RecipientKind = 'phone' | 'email' | 'platform' | 'device';

/** All that a channel adds to the common pipeline besides the content rules of its own operations. */
export interface ChannelRules {
  readonly channel: Channel;
  readonly recipient: RecipientKind;
  /** True where live units move the month's volume (interface 4.1: SMS alone). */
  readonly countsVolume: boolean;
  /** The event that is raised when a status is reached. */
  readonly eventOf: Readonly<Partial<Record<MessageStatus, EventType>>>;
  readonly engagementOf: Readonly<Partial<Record<'opened' | 'clicked', EventType>>>;
  /** The channel's own reason for the causes that belong to the message: no other provider is tried, and the route is healthy. */
  readonly reasonOf: Readonly<Partial<Record<RefusalCause, string>>>;
  /** `to` as it is shown to who may not see it. */
  readonly mask: (to: string) => string;
  readonly sandbox: (to: string) => SandboxPlay;
  /** What the channel's events carry besides the common data. */
  readonly eventData?: (message: MessageRecord) => Readonly<Record<string, unknown>>;
}
