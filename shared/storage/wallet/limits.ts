import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';

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
