import { channelOf } from '../channels/registry.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { MessageRecord } from '../message/message.ts';
import type { TakenPositions } from '../pricing/volume.ts';

const FIRST_BAND = 1;

/**
 * The stored positions of a message: absent if they are in the first band of the month of its creation, as most are.
 */
export const storedPositions = (
  { month, positions }: TakenPositions,
  { createdAt }: Pick<MessageRecord, 'createdAt'>,
): TakenPositions | undefined =>
  month === saoPauloMonth(createdAt) && positions.every(({ from }) => from === FIRST_BAND)
    ? undefined
    : { month, positions };

/** Whether a message takes positions: only live messages of channels with a volume. */
export const takesPositions = ({ env, channel }: Pick<MessageRecord, 'env' | 'channel'>): boolean =>
  env === 'live' && channelOf(channel).countsVolume;

/** The positions that a message took of its month's volume. */
export const positionsOf = (message: MessageRecord): TakenPositions | undefined => {
  if (!takesPositions(message)) return undefined;
  const { createdAt, units, positions } = message;
  return positions ?? { month: saoPauloMonth(createdAt), positions: [{ from: FIRST_BAND, units }] };
};
