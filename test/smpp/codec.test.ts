import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodePdu, encodePdu, MAX_PDU_BYTES, pduOf } from '../../shared/smpp/codec.ts';
import type { Command, Pdu } from '../../shared/smpp/pdus.ts';
import { STATUSES, statusName } from '../../shared/smpp/statuses.ts';
import { type TlvName, tlv, tlvValue } from '../../shared/smpp/tlvs.ts';
import { fc } from '../support/fast-check.ts';
import { anyPdu } from './arbitraries.ts';

type Value = string | number | { readonly hex: string };
interface Vector {
  readonly command: Command;
  readonly sequence: number;
  readonly status: number;
  readonly body: Readonly<Record<string, Value>>;
  readonly tlvs: Readonly<Record<string, Value>>;
  readonly bytes: string;
}
const VECTORS = (
  JSON.parse(readFileSync(join(import.meta.dirname, 'smpplib-2.2.4.json'), 'utf8')) as { readonly pdus: Vector[] }
).pdus;

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const plain = (value: Value) => (typeof value === 'object' ? Buffer.from(value.hex, 'hex') : value);
const expected = ({ command, sequence, status, body, tlvs }: Vector): Pdu =>
  ({
    command,
    sequence,
    status,
    body: Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), plain(value)])),
    tlvs: Object.entries(tlvs).map(([name, value]) => tlv(name as TlvName, plain(value) as never)),
  }) as Pdu;

const decoded = (bytes: Buffer): Pdu => {
  const result = decodePdu(bytes);
  if (!result.ok) throw new Error(result.fault.detail);
  return result.pdu;
};
const refusal = (bytes: Buffer) => {
  const result = decodePdu(bytes);
  if (result.ok) throw new Error(`decoded as ${result.pdu.command}`);
  return result.fault;
};
/** The header of a PDU, and any bytes behind it. */
const raw = (id: number, ...parts: (string | Uint8Array)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(id, 4);
  header.writeUInt32BE(7, 12);
  return Buffer.concat([header, body]);
};

describe('golden bytes', () => {
  it('are those of the bind_transmitter that the specification spells out (SMPP 3.4, 3.2.3)', () => {
    const bytes = Buffer.from(
      '0000002f 00000002 00000000 00000001 534d50503354455354 00 7365637265743038 00 5355424d495431 00 00 01 01 00'.replaceAll(
        ' ',
        '',
      ),
      'hex',
    );
    const bind = pduOf('bind_transmitter', 1, {
      systemId: 'SMPP3TEST',
      password: 'secret08',
      systemType: 'SUBMIT1',
      interfaceVersion: 0,
      addrTon: 1,
      addrNpi: 1,
    });
    expect(decoded(bytes)).toEqual(bind);
    expect(encodePdu(bind)).toEqual(bytes);
  });

  it.each(VECTORS)('are read and written as smpplib writes them: $command, $sequence', (vector) => {
    const bytes = Buffer.from(vector.bytes, 'hex');
    const { tlvs, ...rest } = decoded(bytes);
    const { tlvs: expectedTlvs, ...expectedRest } = expected(vector);
    expect(rest).toEqual(expectedRest);
    expect(tlvs.map(({ tag, value }) => [tag, Buffer.from(value)])).toEqual(
      expectedTlvs.map(({ tag, value }) => [tag, Buffer.from(value)]),
    );
    expect(encodePdu({ ...rest, tlvs } as Pdu)).toEqual(bytes);
  });

  it('cover every command but cancel_sm, which smpplib lacks', () => {
    expect(new Set(VECTORS.map(({ command }) => command)).size).toBe(19);
    // SMPP 3.4, 4.9.1: service_type, message_id, source, destination.
    const bytes = raw(8, 'CMT\0msg_1\0', Uint8Array.of(5, 0), 'LOJA\0', Uint8Array.of(1, 1), '5511\0');
    const cancel = pduOf('cancel_sm', 7, {
      serviceType: 'CMT',
      messageId: 'msg_1',
      sourceAddrTon: 5,
      sourceAddr: 'LOJA',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '5511',
    });
    expect(decoded(bytes)).toEqual(cancel);
    expect(encodePdu(cancel)).toEqual(bytes);
  });
});

describe('encoding', () => {
  it('and decoding give the same PDU, whatever its parameters', () => {
    fc.assert(
      fc.property(anyPdu, (pdu) => {
        const bytes = encodePdu(pdu);
        const { tlvs, ...rest } = decoded(bytes);
        const { tlvs: sent, ...expectedRest } = pdu;
        if ('shortMessage' in rest.body)
          Object.assign(rest.body, { shortMessage: new Uint8Array(rest.body.shortMessage) });
        expect(rest).toEqual(expectedRest);
        expect(tlvs.map(({ tag, value }) => [tag, [...value]])).toEqual(
          sent.map(({ tag, value }) => [tag, [...value]]),
        );
        expect(encodePdu({ ...rest, tlvs } as Pdu)).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a text of its maximum', () => pduOf('submit_sm', 1, { sourceAddr: '1'.repeat(21) })],
    ['a NUL', () => pduOf('submit_sm', 1, { sourceAddr: '1\u0000' })],
    ['a character above Latin-1', () => pduOf('submit_sm', 1, { sourceAddr: 'Ω' })],
    ['a number above its byte', () => pduOf('submit_sm', 1, { esmClass: 256 })],
    ['a fraction', () => pduOf('submit_sm', 1, { esmClass: 0.5 })],
    ['a time that is too short', () => pduOf('submit_sm', 1, { validityPeriod: '2611260315' })],
    ['a short_message of 255 bytes', () => pduOf('submit_sm', 1, { shortMessage: Buffer.alloc(255) })],
    ['64 KB', () => pduOf('data_sm', 1, {}, { tlvs: [{ tag: 0x0424, value: Buffer.alloc(MAX_PDU_BYTES - 1) }] })],
    [
      'an unknown parameter that is too long',
      () => pduOf('data_sm', 1, {}, { tlvs: [{ tag: 0x2000, value: Buffer.alloc(0x10000) }] }),
    ],
  ])('refuses %s', (_, make) => {
    expect(() => encodePdu(make())).toThrow(RangeError);
  });

  it('leaves the body out of a refusal that says nothing more, and reads such a refusal', () => {
    const refused = pduOf('submit_sm_resp', 9, {}, { status: 'ESME_RTHROTTLED' });
    const bytes = encodePdu(refused);
    expect(bytes.length).toBe(16);
    expect(decoded(bytes)).toEqual(refused);
    const reported = pduOf(
      'data_sm_resp',
      9,
      {},
      { status: 'opt_out', tlvs: [tlv('additional_status_info_text', 'opted out')] },
    );
    expect(tlvValue(decoded(encodePdu(reported)).tlvs, 'additional_status_info_text')).toBe('opted out');
  });
});

const MESSAGE_START = '\0\0\0' as const;
const SUBMIT = (shortMessage: string) =>
  raw(4, MESSAGE_START, '1\0', '\x01\x01', '5511\0', '\0\0\0', '\0\0', '\x01\0\0\0', shortMessage);

describe('decoding', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'ESME_RINVCMDLEN'],
    ['a header that is cut off', Buffer.alloc(15), 'ESME_RINVCMDLEN'],
    ['a length that is not the length', Buffer.concat([raw(0x15), Buffer.alloc(1)]), 'ESME_RINVCMDLEN'],
    ['an unknown command', raw(0x99), 'ESME_RINVCMDID'],
    ['replace_sm, which is not supported', raw(7), 'ESME_RINVCMDID'],
    ['submit_multi, which is not supported', raw(0x21), 'ESME_RINVCMDID'],
    ['a bind that ends within its system_id', raw(2, 'abc'), 'ESME_RINVCMDLEN'],
    ['a bind without its numbers', raw(2, 'abc\0pw\0\0'), 'ESME_RINVCMDLEN'],
    ['a system_id of 16 characters', raw(2, `${'x'.repeat(16)}\0pw\0\0\0\0\0\0`), 'ESME_RINVSYSID'],
    ['a password of 9 characters', raw(2, `x\0${'p'.repeat(9)}\0\0\0\0\0\0`), 'ESME_RINVPASWD'],
    ['a system_type of 13 characters', raw(2, `x\0p\0${'t'.repeat(13)}\0\0\0\0\0`), 'ESME_RINVSYSTYP'],
    ['an address_range of 41 characters', raw(2, `x\0p\0t\0\0\0\0${'r'.repeat(41)}\0`), 'ESME_RINVPARLEN'],
    ['a service_type of 6 characters', raw(4, 'abcdef\0'), 'ESME_RINVSERTYP'],
    ['a source of 21 digits', raw(4, MESSAGE_START, `${'1'.repeat(21)}\0`), 'ESME_RINVSRCADR'],
    ['a destination of 21 digits', raw(4, MESSAGE_START, '1\0', '\x01\x01', `${'1'.repeat(21)}\0`), 'ESME_RINVDSTADR'],
    [
      'a schedule of 3 characters',
      raw(4, MESSAGE_START, '1\0', '\x01\x01', '5\0', '\0\0\0', 'abc\0'),
      'ESME_RINVSCHED',
    ],
    [
      'a validity of 17 characters',
      raw(4, MESSAGE_START, '1\0\x01\x015\0\0\0\0\0', `${'1'.repeat(17)}\0`),
      'ESME_RINVEXPIRY',
    ],
    ['an sm_length above 254', SUBMIT(`\xff${'x'.repeat(255)}`), 'ESME_RINVMSGLEN'],
    ['an sm_length beyond the end', SUBMIT('\x05abcd'), 'ESME_RINVMSGLEN'],
    ['a message_id of 65 characters', raw(3, `${'m'.repeat(65)}\0`), 'ESME_RINVMSGID'],
    ['a parameter of three bytes', SUBMIT('\0\x02\x04\0'), 'ESME_RINVOPTPARSTREAM'],
    ['a parameter beyond the end', SUBMIT('\0\x02\x04\0\x02\0'), 'ESME_RINVOPTPARSTREAM'],
    ['a known parameter of a wrong length', SUBMIT('\0\x02\x04\0\x01\0'), 'ESME_RINVPARLEN'],
    ['a receipted_message_id of 66 bytes', SUBMIT(`\0\0\x1e\0\x42${'x'.repeat(66)}`), 'ESME_RINVPARLEN'],
  ])('refuses %s', (_, bytes, status) => {
    expect(refusal(bytes)).toMatchObject({ status, sequence: bytes.length < 16 ? 0 : bytes.readUInt32BE(12) });
  });

  it('includes the command in its errors, so that the matching response carries the status', () => {
    expect(refusal(SUBMIT('\x05abcd'))).toMatchObject({ command: 'submit_sm', commandId: 4, sequence: 7 });
    expect(refusal(raw(0x99)).command).toBeUndefined();
  });

  it('accepts sm_length 254, unknown parameters, a repeated one, and text parameters without their NUL', () => {
    expect(decoded(SUBMIT(`\xfe${'x'.repeat(254)}`)).command).toBe('submit_sm');
    const { tlvs } = decoded(SUBMIT('\0\x20\x01\0\x02ab\0\x1e\0\x03abc\0\x1e\0\x02x\0'));
    expect(tlvs.map(({ tag }) => tag)).toEqual([0x2001, 0x1e, 0x1e]);
    expect(tlvValue(tlvs, 'receipted_message_id')).toBe('abc');
    expect(tlvValue(tlvs, 'message_state')).toBeUndefined();
  });

  it('reads a deliver_sm_resp without a body, and no submit_sm_resp of success without one', () => {
    expect(decoded(raw(0x80000005))).toMatchObject({ command: 'deliver_sm_resp', body: { messageId: '' } });
    expect(refusal(raw(0x80000004)).status).toBe('ESME_RINVCMDLEN');
  });

  it('never repeats what was sent in what it says of a fault', () => {
    expect(refusal(raw(4, MESSAGE_START, `5511999990005551199\0`, '\x01')).detail).not.toContain('5511');
  });
});

describe('the table of statuses', () => {
  it('names each code once', () => {
    expect(new Set(Object.values(STATUSES)).size).toBe(Object.keys(STATUSES).length);
    expect([0, 0x58, 0x104, 0x402].map(statusName)).toEqual(['ESME_ROK', 'ESME_RTHROTTLED', 'ESME_RINVDCS', 'opt_out']);
    expect(statusName(0x9999)).toBeUndefined();
  });
});
