import { describe, expect, it } from 'vitest';
import { pduOf } from '../../shared/smpp/codec.ts';
import { type ReadMessage, readMessage } from '../../shared/smpp/message.ts';
import type { Body } from '../../shared/smpp/pdus.ts';
import { type Tlv, tlv } from '../../shared/smpp/tlvs.ts';

const NOW = Date.UTC(2026, 10, 26, 3);
const TO = { destAddrTon: 1, destAddrNpi: 1, destinationAddr: '5511999990005' };
const read = (body: Partial<Body<'submit_sm'>>, tlvs: readonly Tlv[] = []): ReadMessage =>
  readMessage(pduOf('submit_sm', 1, { ...TO, shortMessage: Buffer.from('Oi'), ...body }, { tlvs }), NOW);
const statusOf = (message: ReadMessage): string => ('refused' in message ? message.refused : 'read');

describe('a submit_sm', () => {
  it('has the recipient, the sender, the text and the options', () => {
    const message = read(
      {
        sourceAddrTon: 5,
        sourceAddr: 'LOJA',
        dataCoding: 8,
        shortMessage: Buffer.from('004f006c00e3', 'hex'),
        scheduleDeliveryTime: '261126040000000+',
        validityPeriod: '000001000000000R',
        registeredDelivery: 1,
      },
      [tlv('idempotency_key', 'order-1')],
    );
    expect(message).toEqual({
      destination: '+5511999990005',
      source: 'LOJA',
      text: 'Olã',
      deliverAt: NOW + 3_600_000,
      schedule: '261126040000000+',
      validUntil: NOW + 24 * 3_600_000,
      validity: '000001000000000R',
      receipt: 'always',
      idempotencyKey: 'order-1',
    });
    expect(read({})).toEqual({ destination: '+5511999990005', text: 'Oi', receipt: 'never' });
  });

  it.each([
    [1, '5511999990005', '+5511999990005'],
    [0, '5511999990005', '+5511999990005'],
    [1, '+5511999990005', '+5511999990005'],
    [2, '11999990005', undefined],
    [5, 'LOJA', undefined],
    [1, '', undefined],
    [1, '55 11', undefined],
    [1, '++5511999990005', undefined],
    [1, '1234567890123456', undefined],
    [1, '５５11999990005', undefined],
  ])('of the destination %i %j goes to %s', (destAddrTon, destinationAddr, to) => {
    const message = readMessage(
      {
        ...pduOf('submit_sm', 1, TO),
        body: { ...pduOf('submit_sm', 1, { shortMessage: Buffer.from('Oi') }).body, destAddrTon, destinationAddr },
      },
      NOW,
    );
    expect('refused' in message ? message.refused : message.destination).toBe(to ?? 'ESME_RINVDSTADR');
  });

  it.each([
    [5, 'LOJA AZUL', 'LOJA AZUL'],
    [1, '551130000000', '+551130000000'],
    [0, '27272', '27272'],
    [6, '27272', '27272'],
    [5, 'LOJA-AZUL', undefined],
    [5, 'DOZE LETRAS X', undefined],
    [1, '12', undefined],
  ])('of the source %i %j is shown as %s', (sourceAddrTon, sourceAddr, from) => {
    const message = read({ sourceAddrTon, sourceAddr });
    expect('refused' in message ? message.refused : message.source).toBe(from ?? 'ESME_RINVSRCADR');
  });

  it('is refused for an invalid text, an unknown coding, and a text in both places', () => {
    expect(statusOf(read({ shortMessage: Buffer.alloc(0) }))).toBe('ESME_RINVMSGLEN');
    for (const dataCoding of [2, 4, 5, 16, 0xf5]) expect(statusOf(read({ dataCoding }))).toBe('ESME_RINVDCS');
    expect(statusOf(read({ dataCoding: 8, shortMessage: Buffer.from('odd') }))).toBe('ESME_RINVDCS');
    expect(statusOf(read({ shortMessage: Buffer.of(0xe3) }))).toBe('ESME_RINVDCS');
    expect(statusOf(read({}, [tlv('message_payload', Buffer.from('Oi'))]))).toBe('ESME_RINVMSGLEN');
    expect(statusOf(read({ esmClass: 0x40, shortMessage: Buffer.of(5, 0, 3, 1) }))).toBe('ESME_RINVMSGLEN');
    expect(statusOf(read({ esmClass: 0x40, shortMessage: Buffer.from('050003010201', 'hex') }))).toBe(
      'ESME_RINVMSGLEN',
    );
  });

  it('is refused for NUL, which no request may contain, in any alphabet that has it; a data_sm too', () => {
    const statuses = (dataCoding: number, hex: string) => {
      const tlvs = [tlv('message_payload', Buffer.from(hex, 'hex'))];
      const data = pduOf('data_sm', 1, { ...TO, dataCoding }, { tlvs });
      return [read({ dataCoding, shortMessage: Buffer.from(hex, 'hex') }), readMessage(data, NOW)].map(statusOf);
    };
    for (const hex of ['610062', '00'])
      for (const coding of [1, 3]) expect(statuses(coding, hex)).toEqual(['ESME_RINVDCS', 'ESME_RINVDCS']);
    for (const hex of ['006100000062', '0000']) expect(statuses(8, hex)).toEqual(['ESME_RINVDCS', 'ESME_RINVDCS']);
    expect(statuses(0, '610062')).toEqual(['read', 'read']);
    expect(statuses(8, '61000062')).toEqual(['read', 'read']);
  });

  it('has its text in message_payload, of any length, with or without a header', () => {
    const long = 'x'.repeat(5_000);
    const empty = { shortMessage: Buffer.alloc(0) };
    expect(read(empty, [tlv('message_payload', Buffer.from(long))])).toMatchObject({ text: long });
    const part = Buffer.concat([Buffer.from('06080412340201', 'hex'), Buffer.from('Oi')]);
    expect(read({ ...empty, esmClass: 0x40 }, [tlv('message_payload', part)])).toMatchObject({
      encoded: { coding: 0, bytes: Buffer.from('Oi') },
      part: { form: 16, reference: 0x1234, total: 2, number: 1 },
    });
  });

  it('is a part by its header or by the SAR parameters, and whole where the total is one', () => {
    const sar = (total: number) => [
      tlv('sar_msg_ref_num', 7),
      tlv('sar_total_segments', total),
      tlv('sar_segment_seqnum', 1),
    ];
    expect(read({}, sar(3))).toMatchObject({ part: { form: 'sar', reference: 7, total: 3, number: 1 } });
    expect(read({}, sar(1))).not.toHaveProperty('part');
    expect(read({}, sar(3).slice(1))).not.toHaveProperty('part');
    const header = Buffer.concat([Buffer.from('050003090201', 'hex'), Buffer.from('Oi')]);
    expect(read({ esmClass: 0x40, shortMessage: header }, sar(3))).toMatchObject({
      encoded: { bytes: Buffer.from('Oi') },
      part: { form: 8, reference: 9 },
    });
  });

  it.each([
    ['the first unit of a surrogate pair', 8, 'd83d', 'read'],
    ['an escape', 0, '311b', 'read'],
    ['half a unit', 8, 'd83dde', 'ESME_RINVDCS'],
    ['a code that no alphabet has', 0, '80', 'ESME_RINVDCS'],
    ['a code that ASCII lacks', 1, 'e9', 'ESME_RINVDCS'],
    ['any code of Latin-1', 3, 'e9', 'read'],
    ['NUL in ASCII', 1, '6100', 'ESME_RINVDCS'],
    ['NUL in Latin-1', 3, '6100', 'ESME_RINVDCS'],
    ['NUL in UCS-2', 8, '00610000', 'ESME_RINVDCS'],
    ['two zeros of two units', 8, '61000061', 'read'],
    ['the @ of the default alphabet', 0, '6100', 'read'],
    ['nothing', 8, '', 'ESME_RINVMSGLEN'],
  ])('as a part may end with %s: in data_coding %i %s', (_, dataCoding, hex, status) => {
    const shortMessage = Buffer.from(`050003090201${hex}`, 'hex');
    expect(statusOf(read({ esmClass: 0x40, dataCoding, shortMessage }))).toBe(status);
  });

  it.each([
    ['scheduleDeliveryTime', '261126025959000+', 'ESME_RINVSCHED'],
    ['scheduleDeliveryTime', '261326040000000+', 'ESME_RINVSCHED'],
    ['scheduleDeliveryTime', '000000000100000R', 'read'],
    ['validityPeriod', '261126025959000+', 'ESME_RINVEXPIRY'],
    ['validityPeriod', '000000000000000R', 'ESME_RINVEXPIRY'],
    ['validityPeriod', '2611260400000x0+', 'ESME_RINVEXPIRY'],
    ['validityPeriod', '000000010000000R', 'read'],
  ])('with %s %j is %s', (field, time, status) => {
    expect(statusOf(read({ [field]: time }))).toBe(status);
  });

  it('is refused where it would be of no use by the time that it leaves', () => {
    const times = { scheduleDeliveryTime: '000000020000000R', validityPeriod: '000000010000000R' };
    expect(statusOf(read(times))).toBe('ESME_RINVEXPIRY');
  });

  it.each([
    [0, 'never'],
    [1, 'always'],
    [2, 'failure'],
    [3, 'success'],
    [0x11, 'always'],
    [0x10, 'never'],
  ])('with registered_delivery %i wants a receipt: %s', (registeredDelivery, receipt) => {
    expect(read({ registeredDelivery })).toMatchObject({ receipt });
  });

  it('wants a notification that it has left only where registered_delivery says so', () => {
    expect(read({ registeredDelivery: 0x11 })).toMatchObject({ receipt: 'always', intermediate: true });
    expect(read({ registeredDelivery: 0x0f })).not.toHaveProperty('intermediate');
  });
});

it('a data_sm says the same, without times', () => {
  const body = { ...TO, sourceAddr: 'LOJA', registeredDelivery: 1 };
  const tlvs = [tlv('message_payload', Buffer.from('Oi'))];
  expect(readMessage(pduOf('data_sm', 1, body, { tlvs }), NOW)).toEqual({
    destination: '+5511999990005',
    source: 'LOJA',
    text: 'Oi',
    receipt: 'always',
  });
  expect(statusOf(readMessage(pduOf('data_sm', 1, body), NOW))).toBe('ESME_RINVMSGLEN');
});
