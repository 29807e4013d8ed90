import type { Labels, MessageRecord, MessageType, Priority } from './message.ts';
import type { Channel } from './provider.ts';

/** What a send of every channel has besides its content. */
export interface SendRequest {
  /** In the channel's own format. */
  readonly to: string;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: MessageRecord['metadata'];
}

/** A send of any channel, as /v1, the unified create, bulk and hops of a fallback all ask for it. */
export interface UnifiedRequest extends SendRequest {
  readonly channel: Channel;
  readonly type: MessageType;
  readonly text?: string | undefined;
  /** A template's id or name. */
  readonly template?: string | undefined;
  readonly variables?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** What the type asks for, where text and template do not say it (decisions, part 4: payload by type). */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** The route of the channel's price table; its usual one when absent. */
  readonly route?: string | undefined;
  /** What is kept on the message beside its content. */
  readonly labels?: Labels | undefined;
  readonly priority?: Priority | undefined;
  readonly scheduledAt?: number | undefined;
}
