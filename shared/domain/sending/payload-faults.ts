import { channelOf } from '../channels/registry.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageType } from '../message/message.ts';
import { type PayloadFault, payloadFaults } from '../message/payload.ts';

/** The validation errors of a payload on a channel; empty when it is valid. */
export const payloadFaultsOn = async (
  channel: Channel,
  type: MessageType,
  payload: unknown,
): Promise<readonly PayloadFault[]> =>
  payloadFaults((await channelOf(channel).planning()).payloadSchema(type), payload);
