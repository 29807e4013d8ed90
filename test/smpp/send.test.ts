import { expect, it } from 'vitest';
import { type Refusal, refuse } from '../../shared/domain/core/errors.ts';
import { refuseField } from '../../shared/domain/core/refuse-field.ts';
import { RATE_EXCEEDED } from '../../shared/domain/sending/refusals.ts';
import { statusOf } from '../../shared/domain/smpp/send.ts';

const because = (motivo: string): Refusal => refuse('VALIDATION_ERROR', { detail: 'No.', meta: { motivo } });

it.each([
  ['the contracted SMS per second', RATE_EXCEEDED, 'ESME_RTHROTTLED'],
  ['a provider that throttles', refuse('RATE_LIMITED', { detail: 'No.', retryAfterSeconds: 1 }), 'ESME_RTHROTTLED'],
  ['a wallet that does not cover it', refuse('PAYMENT_REQUIRED', 'No.'), 'insufficient_funds'],
  ['a recipient who opted out', because('opt_out'), 'opt_out'],
  ['a closed destination', because('destination_closed'), 'destination'],
  ['a held destination', because('destination_held'), 'destination'],
  ['a destination without a price', because('destination_not_priced'), 'destination'],
  ['a sender of nobody', because('no_verified_sender'), 'sender'],
  ['an invalid recipient', refuseField('No.', 'to', 'must be E.164'), 'ESME_RINVDSTADR'],
  ['an unusable text', refuseField('No.', 'body', 'is too long'), 'ESME_RINVMSGLEN'],
  ['a moment too far ahead', refuseField('No.', 'scheduledAt', 'is too late'), 'ESME_RINVSCHED'],
  ['a failed provider', refuse('DEPENDENCY_FAILED', 'No.'), 'ESME_RSYSERR'],
  ['a provider without credit', refuse('SERVICE_UNAVAILABLE', 'No.'), 'ESME_RSYSERR'],
  ['a key that was used for another text', refuse('CONFLICT', 'No.'), 'ESME_RSUBMITFAIL'],
  ['a route without a price', refuse('PRECONDITION_FAILED', 'No.'), 'ESME_RSUBMITFAIL'],
] as const)('the refusal of %s has its command status', (_, refusal, status) => {
  expect(statusOf(refusal)).toBe(status);
});
