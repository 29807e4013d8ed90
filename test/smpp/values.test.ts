import { describe, expect, it } from 'vitest';
import {
  charactersOf,
  DATA_CODINGS,
  decodeText,
  encodeShortest,
  encodeText,
  isDataCoding,
  isPartOfText,
} from '../../shared/smpp/data-coding.ts';
import { joinParts, type Part, readUserData, sarPart, writeUserDataHeader } from '../../shared/smpp/parts.ts';
import { type Receipt, readReceipt, writeReceipt } from '../../shared/smpp/receipt.ts';
import { readTime, writeTime } from '../../shared/smpp/time.ts';
import { tlv } from '../../shared/smpp/tlvs.ts';
import { fc } from '../support/fast-check.ts';

const { gsm, ascii, latin1, ucs2 } = DATA_CODINGS;

describe('texts', () => {
  /** GSM 03.38 as code and character: rows of its tables, and both of their ends. */
  const GSM: [number[], string][] = [
    [[0x00], '@'],
    [[0x04, 0x05, 0x06, 0x07, 0x08, 0x09], 'èéùìòÇ'],
    [[0x0a, 0x0d], '\n\r'],
    [[0x10, 0x11, 0x1a], 'Δ_Ξ'],
    [[0x1c, 0x1f, 0x20, 0x24], 'ÆÉ ¤'],
    [[0x40, 0x41, 0x5a, 0x5b, 0x5f], '¡AZÄ§'],
    [[0x60, 0x61, 0x7a, 0x7b, 0x7f], '¿azäà'],
    [[0x1b, 0x65, 0x1b, 0x3c, 0x1b, 0x3e], '€[]'],
    [[0x1b, 0x14, 0x1b, 0x28, 0x1b, 0x29, 0x1b, 0x2f], '^{}\\'],
    [[0x1b, 0x3d, 0x1b, 0x40, 0x1b, 0x0a], '~|\f'],
  ];
  it.each(GSM)('%j is %s in GSM 03.38', (codes, text) => {
    expect(decodeText(Buffer.from(codes), gsm)).toBe(text);
    expect(encodeText(text, gsm)).toEqual(Buffer.from(codes));
  });

  it('read an escape without a known code as a space, as GSM 03.38 says', () => {
    expect(decodeText(Buffer.from([0x61, 0x1b, 0x61]), gsm)).toBe('a a');
    expect(decodeText(Buffer.from([0x61, 0x1b]), gsm)).toBe('a ');
    expect(decodeText(Buffer.from([0x1b, 0x1b, 0x65]), gsm)).toBe(' €');
  });

  it('are undefined where the bytes are none in their coding', () => {
    expect(decodeText(Buffer.from([0x80]), gsm)).toBeUndefined();
    expect(decodeText(Buffer.from([0x80]), ascii)).toBeUndefined();
    expect(decodeText(Buffer.from([0x00]), ucs2)).toBeUndefined();
    expect(decodeText(Buffer.from([0xd8, 0x3d]), ucs2)).toBeUndefined();
    for (const coding of [gsm, ascii]) expect(encodeText('ã', coding)).toBeUndefined();
    expect(encodeText('€', latin1)).toBeUndefined();
    expect([0, 1, 2, 3, 4, 8, 0x10, 0xf1].filter(isDataCoding)).toEqual([0, 1, 3, 8]);
  });

  it('come back from every coding that has their characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(gsm, ascii, latin1, ucs2), (text, coding) => {
        const bytes = encodeText(text, coding);
        if (bytes) expect(decodeText(bytes, coding)).toBe(text);
        else expect(coding).not.toBe(ucs2);
      }),
    );
    expect(encodeShortest('Olà')).toEqual({ dataCoding: gsm, bytes: Buffer.from('4f6c7f', 'hex') });
    expect(encodeShortest('Olã')).toEqual({ dataCoding: ucs2, bytes: Buffer.from('004f006c00e3', 'hex') });
  });
});

describe('texts in parts', () => {
  it('come back wherever they were cut between bytes that belong together or not, and their characters add up', () => {
    const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(gsm, ascii, latin1, ucs2),
        cuts,
        (text, coding, at) => {
          const bytes = encodeText(text, coding);
          if (!bytes) return;
          const size = coding === ucs2 ? 2 : 1;
          const ends = [0, ...at.map((one) => Math.min(one * size, bytes.length)).sort((a, b) => a - b), bytes.length];
          const parts = ends.slice(1).map((end, before) => ({ coding, bytes: bytes.subarray(ends[before], end) }));
          expect(parts.every((part) => isPartOfText(part.bytes, coding))).toBe(true);
          expect(joinParts(parts)).toBe(text);
          expect(parts.reduce((sum, part) => sum + charactersOf(part.bytes, coding), 0)).toBe(text.length);
        },
      ),
    );
  });

  it('may change their coding from part to part, and are none where a character is not whole in the end', () => {
    const [high, low] = [Buffer.from('d83d', 'hex'), Buffer.from('de00', 'hex')];
    const plain = { coding: gsm, bytes: Buffer.from('a') };
    expect(joinParts([plain, { coding: ucs2, bytes: high }, { coding: ucs2, bytes: low }, plain])).toBe('a😀a');
    expect(joinParts([{ coding: ucs2, bytes: high }, plain, { coding: ucs2, bytes: low }])).toBeUndefined();
    expect(joinParts([{ coding: ucs2, bytes: high }])).toBeUndefined();
  });
});

describe('user data headers', () => {
  const part = fc.integer({ min: 1, max: 255 }).chain((total) =>
    fc.record({
      form: fc.constantFrom(8 as const, 16 as const),
      reference: fc.nat(255),
      total: fc.constant(total),
      number: fc.integer({ min: 1, max: total }),
    }),
  );
  it('name the part that was written, with 8 and 16 bits', () => {
    fc.assert(
      fc.property(part, fc.uint8Array({ maxLength: 140 }), (one: Part, text) => {
        const read = readUserData(Buffer.concat([writeUserDataHeader(one), text]));
        expect(read?.part).toEqual(one);
        expect(Buffer.from(read?.text ?? [])).toEqual(Buffer.from(text));
      }),
    );
    expect(readUserData(Buffer.from('0608041234030261', 'hex'))).toEqual({
      part: { form: 16, reference: 0x1234, total: 3, number: 2 },
      text: Buffer.from('a'),
    });
  });

  it('are taken off with other elements; a part of impossible numbers counts as absent', () => {
    const ports = '05040b8423f0';
    const withPart = Buffer.from(`0b${ports}00032a0201`.concat('61'), 'hex');
    expect(readUserData(withPart)).toEqual({
      part: { form: 8, reference: 42, total: 2, number: 1 },
      text: Buffer.from('a'),
    });
    for (const numbers of ['0201'.replace('01', '03'), '0200', '0000'])
      expect(readUserData(Buffer.from(`0500032a${numbers}61`, 'hex'))).toEqual({ text: Buffer.from('a') });
  });

  it('are undefined where they are broken', () => {
    for (const hex of ['', '05', '0500032a02', '0500042a0201', '0100', '020005'])
      expect(readUserData(Buffer.from(hex, 'hex')), hex).toBeUndefined();
    expect(readUserData(Buffer.of(0))).toEqual({ text: Buffer.alloc(0) });
  });

  it('have their like in the SAR parameters, all three of them', () => {
    const all = [tlv('sar_msg_ref_num', 4660), tlv('sar_total_segments', 3), tlv('sar_segment_seqnum', 2)];
    expect(sarPart(all)).toEqual({ form: 'sar', reference: 4660, total: 3, number: 2 });
    for (const [without] of all.entries()) expect(sarPart(all.toSpliced(without, 1))).toBeUndefined();
    expect(sarPart([...all.slice(0, 2), tlv('sar_segment_seqnum', 4)])).toBeUndefined();
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 0, 31, 12);
  it.each([
    ['261126031500000+', '2026-11-26T03:15:00.000Z'],
    ['261126031500512+', '2026-11-26T00:15:00.500Z'],
    ['261126031500012-', '2026-11-26T06:15:00.000Z'],
    ['000000000130000R', '2026-01-31T12:01:30.000Z'],
    ['000100000000000R', '2026-02-28T12:00:00.000Z'],
    ['010000000000000R', '2027-01-31T12:00:00.000Z'],
    ['000002030000000R', '2026-02-02T15:00:00.000Z'],
  ])('%s is %s', (text, at) => {
    expect(new Date(readTime(text, now) ?? Number.NaN).toISOString()).toBe(at);
  });

  it.each([
    '',
    '2611260315',
    '261326031500000+',
    '260230031500000+',
    '261126240000000+',
    '261126036000000+',
    '261126031500049+',
    '261126031500000Z',
    '26112603150000+0',
  ])('%j is none', (text) => expect(readTime(text, now)).toBeUndefined());

  it('are read as they were written, to the tenth of a second', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 0) }), (at) => {
        expect(readTime(writeTime(at), now)).toBe(Math.floor(at / 100) * 100);
      }),
    );
  });
});

describe('receipts', () => {
  const receipt: Receipt = {
    id: 'msg_000000000000000000001',
    submitted: Date.UTC(2026, 10, 26, 3, 15),
    done: Date.UTC(2026, 10, 26, 3, 16),
    state: 'DELIVRD',
    error: '000',
    text: 'Seu pedido saiu para entrega',
  };
  it('are written as Appendix B has them', () => {
    expect(writeReceipt(receipt)).toBe(
      'id:msg_000000000000000000001 sub:001 dlvrd:001 submit date:2611260315 done date:2611260316 stat:DELIVRD err:000 text:Seu pedido saiu para',
    );
    expect(writeReceipt({ ...receipt, state: 'EXPIRED', error: '027', text: '' }, { seconds: true })).toBe(
      'id:msg_000000000000000000001 sub:001 dlvrd:000 submit date:261126031500 done date:261126031600 stat:EXPIRED err:027 text:',
    );
  });

  it('are read as they were written', () => {
    for (const seconds of [false, true])
      expect(readReceipt(writeReceipt(receipt, { seconds }))).toEqual({ ...receipt, text: receipt.text.slice(0, 20) });
  });

  it.each([
    ['id:1 id:2 stat:DELIVRD stat:EXPIRED', { id: '1', state: 'DELIVRD', error: '', text: '' }],
    ['id:1 stat:DELIVRD', { id: '1', state: 'DELIVRD', error: '', text: '' }],
    [
      'ID:1 SUB:1 STAT:undeliv ERR:5 Text:id:2 stat:DELIVRD',
      { id: '1', state: 'UNDELIV', error: '5', text: 'id:2 stat:DELIVRD' },
    ],
    ['stat:REJECTED id:a-b submit date:x done date:2613010000', { id: 'a-b', state: 'REJECTD', error: '', text: '' }],
  ])('are read as carriers write them: %s', (text, read) => {
    expect(readReceipt(text)).toEqual(read);
  });

  it.each(['', 'hello', 'id: stat:DELIVRD', 'id:1', 'id:1 stat:NEW', 'xid:1 stat:DELIVRD', 'text:id:1 stat:DELIVRD'])(
    'are none: %j',
    (text) => expect(readReceipt(text)).toBeUndefined(),
  );
});
