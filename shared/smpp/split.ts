import { DATA_CODINGS, type DataCoding, encodeShortest } from './data-coding.ts';
import { ESM_CLASS, writeUserDataHeader } from './parts.ts';
import type { Body } from './pdus.ts';
import { type Tlv, tlv } from './tlvs.ts';

/** How a text that is too long for one SMS is sent: by user data headers with references of 8 bits, by SAR parameters, or whole. */
export const SPLITTINGS = ['udh', 'sar', 'payload'] as const;
type Splitting = (typeof SPLITTINGS)[number];

/** The text fields of a submit_sm. */
export interface TextPdu {
  readonly body: Pick<Body<'submit_sm'>, 'dataCoding' | 'esmClass' | 'shortMessage'>;
  readonly tlvs: readonly Tlv[];
}

/** Bytes of one SMS, alone and as a part: in GSM 03.38 a septet is a byte. */
const SIZES: Readonly<Record<number, { readonly single: number; readonly part: number }>> = {
  [DATA_CODINGS.gsm]: { single: 160, part: 153 },
  [DATA_CODINGS.ucs2]: { single: 140, part: 134 },
};
const MAX_PARTS = 255;
const ESCAPE = 0x1b;
const isHighSurrogate = (byte: number | undefined): boolean => byte !== undefined && byte >= 0xd8 && byte <= 0xdb;

/** The end of a part that begins at `from`: never between the two codes of one character. */
const endOf = (bytes: Buffer, from: number, size: number, coding: DataCoding): number => {
  const end = Math.min(bytes.length, from + size);
  if (end === bytes.length) return end;
  if (coding === DATA_CODINGS.gsm) return bytes[end - 1] === ESCAPE ? end - 1 : end;
  return isHighSurrogate(bytes[end - 2]) ? end - 2 : end;
};

const cut = (bytes: Buffer, size: number, coding: DataCoding): Buffer[] => {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = endOf(bytes, from, size, coding);
    parts.push(bytes.subarray(from, end));
    from = end;
  }
  return parts;
};

/**
 * Encodes a text as submit_sm fields, in the default alphabet or else in UCS-2. Undefined for more than 255 parts. `reference` is that of
 * its parts: messages to one phone within minutes of each other need different ones.
 */
export const splitText = (text: string, splitting: Splitting, reference: number): readonly TextPdu[] | undefined => {
  const { dataCoding, bytes } = encodeShortest(text);
  const { single, part } = SIZES[dataCoding] as (typeof SIZES)[number];
  const pdu = (shortMessage: Buffer, tlvs: readonly Tlv[] = [], esmClass = 0): TextPdu => ({
    body: { dataCoding, esmClass, shortMessage },
    tlvs,
  });
  if (bytes.length <= single) return [pdu(bytes)];
  if (splitting === 'payload') return [pdu(Buffer.alloc(0), [tlv('message_payload', bytes)])];
  const parts = cut(bytes, part, dataCoding);
  const total = parts.length;
  if (total > MAX_PARTS) return undefined;
  return parts.map((one, at) => {
    const number = at + 1;
    if (splitting === 'sar')
      return pdu(one, [
        tlv('sar_msg_ref_num', reference & 0xff),
        tlv('sar_total_segments', total),
        tlv('sar_segment_seqnum', number),
      ]);
    const header = writeUserDataHeader({ form: 8, reference, total, number });
    return pdu(Buffer.concat([header, one]), [], ESM_CLASS.udhi);
  });
};
