import { channelOf } from '../channels/registry.ts';
import type { Id } from '../core/ids.ts';
import type { MessageRecord } from '../message/message.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';
import type { MessageStore } from './message-store.ts';

/** Addresses (blind indexes) that a provider reported as suppressed. */
export interface SuppressionPorts {
  /** Never rejects: false when the lookup fails. */
  readonly isSuppressed: (organizationId: Id<'organization'>, hash: string) => Promise<boolean>;
  /** Stores the address as suppressed until a time (ms). */
  readonly suppress: (organizationId: Id<'organization'>, hash: string, until: number) => Promise<void>;
}

/**
 * The refusal of a message to a suppressed address; undefined if it may be sent, or if the channel has no suppression.
 */
export const suppressionRefusal = (
  { channel, to }: Pick<MessageRecord, 'channel' | 'to'>,
  suppressed: boolean,
): RefusedAnswer | undefined => channelOf(channel).suppression?.refusal(to, suppressed);

/**
 * Reads a queued message's content and, concurrently, whether its address is suppressed; the provider awaits the
 * latter.
 */
export const withSuppressionLookup =
  (contentOf: (message: MessageRecord) => Promise<unknown>, { isSuppressed }: Pick<SuppressionPorts, 'isSuppressed'>) =>
  async (message: MessageRecord): Promise<unknown> => {
    const { suppression } = channelOf(message.channel);
    if (!suppression) return contentOf(message);
    const suppressed = isSuppressed(message.organizationId, message.recipientHash);
    const content = await contentOf(message);
    return content === undefined ? undefined : suppression.withLookup(content as never, suppressed);
  };

/**
 * Advances a message, after storing its address if the report means that it is suppressed. In this order, so that after
 * a crash in between the report is applied again.
 */
export const advanceSuppressing =
  (advance: MessageStore['advance'], { suppress }: Pick<SuppressionPorts, 'suppress'>): MessageStore['advance'] =>
  async (message, transition) => {
    const { suppression } = channelOf(message.channel);
    if (suppression?.isReportedBy(message, transition))
      await suppress(message.organizationId, message.recipientHash, transition.recordedAt + suppression.ms);
    return advance(message, transition);
  };
