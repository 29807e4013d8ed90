import { isVerified, type SenderChecks } from '../../domain/senders/permission.ts';
import { coveringValues } from '../../domain/senders/sender.ts';
import { senderStore } from '../../storage/senders/senders.ts';
import { clock, settings, table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';

const senders = senderStore(table);
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;

const verified = ttlCache<boolean>(TTL_MS, MAX_ENTRIES);
const defaults = ttlCache<string | undefined>(TTL_MS, MAX_ENTRIES);

/** What sends may name, at most ten seconds old; a sender that is not verified yet is read at every send. */
export const senderChecks: SenderChecks = {
  mayUseSender: (tenant, channel, value) =>
    verified(
      `${tenant.organizationId}#${channel}#${value}`,
      async () => {
        const found = await senders.find(tenant.organizationId, channel, coveringValues(channel, value));
        if (isVerified(found)) return true;
        if (settings.STAGE !== 'test') return false;
        const { verifyByUse } = await import('../../domain/senders/assign.ts');
        return verifyByUse({ clock, senders }, tenant, channel, value, found);
      },
      (may) => may,
    ),
  defaultSender: (organizationId, channel) =>
    defaults(`${organizationId}#${channel}`, () => senders.defaultOf(organizationId, channel)),
};
