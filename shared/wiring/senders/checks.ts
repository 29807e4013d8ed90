import type { Id } from '../../domain/core/ids.ts';
import { isVerified, type SenderChecks } from '../../domain/senders/permission.ts';
import { coveringValues, type SenderChannel } from '../../domain/senders/sender.ts';
import { senderStore } from '../../storage/senders/senders.ts';
import { clock, settings, table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';

const senders = senderStore(table);
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;

const verified = ttlCache<boolean>(TTL_MS, MAX_ENTRIES);
const owned = ttlCache<boolean>(TTL_MS, MAX_ENTRIES);
const defaults = ttlCache<string | undefined>(TTL_MS, MAX_ENTRIES);

const find = (organizationId: Id<'organization'>, channel: SenderChannel, value: string) =>
  senders.find(organizationId, channel, coveringValues(channel, value));
const isOwn = async (organizationId: Id<'organization'>, channel: SenderChannel, value: string) =>
  isVerified(await find(organizationId, channel, value));

/** The senders that sends may use, at most ten seconds old; an unverified sender is read at every send. */
export const senderChecks: SenderChecks = {
  mayUseSender: (tenant, channel, value) =>
    verified(
      `${tenant.organizationId}#${channel}#${value}`,
      async () => {
        const found = await find(tenant.organizationId, channel, value);
        if (isVerified(found)) return true;
        if (settings.STAGE !== 'test') return false;
        const { verifyByUse } = await import('../../domain/senders/assign.ts');
        return verifyByUse({ clock, senders }, tenant, channel, value, found);
      },
      (may) => may,
    ),
  ownsSender: (organizationId, channel, value) =>
    owned(`${organizationId}#${channel}#${value}`, () => isOwn(organizationId, channel, value), Boolean),
  defaultSender: (organizationId, channel) =>
    defaults(`${organizationId}#${channel}`, () => senders.defaultOf(organizationId, channel)),
};
