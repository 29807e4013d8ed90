import { integerBytes, nullTerminated, PduFault, type Reader } from './fields.ts';

/** An optional parameter on the wire: unknown ones are kept, and written back, byte for byte. */
export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

interface TlvKind<T> {
  readonly min: number;
  readonly max: number;
  readonly read: (value: Buffer) => T;
  readonly write: (value: T, name: string) => Uint8Array;
}

/** A kind whose type is known elsewhere. */
interface AnyKind {
  readonly min: number;
  readonly max: number;
  readonly read: (value: Buffer) => unknown;
  readonly write: (value: never, name: string) => Uint8Array;
}

const MAX_LENGTH = 0xffff;

const integerOf = (size: 1 | 2 | 4): TlvKind<number> => ({
  min: size,
  max: size,
  read: (value) => value.readUIntBE(0, size),
  write: (value, name) => integerBytes(value, size, name),
});
/** Some peers omit the NUL: the text ends at a NUL or with the value. */
const textOf = (max: number): TlvKind<string> => ({
  min: 1,
  max,
  read: (value) => {
    const end = value.indexOf(0);
    return value.toString('latin1', 0, end < 0 ? value.length : end);
  },
  write: (value, name) => nullTerminated(value, max, name),
});
const octetsOf = (min: number, max: number): TlvKind<Uint8Array> => ({
  min,
  max,
  read: (value) => value,
  write: (value, name) => {
    if (value.length < min || value.length > max) throw new RangeError(`${name} has ${min} to ${max} bytes`);
    return value;
  },
});

/** The optional parameters of SMPP 3.4 (5.3.2) by name, with the product's own idempotency_key. */
const KINDS = {
  dest_addr_subunit: [0x0005, integerOf(1)],
  dest_network_type: [0x0006, integerOf(1)],
  dest_bearer_type: [0x0007, integerOf(1)],
  dest_telematics_id: [0x0008, integerOf(2)],
  source_addr_subunit: [0x000d, integerOf(1)],
  source_network_type: [0x000e, integerOf(1)],
  source_bearer_type: [0x000f, integerOf(1)],
  source_telematics_id: [0x0010, integerOf(1)],
  qos_time_to_live: [0x0017, integerOf(4)],
  payload_type: [0x0019, integerOf(1)],
  additional_status_info_text: [0x001d, textOf(256)],
  receipted_message_id: [0x001e, textOf(65)],
  ms_msg_wait_facilities: [0x0030, integerOf(1)],
  privacy_indicator: [0x0201, integerOf(1)],
  source_subaddress: [0x0202, octetsOf(2, 23)],
  dest_subaddress: [0x0203, octetsOf(2, 23)],
  user_message_reference: [0x0204, integerOf(2)],
  user_response_code: [0x0205, integerOf(1)],
  source_port: [0x020a, integerOf(2)],
  destination_port: [0x020b, integerOf(2)],
  sar_msg_ref_num: [0x020c, integerOf(2)],
  language_indicator: [0x020d, integerOf(1)],
  sar_total_segments: [0x020e, integerOf(1)],
  sar_segment_seqnum: [0x020f, integerOf(1)],
  sc_interface_version: [0x0210, integerOf(1)],
  callback_num_pres_ind: [0x0302, integerOf(1)],
  callback_num_atag: [0x0303, octetsOf(0, 65)],
  number_of_messages: [0x0304, integerOf(1)],
  callback_num: [0x0381, octetsOf(4, 19)],
  dpf_result: [0x0420, integerOf(1)],
  set_dpf: [0x0421, integerOf(1)],
  ms_availability_status: [0x0422, integerOf(1)],
  network_error_code: [0x0423, octetsOf(3, 3)],
  message_payload: [0x0424, octetsOf(0, MAX_LENGTH)],
  delivery_failure_reason: [0x0425, integerOf(1)],
  more_messages_to_send: [0x0426, integerOf(1)],
  message_state: [0x0427, integerOf(1)],
  ussd_service_op: [0x0501, integerOf(1)],
  display_time: [0x1201, integerOf(1)],
  sms_signal: [0x1203, integerOf(2)],
  // One byte in 3.4, four in 5.0.
  ms_validity: [0x1204, octetsOf(1, 4)],
  // Empty in 3.4, one byte in 5.0.
  alert_on_message_delivery: [0x130c, octetsOf(0, 1)],
  its_reply_type: [0x1380, integerOf(1)],
  its_session_info: [0x1383, integerOf(2)],
  // In the range that 3.4 reserves for vendors.
  idempotency_key: [0x1400, textOf(256)],
} as const satisfies Record<string, readonly [number, AnyKind]>;

export type TlvName = keyof typeof KINDS;
export type TlvValue<N extends TlvName> = (typeof KINDS)[N][1] extends TlvKind<infer T> ? T : never;

const BY_TAG: ReadonlyMap<number, AnyKind & { readonly name: string }> = new Map(
  Object.entries(KINDS).map(([name, [tag, kind]]) => [tag, { name, ...kind }]),
);

/** An optional parameter to send. Throws a RangeError for a value that does not fit. */
export const tlv = <N extends TlvName>(name: N, value: TlvValue<N>): Tlv => {
  const [tag, kind]: readonly [number, AnyKind] = KINDS[name];
  return { tag, value: kind.write(value as never, name) };
};

/** The value of an optional parameter: the first, if a peer repeats it. */
export const tlvValue = <N extends TlvName>(tlvs: readonly Tlv[], name: N): TlvValue<N> | undefined => {
  const [tag, kind]: readonly [number, AnyKind] = KINDS[name];
  const found = tlvs.find((one) => one.tag === tag);
  if (!found || found.value.length < kind.min || found.value.length > kind.max) return undefined;
  return kind.read(Buffer.from(found.value.buffer, found.value.byteOffset, found.value.length)) as TlvValue<N>;
};

/**
 * The optional parameters up to the end of the bytes. Throws a PduFault for a malformed sequence, and for a known one of a wrong length.
 */
export const readTlvs = (reader: Reader): Tlv[] => {
  const { bytes } = reader;
  const tlvs: Tlv[] = [];
  while (reader.at < bytes.length) {
    if (reader.at + 4 > bytes.length) throw new PduFault('ESME_RINVOPTPARSTREAM', 'an optional parameter is cut off');
    const tag = bytes.readUInt16BE(reader.at);
    const length = bytes.readUInt16BE(reader.at + 2);
    const from = reader.at + 4;
    if (from + length > bytes.length)
      throw new PduFault('ESME_RINVOPTPARSTREAM', 'an optional parameter is longer than the PDU');
    const known = BY_TAG.get(tag);
    if (known && (length < known.min || length > known.max))
      throw new PduFault('ESME_RINVPARLEN', `${known.name} has ${known.min} to ${known.max} bytes`);
    tlvs.push({ tag, value: bytes.subarray(from, from + length) });
    reader.at = from + length;
  }
  return tlvs;
};

export const writeTlv = ({ tag, value }: Tlv): Buffer => {
  if (!(tag >= 0 && tag <= 0xffff) || value.length > MAX_LENGTH) throw new RangeError('no optional parameter');
  const bytes = Buffer.alloc(4 + value.length);
  bytes.writeUInt16BE(tag, 0);
  bytes.writeUInt16BE(value.length, 2);
  bytes.set(value, 4);
  return bytes;
};
