import fc from 'fast-check';
import { PDUS, type Pdu } from '../../shared/smpp/pdus.ts';
import { type Tlv, tlv } from '../../shared/smpp/tlvs.ts';

const text = (max: number) =>
  fc.string({ unit: fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: max - 1 });
const bytes = (max: number) => fc.uint8Array({ maxLength: max });
const octet = fc.nat(0xff);

/** Lengths of the octet strings, by the specification's tables rather than the module's. */
const TEXTS: Record<string, number> = {
  systemId: 16,
  password: 9,
  systemType: 13,
  addressRange: 41,
  serviceType: 6,
  sourceAddr: 21,
  destinationAddr: 21,
  messageId: 65,
};
const TIMES = new Set(['scheduleDeliveryTime', 'validityPeriod', 'finalDate']);
const time = fc.constantFrom('', '261126031500000+', '000001000000000R');

const anyValue = (name: string): fc.Arbitrary<unknown> => {
  if (TIMES.has(name)) return time;
  if (name === 'shortMessage') return bytes(254);
  const max = TEXTS[name];
  return max === undefined ? octet : text(max);
};

export const anyTlv: fc.Arbitrary<Tlv> = fc.oneof(
  text(65).map((value) => tlv('receipted_message_id', value)),
  octet.map((value) => tlv('message_state', value)),
  fc.nat(0xffff).map((value) => tlv('sar_msg_ref_num', value)),
  bytes(400).map((value) => tlv('message_payload', value)),
  text(64).map((value) => tlv('idempotency_key', value)),
  // Unknown to the specification.
  fc.record({ tag: fc.integer({ min: 0x1401, max: 0x3fff }), value: bytes(40) }),
);

/** Any PDU that can be sent, of every command. */
export const anyPdu: fc.Arbitrary<Pdu> = fc
  .constantFrom(...(Object.keys(PDUS) as (keyof typeof PDUS)[]))
  .chain((command) =>
    fc.record({
      command: fc.constant(command),
      status: fc.constant(0),
      sequence: fc.integer({ min: 1, max: 0x7fffffff }),
      body: fc.record(Object.fromEntries(Object.keys(PDUS[command].fields).map((name) => [name, anyValue(name)]))),
      tlvs: fc.array(anyTlv, { maxLength: 4 }),
    }),
  )
  .map((pdu) => pdu as Pdu);
