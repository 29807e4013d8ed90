import * as z from 'zod';
import { coins } from './common.ts';

/** What every send says in the same words. */
export const campaignId = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "The caller's own campaign tag.", example: 'black-friday' });
export const replayed = z
  .boolean()
  .meta({ description: 'True when this is the answer of an earlier call with the same key.', example: false });
export const billing = (price: string) =>
  z.object({ coins: coins(price) }).meta({ description: 'What the message costs.' });

/** The problems of a send that leaves while its caller waits (interface, part 4). */
const SEND_ERRORS = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'PAYMENT_REQUIRED',
  'FORBIDDEN',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'VALIDATION_ERROR',
  'RATE_LIMITED',
  'DEPENDENCY_FAILED',
  'SERVICE_UNAVAILABLE',
] as const;
const single = { method: 'POST', idempotency: 'required', rate: 'single_send', memoryMb: 1024 } as const;

/** A send whose caller waits for the provider: two providers may be tried one after the other. */
export const SYNCHRONOUS_SEND = { ...single, errors: SEND_ERRORS, timeoutSeconds: 28 } as const;
/** A send that is accepted and leaves by itself. */
export const QUEUED_SEND = {
  ...single,
  errors: SEND_ERRORS,
  uses: { table: 'write', queues: ['send', 'events'], vault: true, liveVolume: true },
} as const;
