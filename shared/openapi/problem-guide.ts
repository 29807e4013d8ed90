import type { ProblemName } from '../domain/core/errors.ts';

/** The content of a problem's page, at the address in `type`. */
export interface ProblemGuide {
  readonly meaning: string;
  readonly when: readonly string[];
  readonly action: string;
}

/** Every problem explained; typed so that none can be missing. */
export const PROBLEM_GUIDE: Readonly<Record<ProblemName, ProblemGuide>> = {
  BAD_REQUEST: {
    meaning: 'The request is not in the format that the operation accepts.',
    when: [
      'The body is not JSON, or is nested too deeply.',
      'The content type is not application/json on an operation that takes JSON.',
      'The Idempotency-Key header is missing where it is required, or is not 1 to 255 visible ASCII characters.',
      'A query parameter or a field is missing, unknown or unreadable on an operation that documents no 422: `errors` has each path.',
    ],
    action: 'Correct the request. Sending it again unchanged gives the same answer.',
  },
  UNAUTHORIZED: {
    meaning: 'The request has no credential that is valid here.',
    when: [
      'The Authorization header is missing, appears twice, or is not `Bearer` and a key.',
      'The key is unknown, expired or revoked, or the session has ended.',
      'The key belongs to the other environment.',
    ],
    action: 'Send `Authorization: Bearer` with a key of this environment. A revoked key is refused within 60 seconds.',
  },
  PAYMENT_REQUIRED: {
    meaning: 'The wallet of the environment does not cover the price of the message.',
    when: ['The price of the whole message is above the available balance: credits less captured less held.'],
    action: 'Credit the wallet, then send again. The Idempotency-Key is still free: nothing was stored.',
  },
  FORBIDDEN: {
    meaning: 'The credential is valid but lacks the permission.',
    when: [
      'The key lacks the scope that the operation requires.',
      'The operation is reserved for a person in a session.',
      'A key is to be given a scope that the caller lacks.',
    ],
    action: 'Use a credential with the scope; every operation documents its own.',
  },
  NOT_FOUND: {
    meaning: 'There is no such object for this credential.',
    when: [
      'The identifier or the path does not exist.',
      'The object belongs to another organization, or to the other environment.',
    ],
    action: 'Check the identifier, and that the key belongs to the environment in which the object was created.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists but does not have this method.',
    when: ['A known path was called with another method.'],
    action: 'Use a method from the Allow header.',
  },
  CONFLICT: {
    meaning: 'The request conflicts with the current state.',
    when: [
      'The Idempotency-Key was used before with another body.',
      'The first request with the key is still running: `meta.code` is EM_ANDAMENTO and Retry-After says when to repeat the request.',
      'A name or key that must be unique is taken, or the object is in a state that does not allow the change.',
    ],
    action:
      'For a new message use a new Idempotency-Key; while the first request runs, wait as Retry-After says and repeat the same request. Otherwise read the object again before you change it.',
  },
  PRECONDITION_FAILED: {
    meaning: 'A precondition of the operation is not met.',
    when: [
      'The SMS route la_dedicada has no table price: it is quoted on request.',
      'The price table has no price for the destination: `meta.motivo` is destination_not_priced.',
      'Too few of the messages to these numbers were delivered: `meta.motivo` is destination_held, until `meta.heldUntil`.',
      'A setting that the operation needs is missing.',
    ],
    action: 'The detail names the precondition. Choose another route, or have the missing setting made.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than the operation accepts.',
    when: ['The body is above the size limit of the operation or of the service.'],
    action: 'Send less at once, or use the upload operation for large media.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The media type is not accepted.',
    when: [
      'A file of a type outside of the documented list is uploaded, or bytes come without a documented content type.',
    ],
    action: 'Convert the file to one of the documented types.',
  },
  VALIDATION_ERROR: {
    meaning: 'The request is well formed but violates the shape or a rule of the contract.',
    when: [
      'A field is missing, unknown, of the wrong type or out of range: `errors` has each path.',
      'A recipient is not a number in E.164 or not an e-mail address.',
      'A rule forbids it, such as an opt-out or a closed destination: `meta` has the sub-code.',
    ],
    action: 'Correct the fields that `errors` lists. The answer never repeats values that were sent.',
  },
  RATE_LIMITED: {
    meaning: 'The credential or the organization made too many requests.',
    when: [
      'More than 600 single sends a minute (burst 100), or more than 30 bulk sends a minute, by one live key.',
      'More SMS a second than the organization has contracted.',
    ],
    action: 'Wait as many seconds as Retry-After says. Nothing was stored or charged. Test keys are not limited.',
  },
  INTERNAL_ERROR: {
    meaning: 'Something failed on our side.',
    when: ['An unexpected fault.'],
    action:
      'Repeat the request with the same Idempotency-Key: it never sends twice. If the fault persists, report the requestId.',
  },
  DEPENDENCY_FAILED: {
    meaning: 'A provider refused or failed.',
    when: [
      'The provider of the channel answered with a failure.',
      'No provider is set up for a live send: the detail names the setting.',
    ],
    action:
      'The amount held for the message is released. Read the detail; if the cause can be removed, send again with a new Idempotency-Key.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'The service or a provider cannot answer right now.',
    when: [
      'The service is overloaded or starting, or the table does not answer in time.',
      'The provider is out of credit; in the sandbox, recipients that end in 0114 simulate this.',
      'A check did not finish within its time limit of 5 seconds.',
    ],
    action: 'Repeat the request with the same Idempotency-Key after as many seconds as Retry-After says.',
  },
};
