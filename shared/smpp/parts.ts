import { type DataCoding, decodeText, showText } from './data-coding.ts';
import { type Tlv, tlvValue } from './tlvs.ts';

/** Bits of esm_class (5.2.12). */
export const ESM_CLASS = {
  messageType: 0x3c,
  deliveryReceipt: 0x04,
  intermediateNotification: 0x20,
  udhi: 0x40,
} as const;

/** The part data of a message: parts with one reference, between the same addresses, are one message. */
export interface Part {
  readonly reference: number;
  /** 8 and 16 are the bits of a header's reference; `sar`: optional parameters. One number in two forms is two messages. */
  readonly form: 8 | 16 | 'sar';
  /** 2 to 255. */
  readonly total: number;
  /** 1 to `total`. */
  readonly number: number;
}

/** A user data header (3GPP TS 23.040, 9.2.3.24) and the remaining message. */
export interface UserData {
  readonly part?: Part;
  readonly text: Uint8Array;
}

const partOf = (form: Part['form'], reference: number, total: number, number: number): Part | undefined =>
  total >= 1 && number >= 1 && number <= total ? { form, reference, total, number } : undefined;

const elementPart = (id: number, data: Uint8Array): Part | undefined => {
  const at = (index: number) => data[index] as number;
  if (id === 0x00 && data.length === 3) return partOf(8, at(0), at(1), at(2));
  if (id === 0x08 && data.length === 4) return partOf(16, at(0) * 256 + at(1), at(2), at(3));
  return undefined;
};

/**
 * Removes the user data header of a message whose esm_class announces one; undefined if the header is malformed. As TS 23.040 specifies,
 * concatenation with invalid numbers counts as absent, other elements are skipped, and the last concatenation applies.
 */
export const readUserData = (bytes: Uint8Array): UserData | undefined => {
  const end = 1 + (bytes[0] ?? 0);
  if (bytes.length < end || bytes.length === 0) return undefined;
  let part: Part | undefined;
  for (let at = 1; at < end; ) {
    const length = bytes[at + 1];
    if (length === undefined || at + 2 + length > end) return undefined;
    part = elementPart(bytes[at] as number, bytes.subarray(at + 2, at + 2 + length)) ?? part;
    at += 2 + length;
  }
  return { text: bytes.subarray(end), ...(part ? { part } : {}) };
};

/** A user data header for a part. */
export const writeUserDataHeader = ({ form, reference, total, number }: Part): Buffer =>
  form === 16
    ? Buffer.from([6, 0x08, 4, reference >> 8, reference & 0xff, total, number])
    : Buffer.from([5, 0x00, 3, reference & 0xff, total, number]);

/** The part data of the SAR parameters; undefined if one is missing or their numbers are invalid. */
export const sarPart = (tlvs: readonly Tlv[]): Part | undefined => {
  const [reference, total, number] = [
    tlvValue(tlvs, 'sar_msg_ref_num'),
    tlvValue(tlvs, 'sar_total_segments'),
    tlvValue(tlvs, 'sar_segment_seqnum'),
  ];
  if (reference === undefined || total === undefined || number === undefined) return undefined;
  return partOf('sar', reference, total, number);
};

/** The bytes of a part. */
export interface EncodedPart {
  readonly coding: DataCoding;
  readonly bytes: Uint8Array;
}

/** Groups consecutive parts of one coding, since a character may begin in one part and end in the next. */
const runsOf = (parts: readonly (EncodedPart | undefined)[]): (EncodedPart | undefined)[] => {
  const runs: ({ readonly coding: DataCoding; readonly all: Uint8Array[] } | undefined)[] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (!part) {
      if (run || runs.length === 0) runs.push(undefined);
    } else if (run?.coding === part.coding) run.all.push(part.bytes);
    else runs.push({ coding: part.coding, all: [part.bytes] });
  }
  return runs.map((run) => run && { coding: run.coding, bytes: Buffer.concat(run.all) });
};

/** The text of all parts, in their order; undefined if their bytes are invalid. */
export const joinParts = (parts: readonly EncodedPart[]): string | undefined => {
  const texts = runsOf(parts).map((run) => run && decodeText(run.bytes, run.coding));
  return texts.includes(undefined) ? undefined : texts.join('');
};

/** Replaces missing parts. */
const MISSING = '[…]';

/** The text of parts in their order, some of which may be missing; half a character becomes U+FFFD. */
export const joinWhatCame = (parts: readonly (EncodedPart | undefined)[]): string =>
  runsOf(parts)
    .map((run) => (run ? showText(run.bytes, run.coding) : MISSING))
    .join('');
