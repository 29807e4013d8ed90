import { describe, expect, it } from 'vitest';
import { prepareText } from '../../shared/domain/channels/sms/text.ts';
import { type DataCoding, decodeText } from '../../shared/smpp/data-coding.ts';
import { readUserData, sarPart } from '../../shared/smpp/parts.ts';
import { SPLITTINGS, splitText, type TextPdu } from '../../shared/smpp/split.ts';
import { tlvValue } from '../../shared/smpp/tlvs.ts';
import { fc } from '../support/fast-check.ts';

const contentOf = ({ body, tlvs }: TextPdu) => {
  const bytes = tlvValue(tlvs, 'message_payload') ?? body.shortMessage;
  const user = body.esmClass === 0x40 ? readUserData(bytes) : { text: bytes };
  const part = user && 'part' in user ? user.part : sarPart(tlvs);
  return { bytes: user?.text ?? bytes, part, text: decodeText(user?.text ?? bytes, body.dataCoding as DataCoding) };
};
const split = (text: string, splitting: (typeof SPLITTINGS)[number] = 'udh') => splitText(text, splitting, 7) ?? [];

it.each([
  ['160 septets are one SMS', 'a'.repeat(160), [160]],
  ['161 are two', 'a'.repeat(161), [153, 8]],
  ['an extension character counts twice', `${'a'.repeat(159)}€`, [153, 8]],
  ['and is never cut in two', `${'a'.repeat(152)}€${'a'.repeat(20)}`, [152, 22]],
  ['70 UTF-16 units are one SMS', 'ж'.repeat(70), [140]],
  ['71 are two', 'ж'.repeat(71), [134, 8]],
  ['an emoji is never cut in two', `${'ж'.repeat(66)}🙂${'ж'.repeat(10)}`, [132, 24]],
])('%s', (_, text, sizes) => {
  const parts = split(text).map(contentOf);
  expect(parts.map(({ bytes }) => bytes.length)).toEqual(sizes);
  expect(parts.map((part) => part.text).join('')).toBe(text);
});

describe.each(SPLITTINGS)('parts by %s', (splitting) => {
  it('together are the text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500 }), (given) => {
        const parts = split(given.toWellFormed(), splitting).map(contentOf);
        expect(parts.map(({ text }) => text).join('')).toBe(given.toWellFormed());
      }),
    );
  });

  it('say which they are, of how many, under one reference', () => {
    const parts = split('a'.repeat(400), splitting).map(contentOf);
    if (splitting === 'payload') expect(parts.map(({ part }) => part)).toEqual([undefined]);
    else
      expect(parts.map(({ part }) => part)).toEqual(
        [1, 2, 3].map((number) => ({ form: splitting === 'sar' ? 'sar' : 8, reference: 7, total: 3, number })),
      );
  });
});

it('never leaves in more parts than are charged', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '€', 'ж', '{', 'ç'), minLength: 1, maxLength: 900 }),
      (given) => {
        const { text, encoding, segments } = prepareText(given);
        // A surrogate pair at a border moves it; the price counts units alone, and there are none here.
        expect(split(text).length).toBeLessThanOrEqual(segments);
        expect(split(text)[0]?.body.dataCoding).toBe(encoding === 'GSM-7' ? 0 : 8);
      },
    ),
  );
});

it('a text of more than 255 parts is none that can be sent', () => {
  expect(split('a'.repeat(255 * 153))).toHaveLength(255);
  expect(splitText('a'.repeat(255 * 153 + 1), 'udh', 1)).toBeUndefined();
  expect(splitText('a'.repeat(255 * 153 + 1), 'payload', 1)).toHaveLength(1);
});
