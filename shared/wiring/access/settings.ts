import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { quietUntil } from '../../domain/sending/quiet-hours.ts';
import { type KeptSettings, readKeptSettings, readQuietHours } from '../../storage/access/organization-settings.ts';
import { table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';

const cached = ttlCache<KeptSettings>(10_000, 10_000);

/** An organization's settings without its quiet hours; at most ten seconds old. */
export const organizationSettings = (organizationId: Id<'organization'>): Promise<KeptSettings> =>
  cached(organizationId, () => readKeptSettings(table, organizationId));

/**
 * The earliest time (ms) at which the organization may send on a channel. Quiet hours are read on every call, not cached, so that a change
 * applies to the very next message.
 */
export const earliestSendAt = async (
  organizationId: Id<'organization'>,
  channel: Channel,
  at: number,
): Promise<number> => quietUntil(await readQuietHours(table, organizationId), channel, at);
