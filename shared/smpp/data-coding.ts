import { GSM_BASIC, GSM_EXTENSION } from '../domain/core/gsm-alphabet.ts';

/** The supported data codings (5.2.19): the SMSC's default alphabet is GSM 03.38, one septet per byte. */
export const DATA_CODINGS = { gsm: 0, ascii: 1, latin1: 3, ucs2: 8 } as const;
export type DataCoding = (typeof DATA_CODINGS)[keyof typeof DATA_CODINGS];

export const isDataCoding = (code: number): code is DataCoding =>
  (Object.values(DATA_CODINGS) as number[]).includes(code);

const ESCAPE = 0x1b;
const EXTENSION_CODES = [0x0a, 0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65];

const BASIC = Array.from(GSM_BASIC);
BASIC.splice(ESCAPE, 0, '');
const EXTENDED = new Map(Array.from(GSM_EXTENSION, (character, at) => [EXTENSION_CODES[at] as number, character]));
const CODES = new Map<string, readonly number[]>([
  ...BASIC.map((character, code) => [character, [code]] as const).filter(([character]) => character !== ''),
  ...Array.from(EXTENDED, ([code, character]) => [character, [ESCAPE, code]] as const),
]);

/** An escape before an unknown code, or at the end, is shown as a space, as GSM 03.38 specifies (6.2.1.1). */
const readGsm = (bytes: Uint8Array): string | undefined => {
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] as number;
    if (code > 0x7f) return undefined;
    if (code !== ESCAPE) text += BASIC[code];
    else {
      const extended = EXTENDED.get(bytes[at + 1] ?? -1);
      text += extended ?? ' ';
      if (extended) at++;
    }
  }
  return text;
};

/** Requires an even number of bytes. */
const readUtf16 = (bytes: Uint8Array): string => Buffer.from(bytes).swap16().toString('utf16le');

const readUcs2 = (bytes: Uint8Array): string | undefined => {
  if (bytes.length % 2 !== 0) return undefined;
  const text = readUtf16(bytes);
  return text.isWellFormed() ? text : undefined;
};

/** Decodes a message's bytes; undefined if they are invalid in this coding. UCS-2 is read as UTF-16, big-endian. */
export const decodeText = (bytes: Uint8Array, coding: DataCoding): string | undefined => {
  if (coding === DATA_CODINGS.gsm) return readGsm(bytes);
  if (coding === DATA_CODINGS.ucs2) return readUcs2(bytes);
  if (coding === DATA_CODINGS.ascii && bytes.some((byte) => byte > 0x7f)) return undefined;
  return Buffer.from(bytes).toString('latin1');
};

/** Whether a text of these bytes contains NUL. GSM 03.38 has a character at 0. */
export const hasNul = (bytes: Uint8Array, coding: DataCoding): boolean => {
  if (coding === DATA_CODINGS.gsm) return false;
  if (coding !== DATA_CODINGS.ucs2) return bytes.includes(0);
  for (let at = 0; at < bytes.length; at += 2) if (bytes[at] === 0 && bytes[at + 1] === 0) return true;
  return false;
};

/** Decodes bytes of parts of a text (`isPartOfText`): half a character becomes U+FFFD. */
export const showText = (bytes: Uint8Array, coding: DataCoding): string =>
  coding === DATA_CODINGS.ucs2 ? readUtf16(bytes).toWellFormed() : (decodeText(bytes, coding) ?? '');

/** Whether the bytes are valid as a part of a text, which may end within a character. */
export const isPartOfText = (bytes: Uint8Array, coding: DataCoding): boolean => {
  if (coding === DATA_CODINGS.ucs2) return bytes.length % 2 === 0;
  return coding === DATA_CODINGS.latin1 || !bytes.some((byte) => byte > 0x7f);
};

/** The number of characters, in UTF-16 units, of a text of these bytes: exact except for escapes of GSM 03.38, which are not counted. */
export const charactersOf = (bytes: Uint8Array, coding: DataCoding): number => {
  if (coding === DATA_CODINGS.ucs2) return bytes.length / 2;
  return coding === DATA_CODINGS.gsm ? bytes.filter((byte) => byte !== ESCAPE).length : bytes.length;
};

/** Encodes a text; undefined if the coding lacks one of its characters. */
export const encodeText = (text: string, coding: DataCoding): Buffer | undefined => {
  if (coding === DATA_CODINGS.ucs2) return Buffer.from(text, 'utf16le').swap16();
  if (coding === DATA_CODINGS.gsm) {
    const codes = Array.from(text, (character) => CODES.get(character));
    return codes.includes(undefined) ? undefined : Buffer.from(codes.flatMap((code) => code ?? []));
  }
  const highest = coding === DATA_CODINGS.ascii ? 0x7f : 0xff;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > highest) return undefined;
  return Buffer.from(text, 'latin1');
};

/** Encodes a text in the default alphabet if possible, else in UCS-2. */
export const encodeShortest = (text: string): { readonly dataCoding: DataCoding; readonly bytes: Buffer } => {
  const gsm = encodeText(text, DATA_CODINGS.gsm);
  if (gsm) return { dataCoding: DATA_CODINGS.gsm, bytes: gsm };
  return { dataCoding: DATA_CODINGS.ucs2, bytes: Buffer.from(text, 'utf16le').swap16() };
};
