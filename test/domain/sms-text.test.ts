import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareText } from '../../shared/domain/channels/sms/text.ts';

/** GSM 03.38 by code points, independent of the module's own tables. */
const BASIC = new Set([
  ...Array.from({ length: 0x7b - 0x61 }, (_, at) => at + 0x61),
  ...Array.from({ length: 0x5b - 0x41 }, (_, at) => at + 0x41),
  ...Array.from({ length: 0x40 - 0x20 }, (_, at) => at + 0x20),
  ...Array.from('\n\r@_¡£¤¥§¿ÄÅÆÇÉÑÖØÜß', (character) => character.charCodeAt(0)),
  ...Array.from('àäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ', (character) => character.charCodeAt(0)),
]);
const EXTENSION = new Set([0x0c, 0x5b, 0x5c, 0x5d, 0x5e, 0x7b, 0x7c, 0x7d, 0x7e, 0x20ac]);

/** The oracle: lists every unit and cuts segments off the front, wherever a character ends. */
const oracle = (text: string) => {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const gsm = points.every((point) => BASIC.has(point) || EXTENSION.has(point));
  const tape = points.flatMap((point) => ((gsm ? EXTENSION.has(point) : point > 0xffff) ? [point, point] : [point]));
  const [single, part] = gsm ? [160, 152] : [70, 67];
  if (tape.length <= single) return { encoding: gsm ? 'GSM-7' : 'UCS-2', length: tape.length, segments: 1 };
  let left = tape;
  let segments = 0;
  while (left.length > 0) {
    left = left.slice(part);
    segments++;
  }
  return { encoding: gsm ? 'GSM-7' : 'UCS-2', length: tape.length, segments };
};
const counted = ({ encoding, length, segments }: ReturnType<typeof prepareText>) => ({ encoding, length, segments });

describe('the alphabet', () => {
  it('has 127 basic and 10 extension characters, all unchanged', () => {
    expect([BASIC.size, EXTENSION.size]).toEqual([127, 10]);
    for (const point of BASIC)
      expect(prepareText(String.fromCodePoint(point))).toMatchObject({ encoding: 'GSM-7', length: 1 });
    for (const point of EXTENSION) {
      const one = String.fromCodePoint(point);
      expect(prepareText(one)).toEqual({ text: one, encoding: 'GSM-7', length: 2, segments: 1 });
    }
  });

  it('does not include the escape, nor other control characters', () => {
    for (const control of ['\u001b', '\u0001', '\u007f']) expect(prepareText(control).encoding).toBe('UCS-2');
  });
});

describe('replacement', () => {
  const vectors: [what: string, body: string, text: string][] = [
    ['a tilde-a, a c-cedilla', 'Não há promoção', 'Nao ha promocao'],
    ['all Portuguese letters', 'ãáâàçéêíóôõúüÃÁÂÀÇÉÊÍÓÔÕÚÜ', 'aaaàcéeiooouüAAAAÇÉEIOOOUÜ'],
    ['what GSM-7 has', 'é à ü è ù ì ò Ç ñ ö Ä å ß Ø Δ Ω', 'é à ü è ù ì ò Ç ñ ö Ä å ß Ø Δ Ω'],
    ['decomposed letters that GSM-7 has', 'e\u0301 a\u0300 u\u0308 C\u0327 n\u0303', 'é à ü Ç ñ'],
    ['decomposed letters that it lacks', 'a\u0303 c\u0327 e\u0302 x\u0301', 'a c e x'],
    ['letters with two marks', 'ế ǖ o\u0303\u0301', 'e u o'],
    ['curly quotes', '“oi” ‘oi’ «oi» ‹oi›', '"oi" \'oi\' "oi" \'oi\''],
    ['backtick and acute', '`oi´', "'oi'"],
    ['dashes', 'a–b—c−d‑e', 'a-b-c-d-e'],
    ['an ellipsis', 'espere…', 'espere...'],
    ['spaces', 'a\u00a0b\u202fc\u3000d\te', 'a b c d e'],
    ['line separators', 'a\u2028b', 'a\nb'],
    ['ordinals', '1º 2ª 25°', '1o 2a 25o'],
    ['letters without decomposition', 'đłıœÞ', 'dlioeTH'],
    ['signs', '© ® ™ × ÷ •', '(C) (R) TM x / *'],
    ['full-width letters', 'ＡＢｃ１', 'ABc1'],
    ['compatibility signs', '\u2126 \u212b \u212a \u037e', 'Ω Å K ;'],
    ['invisible characters', 'a\u200bb\u200ec\u00add\ufeff', 'abcd'],
  ];
  it.each(vectors)('%s', (_, body, text) => {
    expect(prepareText(body)).toMatchObject({ text, encoding: 'GSM-7' });
  });

  it.each(['😀', '1\ufe0f\u20e3', 'я', '漢', '한', '≠', '=\u0338', 'א', '½', '\u0301'])(
    'does not change %s, in UCS-2',
    (body) => {
      expect(prepareText(body)).toMatchObject({ text: body, encoding: 'UCS-2' });
    },
  );

  it('still happens next to a character without an equivalent, which makes the whole message UCS-2', () => {
    expect(prepareText('Promoção 😀')).toEqual({ text: 'Promocao 😀', encoding: 'UCS-2', length: 11, segments: 1 });
  });

  it('keeps the joiners of an emoji together', () => {
    const family = '👨\u200d👩\u200d👧 ❤\ufe0f';
    expect(prepareText(family).text).toBe(family);
  });

  it('keeps an ellipsis where three dots would cost a segment more', () => {
    expect(prepareText('…'.repeat(60))).toEqual({ text: '…'.repeat(60), encoding: 'UCS-2', length: 60, segments: 1 });
    expect(prepareText('…'.repeat(53))).toMatchObject({ text: '.'.repeat(159), encoding: 'GSM-7', segments: 1 });
    expect(prepareText(`${'a'.repeat(66)}…😀`).text).toBe(`${'a'.repeat(66)}…😀`);
    expect(prepareText(`${'a'.repeat(64)}…😀`).text).toBe(`${'a'.repeat(64)}...😀`);
  });

  it('never makes a text empty', () => {
    expect(prepareText('\u200b').text).toBe('\u200b');
    expect(prepareText('')).toEqual({ text: '', encoding: 'GSM-7', length: 0, segments: 1 });
  });
});

const COUNTED: [body: string, length: number, segments: number][] = [
  ['a'.repeat(160), 160, 1],
  ['a'.repeat(161), 161, 2],
  ['a'.repeat(304), 304, 2],
  ['a'.repeat(305), 305, 3],
  ['€'.repeat(80), 160, 1],
  ['€'.repeat(81), 162, 2],
  [`${'a'.repeat(151)}€${'a'.repeat(150)}`, 303, 2],
  [`${'a'.repeat(151)}€${'a'.repeat(151)}`, 304, 2],
  [`${'a'.repeat(151)}€${'a'.repeat(152)}`, 305, 3],
  ['я'.repeat(70), 70, 1],
  ['я'.repeat(71), 71, 2],
  ['я'.repeat(134), 134, 2],
  ['я'.repeat(135), 135, 3],
  ['😀'.repeat(35), 70, 1],
  ['😀'.repeat(66), 132, 2],
  ['😀'.repeat(67), 134, 2],
  ['😀'.repeat(68), 136, 3],
  [`${'я'.repeat(66)}😀${'я'.repeat(66)}`, 134, 2],
  [`${'я'.repeat(65)}😀${'я'.repeat(67)}`, 134, 2],
];
it.each(COUNTED)('counting %s', (body, length, segments) => {
  expect(prepareText(body)).toMatchObject({ length, segments });
});

describe('for any text', () => {
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...'aZ 9.éàüñÇ') },
    { weight: 3, arbitrary: fc.constantFrom(...'€[]{}~^|\\') },
    { weight: 2, arbitrary: fc.constantFrom(...'ãçõâêíúº“”–…œ©™', '\u0301', '\u0303', '\u200d', '\u00a0') },
    { weight: 1, arbitrary: fc.constantFrom('😀', 'я', '漢', '\ufe0f') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  );
  const kind = fc.constantFrom('all', 'gsm', 'plain');
  const gsmUnit = fc.constantFrom(...'aZ 9.éà€[]{}~^|\\');
  const plainUnit = fc.constantFrom(...'aãç…œ©€[™“ ');
  const body = kind.chain((one) =>
    fc
      .array(one === 'all' ? unit : one === 'gsm' ? gsmUnit : plainUnit, { maxLength: 700, size: 'max' })
      .map((all) => all.join('')),
  );

  const forAny = (texts: fc.Arbitrary<string>, check: (text: string) => void) =>
    fc.assert(fc.property(texts, check), { seed: 20_260_302, numRuns: 2_000 });

  it('the count equals that of an independent segmenter', () => {
    forAny(body, (text) => {
      const prepared = prepareText(text);
      expect(counted(prepared)).toEqual(oracle(prepared.text));
    });
  });

  it('replacement never makes the message more expensive', () => {
    forAny(body, (text) => {
      expect(prepareText(text).segments).toBeLessThanOrEqual(oracle(text).segments);
    });
  });

  it('a prepared text is not changed again', () => {
    forAny(body, (text) => {
      const prepared = prepareText(text);
      expect(prepareText(prepared.text)).toEqual(prepared);
    });
  });

  it('a GSM-7 text is never changed', () => {
    forAny(fc.string({ unit: gsmUnit, maxLength: 400 }), (text) => {
      expect(prepareText(text).text).toBe(text);
    });
  });
});
