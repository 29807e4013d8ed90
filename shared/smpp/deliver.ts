import { DATA_CODINGS, encodeShortest, encodeText } from './data-coding.ts';
import { ESM_CLASS } from './parts.ts';
import type { Body } from './pdus.ts';
import { MESSAGE_STATES, type ReceiptState, writeReceipt } from './receipt.ts';
import { type Tlv, tlv } from './tlvs.ts';

/** The data of a report (Appendix B). Moments are ms. */
export interface DeliveredReport {
  readonly id: string;
  /** `message_state`. */
  readonly state: number;
  readonly errorCode: number;
  readonly submittedAt: number;
  readonly doneAt: number;
  /** A notification of a non-final state. */
  readonly intermediate: boolean;
}

/** The content of a deliver_sm: a report on the message that begins with `text`, or a text. */
export interface DeliveredMessage {
  readonly source: string;
  readonly destination: string;
  readonly text: string;
  readonly report?: DeliveredReport;
}

/** The peer's settings. */
export interface DeliverySettings {
  /** Dates with seconds. */
  readonly seconds: boolean;
  /** The peer supports optional parameters: it bound as 3.4 or later. */
  readonly knowsTlvs: boolean;
}

const NUMBERING = {
  international: { ton: 1, npi: 1 },
  /** A short code: of unknown type. */
  unknown: { ton: 0, npi: 1 },
  alphanumeric: { ton: 5, npi: 0 },
  absent: { ton: 0, npi: 0 },
} as const;

/** An address on the wire: E.164 without its plus sign. */
const addressOf = (address: string) => {
  if (address === '') return { address, ...NUMBERING.absent };
  if (address.startsWith('+')) return { address: address.slice(1), ...NUMBERING.international };
  return { address, ...(/^\d+$/.test(address) ? NUMBERING.unknown : NUMBERING.alphanumeric) };
};

/** The maximum of short_message. */
const MAX_SHORT = 254;

const WORDS = new Map(Object.entries(MESSAGE_STATES).map(([word, state]) => [state as number, word as ReceiptState]));
const ERROR_DIGITS = 3;
/** Receipts are ASCII, whatever the message's coding: peers parse them byte by byte. */
const inAscii = (text: string): string => text.replaceAll(/[^\x20-\x7e]/gu, '?');

const receiptOf = ({ text, report }: DeliveredMessage & { report: DeliveredReport }, settings: DeliverySettings) => {
  const { id, state, errorCode, submittedAt: submitted, doneAt: done, intermediate } = report;
  const receipt = writeReceipt(
    {
      id,
      submitted,
      done,
      state: WORDS.get(state) ?? 'UNKNOWN',
      error: String(errorCode).padStart(ERROR_DIGITS, '0'),
      text: inAscii(text),
    },
    settings,
  );
  const esmClass = intermediate ? ESM_CLASS.intermediateNotification : ESM_CLASS.deliveryReceipt;
  const tlvs = [tlv('receipted_message_id', id), tlv('message_state', state)];
  const shortMessage = encodeText(receipt, DATA_CODINGS.ascii) ?? Buffer.alloc(0);
  return {
    body: { esmClass, dataCoding: DATA_CODINGS.ascii, shortMessage },
    tlvs: settings.knowsTlvs ? tlvs : [],
  };
};

/** Encodes a text in the default alphabet if possible, else in UCS-2; one that exceeds short_message goes into message_payload. */
const textOf = ({ text }: DeliveredMessage) => {
  const { dataCoding, bytes } = encodeShortest(text);
  return bytes.length <= MAX_SHORT
    ? { body: { esmClass: 0, dataCoding, shortMessage: bytes }, tlvs: [] }
    : { body: { esmClass: 0, dataCoding }, tlvs: [tlv('message_payload', bytes)] };
};

/** The parameters of a deliver_sm. Throws a RangeError for an address or an id that does not fit. */
export const writeDeliverSm = (
  message: DeliveredMessage,
  settings: DeliverySettings,
): { readonly body: Partial<Body<'deliver_sm'>>; readonly tlvs: readonly Tlv[] } => {
  const [source, destination] = [addressOf(message.source), addressOf(message.destination)];
  const { report } = message;
  const { body, tlvs } = report ? receiptOf({ ...message, report }, settings) : textOf(message);
  return {
    body: {
      sourceAddrTon: source.ton,
      sourceAddrNpi: source.npi,
      sourceAddr: source.address,
      destAddrTon: destination.ton,
      destAddrNpi: destination.npi,
      destinationAddr: destination.address,
      ...body,
    },
    tlvs,
  };
};
