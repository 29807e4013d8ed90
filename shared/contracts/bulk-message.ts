import * as z from 'zod';
import { IDEMPOTENCY_KEY } from './common.ts';
import { V1Send } from './v1-fields.ts';

/** One message of a bulk send. An invalid one is rejected on its own, so the operation's body does not enforce this schema. */
export const BulkMessage = V1Send.safeExtend({
  idempotencyKey: z.string().regex(IDEMPOTENCY_KEY, 'must be 1 to 255 visible ASCII characters').optional().meta({
    description:
      'Makes the message repeatable for 24 hours, like the header of a single send: a repeated batch then sends nothing twice.',
    example: 'order-1842-shipped',
  }),
}).meta({ id: 'BulkMessage', description: 'The body of a single send, and the key that makes it repeatable.' });
