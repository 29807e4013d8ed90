import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { boundedText, coins, flag, part } from './common.ts';
import { SENDING_KEYS } from './define-operation.ts';

/** Fields that all sends share. */
export const campaignId = boundedText(128, "The caller's own campaign tag.", 'black-friday');
const labels = (contact: string) => ({
  contactId: idSchema('contact', contact).optional(),
  campaignId: campaignId.optional(),
  metadata: metadataSchema.optional(),
});
/** The labels of a send, and how its message shows them. */
export const sendLabels = labels('The contact that it is sent to; its opt-out applies.');
export const messageLabels = labels('The contact that the send named.');
export const replayed = flag('True when an earlier call with the same key created it.', false);
export const billing = (price: string) => part('What the message costs.', { coins: coins(price) });

/** Errors of a synchronous send: docs/spec/errors.md#statuses-by-operation. */
const SEND_ERRORS = [
  'PAYMENT_REQUIRED',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'VALIDATION_ERROR',
  'DEPENDENCY_FAILED',
] as const;
const single = { idempotency: 'required', rate: 'single_send', memoryMb: 1024 } as const;

/** A send that waits for the provider; two providers may be tried in sequence within the timeout. */
export const SYNCHRONOUS_SEND = { ...single, errors: SEND_ERRORS, timeoutSeconds: 28 } as const;
/** A send that is queued. */
export const QUEUED_SEND = {
  ...single,
  errors: SEND_ERRORS,
  uses: { table: 'write', queues: ['send', 'events'], rootKeys: SENDING_KEYS, liveVolume: true },
} as const;
