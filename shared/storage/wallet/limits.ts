import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';

/** Live units of a month, and the volumes (inclusive) between which their price applies. */
interface VolumeStep {
  readonly channel: Channel;
  readonly month: string;
  readonly units: number;
  readonly from: number;
  readonly to: number;
}

/** Adds live units to the month's volume. Fails if the volume has left the band that they were priced by. */
export const volumeWrite = (
  organizationId: Id<'organization'>,
  { channel, month, units, from, to }: VolumeStep,
): WriteOp => {
  const inBand = '#segments BETWEEN :from AND :to';
  return {
    update: KEYS.volume(organizationId, channel, month),
    add: { segments: units },
    when: { text: from === 0 ? `attribute_not_exists(#pk) OR ${inBand}` : inBand, values: { from, to } },
  };
};

/** Counts sends in their second (`at` in ms). Fails if they exceed what is left of the contracted rate per second. */
export const ceilingWrite = (
  organizationId: Id<'organization'>,
  at: number,
  { channel, sends, perSecond }: { readonly channel: Channel; readonly sends: number; readonly perSecond: number },
): WriteOp => {
  const second = Math.floor(at / 1000);
  const fits = '#sends <= :free';
  return {
    update: KEYS.second(organizationId, channel, second),
    set: { ttl: second + 3600 },
    add: { sends },
    when: {
      text: sends <= perSecond ? `attribute_not_exists(#pk) OR ${fits}` : fits,
      values: { free: perSecond - sends },
    },
  };
};
