import type { SmsAnswer, SmsCallbackEvent } from '../../domain/sms/provider.ts';

type Cause = Extract<SmsAnswer, { kind: 'refused' }>['cause'];
type Receipt = Extract<SmsCallbackEvent, { kind: 'receipt' }>;

/**
 * SendTextMessage's exceptions (https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_SendTextMessage.html) and the
 * errors common to AWS that certainly stop a request. InternalServerException is left out: it may strike after the text left.
 */
export const AWS_ERRORS: Readonly<Record<string, Cause>> = {
  AccessDeniedException: 'credentials',
  ConflictException: 'unavailable',
  ResourceNotFoundException: 'unavailable',
  ServiceQuotaExceededException: 'unavailable',
  ThrottlingException: 'throttled',
  ValidationException: 'unavailable',
  // Common errors of AWS JSON services, and the SDK's own when it finds no credentials: no request leaves then.
  CredentialsProviderError: 'credentials',
  ExpiredTokenException: 'credentials',
  IncompleteSignature: 'credentials',
  InvalidSignatureException: 'credentials',
  MissingAuthenticationToken: 'credentials',
  OptInRequired: 'credentials',
  RequestExpired: 'credentials',
  UnrecognizedClientException: 'credentials',
  UnknownOperationException: 'unavailable',
};

/** What an exception's `Reason` says beyond its name (the enumerations of the same reference). */
export const AWS_REASONS: Readonly<Record<string, Cause>> = {
  DESTINATION_PHONE_NUMBER_OPTED_OUT: 'blacklisted',
  DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE: 'blacklisted',
  MAXIMUM_SIZE_EXCEEDED: 'content',
  MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT: 'credit',
  ACCOUNT_DISABLED: 'credit',
};

/** Whose fault a ValidationException is, by the field that it names. */
export const AWS_FIELDS: Readonly<Record<string, Cause>> = {
  destinationphonenumber: 'recipient',
  messagebody: 'content',
};

/**
 * Event types of a text (https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-event-types.html). TEXT_SUCCESSFUL is
 * the carrier's acceptance and no more; TEXT_UNKNOWN says that nothing came for 72 hours, which changes nothing.
 */
export const AWS_RECEIPTS: Readonly<
  Record<string, { readonly status: Receipt['status']; readonly reason?: NonNullable<Receipt['reason']> }>
> = {
  TEXT_SENT: { status: 'sent' },
  TEXT_SUCCESSFUL: { status: 'sent' },
  TEXT_DELIVERED: { status: 'delivered' },
  TEXT_INVALID: { status: 'failed', reason: 'invalid_number' },
  TEXT_INVALID_MESSAGE: { status: 'failed' },
  TEXT_UNREACHABLE: { status: 'undelivered' },
  TEXT_CARRIER_UNREACHABLE: { status: 'undelivered' },
  TEXT_BLOCKED: { status: 'undelivered', reason: 'blacklisted' },
  TEXT_CARRIER_BLOCKED: { status: 'undelivered', reason: 'carrier_rejected' },
  TEXT_SPAM: { status: 'undelivered', reason: 'carrier_rejected' },
  TEXT_TTL_EXPIRED: { status: 'failed', reason: 'expired' },
  TEXT_PROTECT_BLOCKED: { status: 'failed', reason: 'blacklisted' },
};
