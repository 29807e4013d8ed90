import { type AnyField, PduFault, type Reader } from './fields.ts';
import { type Body, bodyOf, type Command, commandOf, isResponseId, PDUS, type Pdu, type PduOf } from './pdus.ts';
import { STATUSES, type StatusName } from './statuses.ts';
import { readTlvs, type Tlv, writeTlv } from './tlvs.ts';

/** command_length, command_id, command_status and sequence_number: four bytes each. */
export const HEADER_BYTES = 16;
/** The maximum length of a PDU in either direction. */
export const MAX_PDU_BYTES = 65_536;

/** A decoding fault: the protocol's answer to it. */
export interface DecodeFault {
  readonly status: StatusName;
  readonly commandId: number;
  readonly command?: Command;
  readonly sequence: number;
  /** The fault and its place, without values of the request. */
  readonly detail: string;
}
export type Decoded = { readonly ok: true; readonly pdu: Pdu } | { readonly ok: false; readonly fault: DecodeFault };

const FIELDS: ReadonlyMap<string, readonly [string, AnyField][]> = new Map(
  Object.entries(PDUS).map(([command, { fields }]) => [command, Object.entries<AnyField>(fields)]),
);

const readBody = (command: Command, status: number, reader: Reader): Body<Command> => {
  // A refusal may omit the body (4.4.2), and some peers omit it in a successful deliver_sm_resp.
  if (
    reader.at === reader.bytes.length &&
    isResponseId(PDUS[command].id) &&
    (status !== 0 || command === 'deliver_sm_resp')
  )
    return bodyOf(command);
  const body: Record<string, unknown> = {};
  for (const [name, field] of FIELDS.get(command) ?? []) body[name] = field.read(reader, name);
  return body as Body<Command>;
};

/**
 * Decodes one PDU, as framed by `framing.ts`. Total: any bytes result in a PDU or a fault, never an exception. Byte values of the result
 * are views into `bytes`.
 */
export const decodePdu = (bytes: Buffer): Decoded => {
  if (bytes.length < HEADER_BYTES)
    return {
      ok: false,
      fault: { status: 'ESME_RINVCMDLEN', commandId: 0, sequence: 0, detail: 'the header is cut off' },
    };
  const commandId = bytes.readUInt32BE(4);
  const status = bytes.readUInt32BE(8);
  const sequence = bytes.readUInt32BE(12);
  const command = commandOf(commandId);
  const faulty = (name: StatusName, detail: string): Decoded => ({
    ok: false,
    fault: { status: name, commandId, sequence, detail, ...(command ? { command } : {}) },
  });
  if (bytes.readUInt32BE(0) !== bytes.length) return faulty('ESME_RINVCMDLEN', 'command_length is not the length');
  if (!command) return faulty('ESME_RINVCMDID', 'the command is unknown');
  const reader = { bytes, at: HEADER_BYTES };
  try {
    const body = readBody(command, status, reader);
    return { ok: true, pdu: { command, status, sequence, body, tlvs: readTlvs(reader) } as Pdu };
  } catch (fault) {
    if (fault instanceof PduFault) return faulty(fault.status, fault.message);
    throw fault;
  }
};

const isEmpty = (value: unknown): boolean =>
  value === '' || value === 0 || (value instanceof Uint8Array && value.length === 0);

/** Encodes a PDU. A refusal without parameters is its header alone (4.4.2). Throws a RangeError for a value that does not fit. */
export const encodePdu = ({ command, status, sequence, body, tlvs }: Pdu): Buffer => {
  const { id } = PDUS[command];
  const says = tlvs.length > 0 || Object.values(body).some((value) => !isEmpty(value));
  const values = body as Readonly<Record<string, unknown>>;
  const fields = (isResponseId(id) && status !== 0 && !says ? [] : (FIELDS.get(command) ?? [])).map(([name, field]) =>
    field.write(values[name] as never, name),
  );
  const bytes = Buffer.concat([Buffer.alloc(HEADER_BYTES), ...fields, ...tlvs.map(writeTlv)]);
  if (bytes.length > MAX_PDU_BYTES) throw new RangeError(`a PDU has at most ${MAX_PDU_BYTES} bytes`);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(id, 4);
  bytes.writeUInt32BE(status, 8);
  bytes.writeUInt32BE(sequence, 12);
  return bytes;
};

/** A PDU to send: omitted parameters are empty. */
export const pduOf = <C extends Command>(
  command: C,
  sequence: number,
  body: Partial<Body<C>> = {},
  more: { readonly status?: StatusName; readonly tlvs?: readonly Tlv[] } = {},
): PduOf<C> => ({
  command,
  status: STATUSES[more.status ?? 'ESME_ROK'],
  sequence,
  body: bodyOf(command, body),
  tlvs: more.tlvs ?? [],
});
