import { rateLimitOf } from '../../domain/channels/whatsapp/numbers/limits.ts';
import type { RateLimit } from '../../domain/channels/whatsapp/numbers/number.ts';
import { numberRateDeferral } from '../../domain/channels/whatsapp/numbers/rate.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { SendQueuedPorts } from '../../domain/sending/send-queued.ts';
import { drawFromNumber } from '../../storage/whatsapp/number-rate.ts';
import { table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';
import { numberPorts } from './numbers.ts';

const cached = ttlCache<RateLimit | undefined>(10_000, 10_000);

const limitOf = (organizationId: Id<'organization'>, numberId: Id<'number'>): Promise<RateLimit | undefined> =>
  cached(`${organizationId} ${numberId}`, async () => {
    const number = await numberPorts.numbers.read(organizationId, numberId);
    return number && rateLimitOf(number);
  });

/** Defers messages that exceed their number's rate (docs/spec/whatsapp-numbers.md#rate). */
export const deferByNumberRate: NonNullable<SendQueuedPorts['numberRateDeferral']> = (message, now) =>
  numberRateDeferral(
    { limitOf, draw: (numberId, limit, at) => drawFromNumber(table, numberId, limit, at) },
    message,
    now,
  );
