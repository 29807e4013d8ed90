import { DATA_CODINGS, type DataCoding, decodeText, isDataCoding, isPartOfText } from './data-coding.ts';
import { ESM_CLASS, type Part, readUserData, sarPart, type UserData } from './parts.ts';
import type { PduOf } from './pdus.ts';
import { MESSAGE_STATES, type ReceiptState, readReceipt } from './receipt.ts';
import { tlvValue } from './tlvs.ts';

export type DeliveryPdu = PduOf<'data_sm'> | PduOf<'deliver_sm'>;

/** network_error_code (5.3.2.31): the type of network (3 is GSM) and its code. */
interface NetworkError {
  readonly network: number;
  readonly code: number;
}

/** A delivery from an SMSC: a receipt, a message from a person, a part of one, or an unreadable one. */
export type Delivery =
  | {
      readonly kind: 'receipt';
      /** The message's id in the SMSC's notation for receipts, which may differ from that of its response. */
      readonly id: string;
      readonly state: ReceiptState;
      /** The error code from the text; its meaning depends on the SMSC. */
      readonly error?: string;
      readonly network?: NetworkError;
      /** The phone that it was sent to. */
      readonly phone: string;
    }
  | {
      readonly kind: 'message';
      readonly from: string;
      readonly to: string;
      readonly text: string;
    }
  | {
      readonly kind: 'part';
      readonly from: string;
      readonly to: string;
      readonly part: Part;
      readonly coding: DataCoding;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'unreadable'; readonly what: 'receipt' | 'message' };

const STATES: ReadonlyMap<number, ReceiptState> = new Map([
  ...Object.entries(MESSAGE_STATES).map(([name, code]) => [code, name as ReceiptState] as const),
  // SCHEDULED and SKIPPED of 5.0.
  [0, 'ENROUTE'],
  [9, 'UNDELIV'],
]);

/** Message types of esm_class for reports on a sent message: a receipt, and an intermediate notification. */
const RECEIPT = 0x04;
const INTERMEDIATE = 0x20;

const bytesOf = ({ body, tlvs }: DeliveryPdu): Buffer => {
  const short = 'shortMessage' in body ? body.shortMessage : new Uint8Array();
  return Buffer.from(short.length > 0 ? short : (tlvValue(tlvs, 'message_payload') ?? short));
};

const networkOf = (value: Uint8Array | undefined): { readonly network?: NetworkError } =>
  value ? { network: { network: value[0] as number, code: (value[1] as number) * 256 + (value[2] as number) } } : {};

/**
 * Parameters take precedence over the text. Receipts are ASCII whatever their data_coding. Some SMSCs send receipts of parts with a header
 * before the text, which is removed.
 */
const receiptOf = (pdu: DeliveryPdu): Delivery => {
  const bytes = bytesOf(pdu);
  const user = (pdu.body.esmClass & ESM_CLASS.udhi) === 0 ? undefined : readUserData(bytes);
  const text = readReceipt(Buffer.from(user?.text ?? bytes).toString('latin1'));
  const id = tlvValue(pdu.tlvs, 'receipted_message_id') || text?.id;
  const state = STATES.get(tlvValue(pdu.tlvs, 'message_state') ?? -1) ?? text?.state;
  if (!id || !state) return { kind: 'unreadable', what: 'receipt' };
  return {
    kind: 'receipt',
    id,
    state,
    ...(text?.error ? { error: text.error } : {}),
    ...networkOf(tlvValue(pdu.tlvs, 'network_error_code')),
    phone: addressOf(pdu.body.sourceAddr, pdu.body.sourceAddrTon),
  };
};

const INTERNATIONAL = 1;
const addressOf = (address: string, ton: number): string =>
  ton === INTERNATIONAL && /^\d/.test(address) ? `+${address}` : address;

/** Further codings of 3GPP TS 23.038 that mean the default alphabet or UCS-2, such as those with a message class. */
const codingOf = (coding: number): DataCoding | undefined => {
  if (isDataCoding(coding)) return coding;
  const general = coding >= 0x10 && coding <= 0x1f;
  if (general && (coding & 0x0c) === 0x08) return DATA_CODINGS.ucs2;
  const septets = (general && (coding & 0x0c) === 0) || (coding >= 0xf0 && (coding & 0x04) === 0);
  return septets ? DATA_CODINGS.gsm : undefined;
};

const messageOf = (pdu: DeliveryPdu): Delivery => {
  const { body, tlvs } = pdu;
  const coding = codingOf(body.dataCoding);
  const all = bytesOf(pdu);
  const user: UserData | undefined = (body.esmClass & ESM_CLASS.udhi) === 0 ? { text: all } : readUserData(all);
  const from = addressOf(body.sourceAddr, body.sourceAddrTon);
  const to = addressOf(body.destinationAddr, body.destAddrTon);
  // A source may be NULL (5.2.8). Without a sender it is no reply of a person, and nothing could be answered.
  if (from === '' || coding === undefined || !user) return { kind: 'unreadable', what: 'message' };
  const bytes = user.text;
  const part = user.part ?? sarPart(tlvs);
  if (part && part.total > 1)
    return isPartOfText(bytes, coding)
      ? { kind: 'part', from, to, part, coding, bytes }
      : { kind: 'unreadable', what: 'message' };
  const text = decodeText(bytes, coding);
  return text === undefined ? { kind: 'unreadable', what: 'message' } : { kind: 'message', from, to, text };
};

/**
 * Reads a deliver_sm or a data_sm from an SMSC. A receipt is marked in esm_class, or has both parameters of one; the text alone is no
 * evidence, since anybody may write such a text.
 */
export const readDelivery = (pdu: DeliveryPdu): Delivery => {
  const type = pdu.body.esmClass & ESM_CLASS.messageType;
  const hasBoth =
    tlvValue(pdu.tlvs, 'receipted_message_id') !== undefined && tlvValue(pdu.tlvs, 'message_state') !== undefined;
  return type === RECEIPT || type === INTERMEDIATE || (type === 0 && hasBoth) ? receiptOf(pdu) : messageOf(pdu);
};
