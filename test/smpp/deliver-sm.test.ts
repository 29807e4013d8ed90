import { describe, expect, it } from 'vitest';
import { decodePdu, encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { decodeText } from '../../shared/smpp/data-coding.ts';
import { type DeliveredMessage, writeDeliverSm } from '../../shared/smpp/deliver.ts';
import type { Pdu, PduOf } from '../../shared/smpp/pdus.ts';
import { readReceipt } from '../../shared/smpp/receipt.ts';
import { tlvValue } from '../../shared/smpp/tlvs.ts';

const SUBMITTED = Date.UTC(2026, 10, 26, 3, 4, 5);
const report: NonNullable<DeliveredMessage['report']> = {
  id: 'msg_012345678901234567890',
  state: 2,
  errorCode: 0,
  submittedAt: SUBMITTED,
  doneAt: SUBMITTED + 61_000,
  intermediate: false,
};
const RECEIPT: DeliveredMessage = { source: '+5511999990005', destination: 'LOJA', text: 'Oi', report };
const REPLY: DeliveredMessage = { source: '+5511999990005', destination: '27272', text: 'Sim' };

/** The deliver_sm as the peer reads it. */
const read = (message: DeliveredMessage, { seconds = false, knowsTlvs = true } = {}): PduOf<'deliver_sm'> => {
  const { body, tlvs } = writeDeliverSm(message, { seconds, knowsTlvs });
  const decoded = decodePdu(encodePdu(pduOf('deliver_sm', 7, body, { tlvs }) as Pdu));
  if (!decoded.ok) throw new Error(decoded.fault.status);
  return decoded.pdu as PduOf<'deliver_sm'>;
};
const textOf = ({ body }: PduOf<'deliver_sm'>): string => Buffer.from(body.shortMessage).toString('latin1');

describe('a report', () => {
  it('is the text of Appendix B in ASCII, with receipted_message_id and message_state', () => {
    const pdu = read(RECEIPT);
    expect(pdu.body).toMatchObject({ esmClass: 0x04, dataCoding: 1, registeredDelivery: 0 });
    expect(textOf(pdu)).toBe(
      'id:msg_012345678901234567890 sub:001 dlvrd:001 submit date:2611260304 done date:2611260305 stat:DELIVRD err:000 text:Oi',
    );
    expect(tlvValue(pdu.tlvs, 'receipted_message_id')).toBe(report.id);
    expect(tlvValue(pdu.tlvs, 'message_state')).toBe(2);
  });

  it('has its dates with seconds where the account wants them', () => {
    expect(textOf(read(RECEIPT, { seconds: true }))).toContain('submit date:261126030405 done date:261126030506');
  });

  it('goes from the recipient to the sender, with the types of their addresses', () => {
    expect(read(RECEIPT).body).toMatchObject({
      sourceAddrTon: 1,
      sourceAddrNpi: 1,
      sourceAddr: '5511999990005',
      destAddrTon: 5,
      destAddrNpi: 0,
      destinationAddr: 'LOJA',
    });
    const toNobody = read({ ...RECEIPT, source: '', destination: '' }).body;
    expect(toNobody).toMatchObject({ sourceAddrTon: 0, sourceAddr: '', destAddrTon: 0, destinationAddr: '' });
  });

  it.each([
    [3, 4, 'EXPIRED', '004', '000'],
    [4, 0, 'DELETED', '000', '000'],
    [5, 255, 'UNDELIV', '255', '000'],
    [7, 5, 'UNKNOWN', '005', '000'],
    [8, 3, 'REJECTD', '003', '000'],
    [99, 1, 'UNKNOWN', '001', '000'],
  ])('of message_state %i and error %i says %s, %s', (state, errorCode, word, error, delivered) => {
    const text = textOf(read({ ...RECEIPT, report: { ...report, state, errorCode } }));
    expect(text).toContain(` dlvrd:${delivered} `);
    expect(readReceipt(text)).toMatchObject({ error, state: word });
  });

  it('of a message that may still come to something else is an intermediate notification', () => {
    const pdu = read({ ...RECEIPT, report: { ...report, state: 1, intermediate: true } });
    expect(pdu.body.esmClass).toBe(0x20);
    expect(textOf(pdu)).toContain('stat:ENROUTE');
    expect(tlvValue(pdu.tlvs, 'message_state')).toBe(1);
  });

  it('shows of the text what ASCII has, a character for a character', () => {
    expect(textOf(read({ ...RECEIPT, text: 'Olá\n😀 stat:X' }))).toMatch(/ text:Ol\?\?\? stat:X$/);
    expect(textOf(read({ ...RECEIPT, text: 'x'.repeat(10_000) }))).toMatch(/ text:x{20}$/);
  });

  it('has no optional parameters for a peer that bound with a version without them', () => {
    const pdu = read(RECEIPT, { knowsTlvs: false });
    expect(pdu.tlvs).toEqual([]);
    expect(readReceipt(textOf(pdu))?.id).toBe(report.id);
  });
});

describe('a reply', () => {
  it('is the text itself, in the default alphabet if it can be, from the phone to the sender', () => {
    const pdu = read({ ...REPLY, text: 'São €5' });
    expect(pdu.body).toMatchObject({
      esmClass: 0,
      dataCoding: 8,
      destAddrTon: 0,
      destAddrNpi: 1,
      destinationAddr: '27272',
    });
    expect(decodeText(pdu.body.shortMessage, 8)).toBe('São €5');
    expect(read(REPLY).body.dataCoding).toBe(0);
    expect(decodeText(read({ ...REPLY, text: '€ @ _' }).body.shortMessage, 0)).toBe('€ @ _');
    expect(pdu.tlvs).toEqual([]);
  });

  it('that is longer than short_message is in message_payload, whole', () => {
    expect(read({ ...REPLY, text: 'x'.repeat(254) }).body.shortMessage).toHaveLength(254);
    const pdu = read({ ...REPLY, text: 'x'.repeat(255) });
    expect(pdu.body.shortMessage).toHaveLength(0);
    expect(tlvValue(pdu.tlvs, 'message_payload')).toHaveLength(255);
  });
});
