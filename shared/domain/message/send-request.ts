import type { Id } from '../core/ids.ts';
import type { Priority } from '../core/priority.ts';
import type { Channel } from './channel.ts';
import type { Labels, MessageRecord, MessageType } from './message.ts';

/** Fields that sends of every channel share, besides the content. */
export interface SendEnvelope {
  /** In the channel's own format. */
  readonly to: string;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: MessageRecord['metadata'];
}

/** A send on any channel: the common request of /v1, the create operation for all channels, bulk, resends and fallback steps. */
export interface SendRequest extends SendEnvelope {
  readonly channel: Channel;
  readonly type: MessageType;
  readonly text?: string | undefined;
  /** A template's id or name. */
  readonly template?: string | undefined;
  readonly variables?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The content where `text` and `template` do not carry it (docs/spec/messages.md#payload-by-type). */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** A route of the channel's price table; the channel's default when absent. */
  readonly route?: string | undefined;
  /** Stored on the message with its content. */
  readonly labels?: Labels | undefined;
  readonly priority?: Priority | undefined;
  readonly scheduledAt?: number | undefined;
  /** Replaces the links of a text by short ones that count clicks, on channels that have them. */
  readonly trackLinks?: boolean | undefined;
}
