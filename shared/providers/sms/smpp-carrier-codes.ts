import type { SMS_REASONS } from '../../domain/channels/sms/content.ts';
import type { RefusalCause, ReportedStatus } from '../../domain/message/provider-port.ts';
import type { CARRIER_STATES } from '../../domain/smpp/carrier.ts';
import type { StatusName } from '../../smpp/statuses.ts';

/** Refusal causes by command status of a submit_sm_resp or a bind; unlisted ones are specific to the carrier. */
export const SMPP_CAUSES: Readonly<Partial<Record<StatusName, RefusalCause>>> = {
  ESME_RINVMSGLEN: 'content',
  ESME_RINVSRCADR: 'sender',
  ESME_RINVDSTADR: 'recipient',
  ESME_RINVPASWD: 'credentials',
  ESME_RINVSYSID: 'credentials',
  ESME_RINVSYSTYP: 'credentials',
  ESME_RMSGQFUL: 'throttled',
  ESME_RTHROTTLED: 'throttled',
  ESME_RINVSRCTON: 'sender',
  ESME_RINVSRCNPI: 'sender',
  ESME_RINVDSTTON: 'recipient',
  ESME_RINVDSTNPI: 'recipient',
};

type Reason = (typeof SMS_REASONS)[number];

/** The status for each message state of a receipt; UNKNOWN has none. */
export const SMPP_STATES: Readonly<
  Record<(typeof CARRIER_STATES)[number], { readonly status: ReportedStatus; readonly reason?: Reason } | undefined>
> = {
  ENROUTE: { status: 'sent' },
  ACCEPTD: { status: 'sent' },
  DELIVRD: { status: 'delivered' },
  EXPIRED: { status: 'undelivered', reason: 'expired' },
  DELETED: { status: 'failed' },
  UNDELIV: { status: 'undelivered' },
  REJECTD: { status: 'undelivered', reason: 'carrier_rejected' },
  UNKNOWN: undefined,
};

/** network_error_code of GSM (3GPP TS 29.002): unknown and unidentified subscriber. Other codes are temporary. */
export const GSM_NETWORK = 3;
export const GSM_REASONS: Readonly<Record<number, Reason>> = { 1: 'invalid_number', 5: 'invalid_number' };
