import { decodeText, hasNul, isDataCoding, isPartOfText } from './data-coding.ts';
import { type EncodedPart, ESM_CLASS, type Part, readUserData, sarPart } from './parts.ts';
import type { PduOf } from './pdus.ts';
import type { StatusName } from './statuses.ts';
import { readTime } from './time.ts';
import { tlvValue } from './tlvs.ts';

/** When a receipt is requested (registered_delivery, 5.2.17). */
export type ReceiptWish = 'always' | 'failure' | 'never' | 'success';

/** A whole text, or a part of one. */
type Content =
  | { readonly text: string; readonly part?: undefined }
  | { readonly part: Part; readonly encoded: EncodedPart };

/** The content of a submit_sm or a data_sm. Moments are ms. */
export type SubmittedMessage = Content & {
  /** The displayed sender; absent if the source address is empty. */
  readonly source?: string;
  /** E.164 with its plus sign; not checked against any numbering plan. */
  readonly destination: string;
  readonly deliverAt?: number;
  /** schedule_delivery_time as it was sent: a repeat sends the same text, while the moment of a relative time differs. */
  readonly schedule?: string;
  readonly validUntil?: number;
  /** validity_period as it was sent. */
  readonly validity?: string;
  readonly receipt: ReceiptWish;
  /** An intermediate notification when the message has been sent is requested as well. */
  readonly intermediate?: true;
  readonly idempotencyKey?: string;
};
export type ReadMessage = SubmittedMessage | { readonly refused: StatusName };

type Submission = PduOf<'data_sm'> | PduOf<'submit_sm'>;
const refuse = (refused: StatusName) => ({ refused });

const TON = { unknown: 0, international: 1 } as const;
const DIGITS = /^\+?\d{3,15}$/;
const SHOWN = /^(?:\+?\d{3,15}|[A-Za-z0-9 ]{1,11})$/;

/** A national number does not identify a country: the type must be international or unknown. */
const destinationOf = ({ destAddrTon: ton, destinationAddr: address }: Submission['body']): string | undefined => {
  if (ton !== TON.unknown && ton !== TON.international) return undefined;
  return DIGITS.test(address) ? `+${address.replace('+', '')}` : undefined;
};

const sourceOf = ({ sourceAddrTon: ton, sourceAddr: address }: Submission['body']) => {
  if (address === '') return {};
  const source = ton === TON.international && /^\d/.test(address) ? `+${address}` : address;
  return SHOWN.test(source) ? { source } : refuse('ESME_RINVSRCADR');
};

const WISHES: readonly ReceiptWish[] = ['never', 'always', 'failure', 'success'];
const INTERMEDIATE = 0x10;
const wishOf = ({ registeredDelivery }: Submission['body']) => ({
  receipt: WISHES[registeredDelivery & 3] ?? 'never',
  ...(registeredDelivery & INTERMEDIATE ? { intermediate: true as const } : {}),
});

/** The bytes of the message: from short_message or message_payload, never both. */
const bytesOf = ({ body, tlvs }: Submission): Uint8Array | undefined => {
  const short = 'shortMessage' in body ? body.shortMessage : undefined;
  const payload = tlvValue(tlvs, 'message_payload');
  if (payload !== undefined && short !== undefined && short.length > 0) return undefined;
  return payload ?? short;
};

/** The text, or the part: identified by a user data header, or else by the SAR parameters. */
const contentOf = (pdu: Submission): Content | { readonly refused: StatusName } => {
  const bytes = bytesOf(pdu);
  if (!bytes) return refuse('ESME_RINVMSGLEN');
  const { dataCoding, esmClass } = pdu.body;
  if (!isDataCoding(dataCoding)) return refuse('ESME_RINVDCS');
  const hasHeader = (esmClass & ESM_CLASS.udhi) !== 0;
  const user = hasHeader ? readUserData(bytes) : { text: bytes };
  if (!user) return refuse('ESME_RINVMSGLEN');
  const part = ('part' in user ? user.part : undefined) ?? sarPart(pdu.tlvs);
  if (user.text.length === 0) return refuse('ESME_RINVMSGLEN');
  // As over HTTP: no request may contain NUL.
  if (hasNul(user.text, dataCoding)) return refuse('ESME_RINVDCS');
  if (part && part.total > 1) {
    const encoded = { coding: dataCoding, bytes: user.text };
    return isPartOfText(user.text, dataCoding) ? { part, encoded } : refuse('ESME_RINVDCS');
  }
  const text = decodeText(user.text, dataCoding);
  return text === undefined ? refuse('ESME_RINVDCS') : { text };
};

/** The schedule and the end of validity: neither is before now, and the end is not before the schedule. */
const timesOf = ({ body }: Submission, now: number) => {
  if (!('scheduleDeliveryTime' in body)) return {};
  const { scheduleDeliveryTime, validityPeriod } = body;
  const deliverAt = scheduleDeliveryTime === '' ? undefined : readTime(scheduleDeliveryTime, now);
  if (scheduleDeliveryTime !== '' && (deliverAt === undefined || deliverAt < now)) return refuse('ESME_RINVSCHED');
  const validUntil = validityPeriod === '' ? undefined : readTime(validityPeriod, now);
  if (validityPeriod !== '' && (validUntil === undefined || validUntil <= (deliverAt ?? now)))
    return refuse('ESME_RINVEXPIRY');
  return {
    ...(deliverAt === undefined ? {} : { deliverAt, schedule: scheduleDeliveryTime }),
    ...(validUntil === undefined ? {} : { validUntil, validity: validityPeriod }),
  };
};

/**
 * Reads a submit_sm or a data_sm; returns the command status if it is refused. Addresses are checked first, then the text, then the times.
 * Bytes that are invalid in their data_coding are ESME_RINVDCS: a guessed text would be sent to somebody.
 */
export const readMessage = (pdu: Submission, now: number): ReadMessage => {
  const destination = destinationOf(pdu.body);
  if (destination === undefined) return refuse('ESME_RINVDSTADR');
  const source = sourceOf(pdu.body);
  if ('refused' in source) return source;
  const content = contentOf(pdu);
  if ('refused' in content) return content;
  const times = timesOf(pdu, now);
  if ('refused' in times) return times;
  const idempotencyKey = tlvValue(pdu.tlvs, 'idempotency_key');
  return {
    destination,
    ...source,
    ...content,
    ...times,
    ...wishOf(pdu.body),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
};
