import { describe, expect, it } from 'vitest';
import { Base64Reader, InvalidBase64 } from '../../shared/domain/channels/whatsapp/media/base64.ts';
import { UploadReader } from '../../shared/domain/channels/whatsapp/media/upload-reader.ts';
import { type Chance, chanceOf } from '../support/chance.ts';

const SEED = 20_260_302;

type Outcome = { readonly rest: string; readonly bytes: Buffer } | { readonly fault: unknown };

/** Reads a body in pieces, cut at `cuts`. */
const read = (body: Buffer, cuts: readonly number[] = []): Outcome => {
  const reader = new UploadReader();
  const decoded: Uint8Array[] = [];
  for (const [at, from] of [0, ...cuts].entries()) {
    const taken = reader.take(body.subarray(from, cuts[at] ?? body.length));
    if ('kind' in taken) return { fault: taken };
    decoded.push(Buffer.from(taken));
  }
  const ended = reader.end();
  return 'kind' in ended ? { fault: ended } : { rest: ended.rest, bytes: Buffer.concat(decoded) };
};
const body = (data: string): Buffer => Buffer.from(`{"filename":"a","dataBase64":"${data}","mimeType":"b"}`);
const REST = '{"filename":"a","dataBase64":"","mimeType":"b"}';

/** Reads the rest of a base64 text: its bytes, or its fault. */
const decode = (reader: Base64Reader, text: Uint8Array): Buffer | InvalidBase64 => {
  const into = Buffer.alloc(text.length + 3);
  const end = reader.read(text, 0, text.length, into, 0);
  return end instanceof InvalidBase64 ? end : into.subarray(0, end);
};

const randomBytes = (chance: Chance, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => chance.below(256)));
/** Base64 as callers write it: wrapped or not, with line breaks as JSON escapes, single characters as code points. */
const written = (chance: Chance, bytes: Buffer): string => {
  const spaces = ['', '', '\\n', '\\r\\n', '\\t', ' ', '\\u000a'];
  return Array.from(bytes.toString('base64'), (character) => {
    const form = chance.below(40);
    const encoded =
      form === 0 ? `\\u00${character.charCodeAt(0).toString(16)}` : character === '/' && form < 20 ? '\\/' : character;
    return encoded + (chance.below(30) === 0 ? chance.pick(spaces) : '');
  }).join('');
};

describe('base64', () => {
  it.each([
    ['', ''],
    ['Zg==', 'f'],
    ['Zm8=', 'fo'],
    ['Zm9v', 'foo'],
    ['Zm9vYg==', 'foob'],
    ['Zm9vYmE=', 'fooba'],
    ['Zm9vYmFy', 'foobar'],
  ])('reads the vectors of RFC 4648: %s', (text, expected) => {
    for (let cut = 0; cut <= text.length; cut++) {
      const reader = new Base64Reader();
      const parts = [text.slice(0, cut), text.slice(cut)].map((part) => decode(reader, Buffer.from(part)));
      expect(
        parts.map((part) => (part instanceof InvalidBase64 ? 'fault' : Buffer.from(part).toString())).join(''),
      ).toBe(expected);
      expect(reader.end()).toBeUndefined();
    }
  });

  it.each([
    ['Zm9v!mFy', 4],
    ['Zm9v-mFy', 4],
    ['Zm9v_mFy', 4],
    ['data:;base64,', 4],
    ['=Zm9', 0],
    ['Z===', 1],
    ['Zg=v', 3],
    ['Zg==Zg==', 4],
    ['Zm8=\n=', 5],
    ['Zm9v\u00e9', 4],
    ['Zm9v\0', 4],
    ['Zm9vY', 5],
    ['Zm9vYg', 6],
    ['Zm9vYg=', 7],
  ])('reports the same position of a fault, however it is cut: %j at %i', (text, position) => {
    const bytes = Buffer.from(text, 'latin1');
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new Base64Reader();
      const first = decode(reader, bytes.subarray(0, cut));
      const second = first instanceof InvalidBase64 ? first : decode(reader, bytes.subarray(cut));
      expect(second instanceof InvalidBase64 ? second : reader.end()).toEqual(new InvalidBase64(position));
    }
  });
});

describe('the body of an upload', () => {
  it('is read the same however it is cut', () => {
    const whole = body('Zm9v\\nYm\\/+\\u0059g==');
    const expected = { rest: REST, bytes: Buffer.from('Zm9vYm/+Yg==', 'base64') };
    for (let one = 0; one <= whole.length; one++)
      for (let other = one; other <= whole.length; other++) expect(read(whole, [one, other])).toEqual(expected);
  });

  it('is read the same in pieces of one byte', () => {
    const whole = body('Zm9v\\r\\nYmFy');
    const cuts = Array.from({ length: whole.length - 1 }, (_, at) => at + 1);
    expect(read(whole, cuts)).toEqual({ rest: REST, bytes: Buffer.from('foobar') });
  });

  it(`is decoded to what was encoded, for random bytes (seed ${SEED})`, () => {
    const chance = chanceOf(SEED);
    for (let round = 0; round < 400; round++) {
      const bytes = randomBytes(chance, chance.below(400));
      const whole = body(written(chance, bytes));
      const cuts = Array.from({ length: chance.below(6) }, () => chance.below(whole.length)).sort((a, b) => a - b);
      expect(read(whole, cuts)).toEqual({ rest: REST, bytes });
    }
  });

  it(`reports the first invalid character, for random bytes (seed ${SEED})`, () => {
    const chance = chanceOf(SEED);
    for (let round = 0; round < 200; round++) {
      const text = randomBytes(chance, 3 + chance.below(300))
        .toString('base64')
        .replaceAll('=', 'A');
      const at = chance.below(text.length);
      const broken = body(text.slice(0, at) + chance.pick(['!', '-', '_', '.', '\u00e9', '{']) + text.slice(at + 1));
      const cut = chance.below(broken.length);
      expect(read(broken, [cut])).toEqual({ fault: { kind: 'not_base64', at } });
    }
  });

  it.each([
    ['the data first', '{"dataBase64":"Zm9v","filename":"a"}', '{"dataBase64":"","filename":"a"}'],
    ['spaces between all', ' {\n "dataBase64" :\t"Zm9v" } ', ' {\n "dataBase64" :\t"" } '],
    ['a name with escapes', '{"data\\u0042ase64":"Zm9v"}', '{"data\\u0042ase64":""}'],
    ['line breaks as they are', '{"dataBase64":"Zm\n9v\r\n"}', '{"dataBase64":""}'],
    ['white space of every kind', '{"dataBase64":" Z\\tm\\f9\\u000bv\\u000c\\r\\n"}', '{"dataBase64":""}'],
    [
      'the name as a value, and within others',
      '{"filename":"dataBase64","x":{"dataBase64":"!"},"y":["dataBase64"],"dataBase64":"Zm9v"}',
      '{"filename":"dataBase64","x":{"dataBase64":"!"},"y":["dataBase64"],"dataBase64":""}',
    ],
    [
      'quotes and braces in other values',
      '{"filename":"\\"}{,\\\\","dataBase64":"Zm9v"}',
      '{"filename":"\\"}{,\\\\","dataBase64":""}',
    ],
  ])('may be written with %s', (_, text, rest) => {
    const whole = Buffer.from(text);
    for (let cut = 0; cut <= whole.length; cut++)
      expect(read(whole, [cut])).toEqual({ rest, bytes: Buffer.from('foo') });
  });

  it.each([
    ['a body that ends within the data', '{"dataBase64":"Zm9v', { kind: 'not_json' }],
    ['a body that ends within a name', '{"dataBa', { kind: 'not_json' }],
    ['data given twice', '{"dataBase64":"Zm9v","dataBase64":"Zm9v"}', { kind: 'duplicate_field' }],
    ['data that is cut short', '{"dataBase64":"Zm9"}', { kind: 'not_base64', at: 3 }],
    ['an escape that JSON does not have', '{"dataBase64":"Zm9v\\x"}', { kind: 'not_base64', at: 4 }],
    ['a code point beyond bytes', '{"dataBase64":"Zm9v\\u0441"}', { kind: 'not_base64', at: 4 }],
    ['a name that no upload has', `{"filename":"${'a'.repeat(20_000)}"}`, { kind: 'too_long' }],
    ['no UTF-8', Buffer.from('{"filename":"\xff"}', 'latin1'), { kind: 'not_json' }],
  ])('is refused: %s', (_, text, fault) => {
    expect(read(Buffer.from(text))).toEqual({ fault });
  });

  it('is passed on unchanged when it is not an upload, for the JSON parser to refuse', () => {
    for (const text of ['', '[]', 'null', '{"dataBase64":5}', '{"a" "b"}', '}}}{', '"dataBase64":"!"']) {
      const outcome = read(Buffer.from(text));
      expect(outcome).toEqual({ rest: text, bytes: Buffer.alloc(0) });
    }
  });
});
