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
    meaning: 'The request could not be read as what the operation takes.',
    when: [
      'The body is not JSON, or is nested too deeply.',
      'The content type is not application/json on an operation that takes JSON.',
      'The Idempotency-Key header is missing where it is required, or is not 1 to 255 visible ASCII characters.',
      'A query parameter or a field is missing, unknown or unreadable on an operation that documents no 422: `errors` names each place.',
    ],
    action: 'Correct the request. Sending the same one again gives the same answer.',
  },
  UNAUTHORIZED: {
    meaning: 'The request carries no credential that is valid here.',
    when: [
      'The Authorization header is missing, appears twice, or is not `Bearer` and a key.',
      'The key is unknown, expired or revoked, or the session has ended.',
      'The key belongs to the other environment.',
    ],
    action: 'Send `Authorization: Bearer` with a key of this environment. A revoked key is refused within 60 seconds.',
  },
  PAYMENT_REQUIRED: {
    meaning: 'The wallet of the environment cannot pay for the message.',
    when: ['The price of the whole message is above what can be spent: credits less captured less held.'],
    action: 'Credit the wallet, then send again. The Idempotency-Key is still free: nothing was stored.',
  },
  FORBIDDEN: {
    meaning: 'The credential is valid and lacks the permission.',
    when: [
      'The key lacks the scope that the operation names.',
      'The operation is reserved to a person in a session.',
      'A key is asked to grant a scope that the caller lacks.',
    ],
    action: 'Use a credential that holds the scope; every operation names its own.',
  },
  NOT_FOUND: {
    meaning: 'There is no such object for this credential.',
    when: [
      'The identifier or the path does not exist.',
      'The object belongs to another organization, or to the other environment.',
    ],
    action: 'Check the identifier, and that the key is of the environment in which the object was made.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists and does not take this method.',
    when: ['A known path was called with another method.'],
    action: 'Use a method that the Allow header names.',
  },
  CONFLICT: {
    meaning: 'The request conflicts with what is stored.',
    when: [
      'The Idempotency-Key was used before with another body.',
      'The first request with the key is still running: `meta.code` is EM_ANDAMENTO and Retry-After says when to ask again.',
      'A name or key that must be unique is taken, or the object is in a state that does not allow the change.',
    ],
    action:
      'For a new message take a new Idempotency-Key; for a running one wait as Retry-After says and repeat the same request. Otherwise read the object and decide anew.',
  },
  PRECONDITION_FAILED: {
    meaning: 'Something that the operation rests on is not given.',
    when: [
      'The SMS route la_dedicada has no table price: it is quoted on request.',
      'The price table has no price for the destination: `meta.motivo` is destination_not_priced.',
      'Too little of what was sent to these numbers was delivered: `meta.motivo` is destination_held, until `meta.heldUntil`.',
      'A setting that the operation needs is not in place.',
    ],
    action: 'The detail names the precondition. Choose another route, or have it set up.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than the operation takes.',
    when: ['The body is above the size limit of the operation or of the service.'],
    action: 'Send less at once, or use the upload operation for large media.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The kind of media is not one that the channel takes.',
    when: [
      'A file of a type outside of the documented list is uploaded, or bytes come without a documented content type.',
    ],
    action: 'Convert the file to one of the documented types.',
  },
  VALIDATION_ERROR: {
    meaning: 'The request is well formed and breaks the shape or a rule of the contract.',
    when: [
      'A field is missing, unknown, of the wrong type or out of range: `errors` names each place.',
      'A recipient is not a number in E.164 or not an e-mail address.',
      'A rule speaks against it, such as an opt-out or a closed destination: `meta` carries the sub-code.',
    ],
    action: 'Correct the places that `errors` names. Values that were sent are never repeated in the answer.',
  },
  RATE_LIMITED: {
    meaning: 'The credential or the organization asked too often.',
    when: [
      'More than 600 single sends a minute (burst 100), or more than 30 bulk sends a minute, by one live key.',
      'More SMS a second than the organization has contracted.',
    ],
    action: 'Wait as many seconds as Retry-After says. Nothing was stored or charged. Test keys are not limited.',
  },
  INTERNAL_ERROR: {
    meaning: 'Something failed on our side.',
    when: ['A fault that no rule foresees.'],
    action:
      'Repeat the request with the same Idempotency-Key: it never sends twice. If it stays, report the requestId.',
  },
  DEPENDENCY_FAILED: {
    meaning: 'A provider refused or failed.',
    when: [
      'The provider of the channel answered with a failure.',
      'No provider is set up for a live send: the detail names the setting.',
    ],
    action:
      'What was held for the message is released. Read the detail; send again with a new Idempotency-Key if it can pass.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'The service or a provider cannot answer right now.',
    when: [
      'The service is overloaded or starting, or the table does not answer in time.',
      'The provider is out of credit; in the sandbox, recipients that end in 0114 play this.',
      'A check did not end within its time limit of 5 seconds.',
    ],
    action: 'Repeat the request with the same Idempotency-Key after as many seconds as Retry-After says.',
  },
};
