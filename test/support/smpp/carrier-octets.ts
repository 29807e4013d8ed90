/**
 * The octets of SMPP 3.4 as a carrier reads and writes them, from the tables of the specification (chapters 4 and 5, Appendix B) and of GSM
 * 03.38. Shares nothing with the product's codec, which is checked against it.
 */

export const COMMAND = {
  nack: 0x80000000,
  bindReceiver: 1,
  bindTransmitter: 2,
  submit: 4,
  deliver: 5,
  unbind: 6,
  bindTransceiver: 9,
  enquire: 0x15,
} as const;
export const RESPONSE = 0x80000000;

/** A request or a response, its body unread. */
export interface RawPdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

export const pduBytes = (command: number, status: number, sequence: number, body: Uint8Array = Buffer.alloc(0)) => {
  const header = Buffer.alloc(16);
  for (const [at, value] of [16 + body.length, command, status, sequence].entries())
    header.writeUInt32BE(value, 4 * at);
  return Buffer.concat([header, body]);
};

/** Takes whole PDUs off the front of what was read; the rest stays. */
export const takePdus = (read: Buffer): { readonly pdus: RawPdu[]; readonly rest: Buffer } => {
  const pdus: RawPdu[] = [];
  let at = 0;
  while (read.length - at >= 16 && read.length - at >= read.readUInt32BE(at)) {
    const length = read.readUInt32BE(at);
    const [command, status, sequence] = [4, 8, 12].map((offset) => read.readUInt32BE(at + offset)) as [
      number,
      number,
      number,
    ];
    pdus.push({ command, status, sequence, body: read.subarray(at + 16, at + length) });
    at += length;
  }
  return { pdus, rest: read.subarray(at) };
};

/** Reads a body from front to back. */
const cursor = (body: Buffer) => {
  let at = 0;
  return {
    text: () => {
      const end = body.indexOf(0, at);
      const found = body.toString('latin1', at, end);
      at = end + 1;
      return found;
    },
    octet: () => body[at++] as number,
    octets: (length: number) => {
      at += length;
      return body.subarray(at - length, at);
    },
    rest: () => body.subarray(at),
  };
};

export const readBind = (body: Buffer) => {
  const { text, octet } = cursor(body);
  return {
    systemId: text(),
    password: text(),
    systemType: text(),
    version: octet(),
    ton: octet(),
    npi: octet(),
    range: text(),
  };
};

const readTlvs = (bytes: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt16BE(at + 2);
    found.set(bytes.readUInt16BE(at), bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
};

export const readSubmit = (body: Buffer) => {
  const { text, octet, octets, rest } = cursor(body);
  const serviceType = text();
  const source = { ton: octet(), npi: octet(), address: text() };
  const destination = { ton: octet(), npi: octet(), address: text() };
  const [esmClass, protocol, priority] = [octet(), octet(), octet()];
  const [schedule, validity] = [text(), text()];
  const [registered, replace, dataCoding, defaultId] = [octet(), octet(), octet(), octet()];
  const short = octets(octet());
  return {
    serviceType,
    source,
    destination,
    esmClass,
    protocol,
    priority,
    schedule,
    validity,
    registered,
    replace,
    dataCoding,
    defaultId,
    short,
    tlvs: readTlvs(rest()),
  };
};
export type SubmitOctets = ReturnType<typeof readSubmit>;

export interface DeliverOctets {
  readonly source: string;
  readonly destination: string;
  readonly esmClass?: number;
  readonly dataCoding?: number;
  readonly short?: Uint8Array;
  readonly tlvs?: readonly (readonly [tag: number, value: Uint8Array])[];
}

const cText = (text: string) => Buffer.from(`${text}\0`, 'latin1');
const tlvBytes = ([tag, value]: readonly [number, Uint8Array]) =>
  Buffer.concat([Buffer.from([tag >> 8, tag & 0xff, value.length >> 8, value.length & 0xff]), value]);

export const deliverBody = ({
  source,
  destination,
  esmClass = 0,
  dataCoding = 0,
  short = Buffer.alloc(0),
  tlvs = [],
}: DeliverOctets) =>
  Buffer.concat([
    cText(''),
    Buffer.from([1, 1]),
    cText(source),
    Buffer.from([/^\d{8,}$/.test(destination) ? 1 : 3, 0]),
    cText(destination),
    Buffer.from([esmClass, 0, 0]),
    cText(''),
    cText(''),
    Buffer.from([0, 0, dataCoding, 0, short.length]),
    short,
    ...tlvs.map(tlvBytes),
  ]);

export const bindAnswer = (name: string) => Buffer.concat([cText(name), tlvBytes([0x0210, Buffer.from([0x34])])]);
export const submitAnswer = (id: string) => cText(id);

const SEPTETS =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED: Readonly<Record<number, string>> = {
  20: '^',
  40: '{',
  41: '}',
  47: '\\',
  60: '[',
  61: '~',
  62: ']',
  64: '|',
  101: '€',
};

/** The text of a submit_sm, without its header. */
export const textOf = ({ esmClass, dataCoding, short, tlvs }: SubmitOctets): string => {
  const whole = tlvs.get(0x0424) ?? short;
  const bytes = esmClass & 0x40 ? whole.subarray(1 + (whole[0] as number)) : whole;
  if (dataCoding === 8) return Buffer.from(bytes).swap16().toString('utf16le');
  let text = '';
  for (let at = 0; at < bytes.length; at++)
    text += bytes[at] === 0x1b ? EXTENDED[bytes[++at] as number] : SEPTETS[bytes[at] as number];
  return text;
};

/** A text in GSM 03.38, of characters that are no extension, or in UCS-2. */
export const octetsOf = (text: string): { readonly dataCoding: number; readonly short: Buffer } => {
  const septets = Array.from(text, (character) => SEPTETS.indexOf(character));
  return septets.includes(-1)
    ? { dataCoding: 8, short: Buffer.from(text, 'utf16le').swap16() }
    : { dataCoding: 0, short: Buffer.from(septets) };
};
