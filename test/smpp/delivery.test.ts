import { describe, expect, it } from 'vitest';
import { pduOf } from '../../shared/smpp/codec.ts';
import { readDelivery } from '../../shared/smpp/delivery.ts';
import type { Body } from '../../shared/smpp/pdus.ts';
import { type Tlv, tlv } from '../../shared/smpp/tlvs.ts';

const RECEIPT = 0x04;
const deliver = (text: string | Buffer, over: Partial<Body<'deliver_sm'>> = {}, tlvs: readonly Tlv[] = []) =>
  readDelivery(
    pduOf(
      'deliver_sm',
      1,
      {
        sourceAddrTon: 1,
        sourceAddr: '5511987654321',
        destAddrTon: 3,
        destinationAddr: '28000',
        shortMessage: Buffer.from(text),
        ...over,
      },
      { tlvs },
    ),
  );
const receipt = (text: string, tlvs: readonly Tlv[] = [], esmClass = RECEIPT) => deliver(text, { esmClass }, tlvs);

// As SMSCs have sent them: the specification's, then those that its readers were surprised by.
describe.each([
  [
    'Appendix B',
    'id:0123456789 sub:001 dlvrd:001 submit date:0801081122 done date:0801081123 stat:DELIVRD err:000 text:Hello',
    { id: '0123456789', state: 'DELIVRD', error: '000' },
  ],
  [
    'without sub and dlvrd',
    'id:1526758174 submit date:1701240904 done date:1701240904 stat:DELIVRD err:000 text:hellow',
    { id: '1526758174', state: 'DELIVRD' },
  ],
  [
    'seconds in the dates, an id of letters, no text',
    'id:a29f6845555647139e5c8f3b817f2c9a sub:001 dlvrd:001 submit date:141023215253 done date:141023215259 stat:DELIVRD err:000 text:',
    { id: 'a29f6845555647139e5c8f3b817f2c9a', state: 'DELIVRD' },
  ],
  [
    'an id with dashes',
    'id:5fc32b1e-0e32-4f6c-9b9f-0c52b9a3f2f1 sub:001 dlvrd:000 submit date:2001010000 done date:2001010001 stat:UNDELIV err:027 Text:x',
    { id: '5fc32b1e-0e32-4f6c-9b9f-0c52b9a3f2f1', state: 'UNDELIV', error: '027' },
  ],
  [
    'an id with zeros before it',
    'id:0221067780 sub:001 dlvrd:001 submit date:2001010000 done date:2001010001 stat:EXPIRED err:255',
    { id: '0221067780', state: 'EXPIRED', error: '255' },
  ],
  [
    'an error of letters',
    'id:7 sub:1 dlvrd:0 submit date:2001010000 done date:2001010001 stat:REJECTD err:0x0D text:',
    { state: 'REJECTD', error: '0x0D' },
  ],
  [
    'a date of no calendar',
    'id:7 sub:001 dlvrd:000 submit date:0000000000 done date:0000000000 stat:UNKNOWN err:000',
    { state: 'UNKNOWN' },
  ],
  [
    'the text before the state ends it all the same',
    'id:7 stat:ACCEPTD text:id:8 stat:DELIVRD',
    { id: '7', state: 'ACCEPTD' },
  ],
])('a receipt: %s', (_, text, said) => {
  it('is read', () => expect(receipt(text)).toMatchObject({ kind: 'receipt', phone: '+5511987654321', ...said }));
});

describe('a receipt with parameters', () => {
  const BOTH = [tlv('receipted_message_id', '1F'), tlv('message_state', 2)];

  it('is believed by them before its text, also where esm_class is silent', () => {
    for (const esmClass of [RECEIPT, 0x20, 0])
      expect(receipt('id:31 stat:UNDELIV err:005', BOTH, esmClass)).toMatchObject({
        kind: 'receipt',
        id: '1F',
        state: 'DELIVRD',
        error: '005',
      });
  });
  it('needs no text', () => expect(receipt('', BOTH)).toMatchObject({ id: '1F', state: 'DELIVRD' }));
  it('takes from the text what they leave out', () => {
    expect(receipt('id:31 stat:UNDELIV', [tlv('receipted_message_id', '1F')])).toMatchObject({
      id: '1F',
      state: 'UNDELIV',
    });
    expect(receipt('id:31 stat:UNDELIV', [tlv('message_state', 3)])).toMatchObject({ id: '31', state: 'EXPIRED' });
  });
  it('says the error of the network', () =>
    expect(receipt('', [...BOTH, tlv('network_error_code', Uint8Array.of(3, 0, 27))])).toMatchObject({
      network: { network: 3, code: 27 },
    }));
  it('may carry its text as a payload, behind a header, and by data_sm', () => {
    const text = 'id:9 stat:DELIVRD err:000';
    expect(receipt('', [tlv('message_payload', Buffer.from(text))])).toMatchObject({ id: '9' });
    const header = Buffer.from([5, 0, 3, 1, 2, 1]);
    expect(deliver(Buffer.concat([header, Buffer.from(text)]), { esmClass: RECEIPT | 0x40 })).toMatchObject({
      id: '9',
    });
    const pdu = pduOf(
      'data_sm',
      1,
      { esmClass: RECEIPT, sourceAddrTon: 1, sourceAddr: '5511987654321' },
      { tlvs: BOTH },
    );
    expect(readDelivery(pdu)).toMatchObject({ kind: 'receipt', id: '1F' });
  });
});

it.each([
  ['no id', 'stat:DELIVRD err:000'],
  ['no state', 'id:7 err:000'],
  ['a state that no SMSC is known to send', 'id:7 stat:WHATEVR'],
  ['another format', '00,0210021543,0210021500,,447887123456,10110200000000,we2345678i9o03er45ty67u'],
])('an unreadable receipt is distinguished: %s', (_, text) =>
  expect(receipt(text)).toEqual({ kind: 'unreadable', what: 'receipt' }),
);

describe('a message', () => {
  const message = (text: string) => ({ kind: 'message', from: '+5511987654321', to: '28000', text });

  it('is no receipt because somebody writes like one', () => {
    const text = 'id:7 sub:001 dlvrd:001 stat:DELIVRD err:000 text:x';
    expect(deliver(text)).toEqual(message(text));
    expect(deliver(text, {}, [tlv('receipted_message_id', '7')])).toEqual(message(text));
  });
  it.each([
    ['the default alphabet', 0x00, Buffer.from([0x1b, 0x65, 0x07])],
    ['the same with a message class', 0x11, Buffer.from([0x1b, 0x65, 0x07])],
    ['the same by another group', 0xf1, Buffer.from([0x1b, 0x65, 0x07])],
    ['Latin-1', 0x03, Buffer.from('ì', 'latin1')],
    ['UCS-2', 0x08, Buffer.from('20ac00ec', 'hex')],
    ['UCS-2 with a message class', 0x18, Buffer.from('20ac00ec', 'hex')],
  ])('is read in %s', (_, dataCoding, bytes) =>
    expect(deliver(bytes, { dataCoding })).toEqual(message(dataCoding === 3 ? 'ì' : '€ì')),
  );
  it.each([
    ['bytes that are data', 0x04],
    ['data with a message class', 0xf5],
    ['an alphabet that is not known', 0x0e],
  ])('in %s cannot be read', (_, dataCoding) =>
    expect(deliver('x', { dataCoding })).toEqual({ kind: 'unreadable', what: 'message' }),
  );
  const part = { kind: 'part', from: '+5511987654321', to: '28000', coding: 0, bytes: Buffer.from('A') };
  const saysSar = (total: number) => [
    tlv('sar_msg_ref_num', 9),
    tlv('sar_total_segments', total),
    tlv('sar_segment_seqnum', 1),
  ];
  it.each([
    ['a header with a short reference', 8, Buffer.from([5, 0, 3, 9, 2, 1, 0x41]), { esmClass: 0x40 }, []],
    ['a header with a long reference', 16, Buffer.from([6, 8, 4, 0, 9, 2, 1, 0x41]), { esmClass: 0x40 }, []],
    ['parameters', 'sar', Buffer.from('A'), {}, saysSar(2)],
    ['parameters, beside message_payload', 'sar', '', {}, [...saysSar(2), tlv('message_payload', Buffer.from('A'))]],
  ] as const)('in parts says by %s which one it is, and its bytes as they are', (_, form, bytes, fields, tlvs) =>
    expect(deliver(bytes, fields, tlvs)).toEqual({ ...part, part: { form, reference: 9, total: 2, number: 1 } }),
  );
  it('of one part is whole', () => expect(deliver('A', {}, saysSar(1))).toEqual(message('A')));
  it('may end within a character in a part of it, but not within half of one', () => {
    const header = [5, 0, 3, 9, 2, 1];
    const ucs2 = (...bytes: number[]) => deliver(Buffer.from([...header, ...bytes]), { esmClass: 0x40, dataCoding: 8 });
    expect(ucs2(0xd8, 0x3d)).toMatchObject({ kind: 'part', coding: 8, bytes: Buffer.from('d83d', 'hex') });
    expect(ucs2(0xd8)).toEqual({ kind: 'unreadable', what: 'message' });
  });
});
