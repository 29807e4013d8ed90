import type { RefusalCause as Cause, ReceiptEvent as Receipt } from '../domain/message/provider-port.ts';

type Reason = NonNullable<Receipt['reason']>;

/**
 * Infobip's status groups and ids (https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes). The group
 * decides; an id listed below overrides it.
 */
export const INFOBIP_GROUP = { ok: 0, pending: 1, undeliverable: 2, delivered: 3, expired: 4, rejected: 5 } as const;

/** Group 5, REJECTED, in the response to a send: nothing was sent. Ids not listed are treated as a fault of the route. */
export const INFOBIP_REJECTIONS: Readonly<Record<number, { readonly cause: Cause; readonly reason?: Reason }>> = {
  8: { cause: 'recipient', reason: 'invalid_number' },
  10: { cause: 'blacklisted', reason: 'blacklisted' },
  11: { cause: 'unavailable', reason: 'carrier_rejected' },
  12: { cause: 'credit' },
  14: { cause: 'blacklisted', reason: 'blacklisted' },
  17: { cause: 'credit' },
  18: { cause: 'unavailable' },
  20: { cause: 'throttled', reason: 'carrier_rejected' },
  24: { cause: 'content', reason: 'carrier_rejected' },
  25: { cause: 'content', reason: 'carrier_rejected' },
  51: { cause: 'recipient', reason: 'invalid_number' },
  52: { cause: 'recipient', reason: 'invalid_number' },
  87: { cause: 'content', reason: 'carrier_rejected' },
};

/** REJECTED_DUPLICATE_MESSAGE_ID: refused because an earlier attempt with the same message id was accepted. */
export const INFOBIP_DUPLICATE_ID = 23;

/** Refusals by HTTP status. A 400 is refined by the property at fault (INFOBIP_VIOLATIONS). */
export const INFOBIP_STATUSES: Readonly<Record<number, Cause>> = {
  400: 'unavailable',
  401: 'credentials',
  403: 'credentials',
  404: 'unavailable',
  429: 'throttled',
};

/** Cause of a 400 by the path of the violated property (ApiError, violations). */
export const INFOBIP_VIOLATIONS: readonly { readonly property: RegExp; readonly cause: Cause }[] = [
  { property: /(^|\.)(destinations(\[\d+\])?\.)?to$/, cause: 'recipient' },
  { property: /(^|\.)(content|smsFailover)(\.|$)/, cause: 'content' },
];

/** The change that a report makes to its message; null: none. */
type Meaning = { readonly status: Receipt['status']; readonly reason?: Reason } | null;

/** By the report's status group; INFOBIP_REPORT_IDS overrides it. */
export const INFOBIP_REPORT_GROUPS: Readonly<Record<number, Meaning>> = {
  [INFOBIP_GROUP.ok]: null,
  [INFOBIP_GROUP.pending]: null,
  [INFOBIP_GROUP.undeliverable]: { status: 'undelivered' },
  [INFOBIP_GROUP.delivered]: { status: 'delivered' },
  [INFOBIP_GROUP.expired]: { status: 'failed', reason: 'expired' },
  [INFOBIP_GROUP.rejected]: { status: 'failed' },
};
export const INFOBIP_REPORT_IDS: Readonly<Record<number, Meaning>> = {
  // DELIVERED_TO_OPERATOR and PENDING_WAITING_DELIVERY: the operator has it, the handset has not.
  2: { status: 'sent' },
  3: { status: 'sent' },
  4: { status: 'undelivered', reason: 'carrier_rejected' },
  // EXPIRED_DLR_UNKNOWN: the operator's report did not come or could not be read, so the person may have the message.
  29: null,
};

/** Reasons by the report's network error (same page, general error codes); more precise than its status. */
export const INFOBIP_ERROR_REASONS: Readonly<Record<string, Reason>> = {
  EC_UNKNOWN_SUBSCRIBER: 'invalid_number',
  EC_UNIDENTIFIED_SUBSCRIBER: 'invalid_number',
  EC_TELESERVICE_NOT_PROVISIONED: 'invalid_number',
  EC_INVALID_DESTINATION_ADDRESS: 'invalid_number',
  EC_INVALID_REQUEST_DESTINATION: 'invalid_number',
  EC_DEST_ADDRESS_UNABLE_TO_RECEIVE_SMS: 'invalid_number',
  EC_DESTINATION_NOT_SMS_PROVISIONED: 'invalid_number',
  EC_ILLEGAL_SUBSCRIBER: 'blacklisted',
  EC_IMSI_BLACKLISTED: 'blacklisted',
  EC_BLACKLISTED_DESTINATIONADDRESS: 'blacklisted',
  EC_DEST_ADDRESS_BLACKLISTED: 'blacklisted',
  EC_BLOCKED_BY_CAMPAIGN_BLACKLIST: 'blacklisted',
  EC_SC_BLOCKED_BY_END_USER: 'blacklisted',
  EC_DEACTIVATED_LIST: 'blacklisted',
  EC_BLACKLISTED_SENDERADDRESS: 'carrier_rejected',
  EC_CONTENT_BLOCKED: 'carrier_rejected',
  EC_CONTENT_BLOCKED_BY_OPERATOR: 'carrier_rejected',
  EC_DESTINATION_BLOCKED_BY_OPERATOR: 'carrier_rejected',
  EC_REJECTED_SPAM_BY_OPERATOR: 'carrier_rejected',
  EC_SIGNALS_BLOCKED: 'carrier_rejected',
  EC_SMS_REJECTED_BY_MOBILE_OPERATOR: 'carrier_rejected',
  EC_SOURCE_ADDRESS_IS_BLOCKED: 'carrier_rejected',
  EC_DESTINATION_FLOODING: 'carrier_rejected',
  EC_DESTINATION_TXT_FLOODING: 'carrier_rejected',
  EC_MESSAGE_EXPIRED: 'expired',
  EC_VALIDITY_EXPIRED: 'expired',
  EC_VP_EXPIRED: 'expired',
};
