import { describe, expect, test } from 'vitest';
import { attachmentNamed } from '../../shared/domain/activities/file-name.ts';
import {
  CARD_FILE_TYPES,
  type CardFileType,
  cardFileTypeOf,
  isOfType,
} from '../../shared/domain/activities/file-types.ts';
import { FILES, filled, OTHERS } from '../media/files.ts';

const csv = Buffer.from('nome;cidade\r\nAna;S\xe3o Paulo\r\n', 'latin1');
const SAMPLES: Readonly<Record<CardFileType, Buffer>> = {
  'application/msword': FILES.compound,
  'application/pdf': FILES.pdf,
  'application/vnd.ms-excel': FILES.compound,
  'application/vnd.ms-powerpoint': FILES.compound,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': FILES.pptx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': FILES.xlsx,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': FILES.docx,
  'audio/mp4': FILES.m4a,
  'audio/mpeg': FILES.mp3,
  'audio/ogg': FILES.monoOpus,
  'image/gif': OTHERS.gif ?? expect.fail('a GIF'),
  'image/jpeg': FILES.jpeg,
  'image/png': FILES.png,
  'image/webp': FILES.stillWebp,
  'text/csv': csv,
  'text/plain': FILES.text,
  'video/mp4': FILES.mp4,
};
/** Types that their bytes alone do not distinguish. */
const ALIKE: readonly (readonly CardFileType[])[] = [
  ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  ['audio/mp4', 'video/mp4'],
  ['text/csv', 'text/plain'],
];
const areAlike = (a: CardFileType, b: CardFileType) =>
  a === b || ALIKE.some((types) => types.includes(a) && types.includes(b));

describe('the type of a file', () => {
  test.each(CARD_FILE_TYPES)('%s is that of its own bytes, and of no other type’s', (type) => {
    expect(isOfType(SAMPLES[type], type)).toBe(true);
    for (const other of CARD_FILE_TYPES)
      if (!areAlike(type, other)) expect([other, isOfType(SAMPLES[other], type)]).toEqual([other, false]);
  });

  test('is none of an executable, a plain zip, a picture of another kind', () => {
    const strange = ['executable', 'zip', 'heic', 'wave', 'a zip with a name of Office in its data'] as const;
    for (const name of strange)
      for (const type of CARD_FILE_TYPES)
        expect([name, type, isOfType(OTHERS[name] ?? csv, type)]).toEqual([name, type, false]);
  });

  test('is text only without NUL and other control characters, wherever they are', () => {
    const long = filled(FILES.text, 300_000);
    expect(isOfType(Buffer.from(long.map((byte) => (byte === 0 ? 0x20 : byte))), 'text/csv')).toBe(true);
    for (const byte of [0x00, 0x01, 0x1b]) {
      const bytes = Buffer.from('a'.repeat(200_000));
      bytes[199_999] = byte;
      expect(isOfType(bytes, 'text/plain')).toBe(false);
    }
    expect(isOfType(Buffer.from('%PDF-1.4 of text alone'), 'text/plain')).toBe(false);
  });

  test('is declared by any of its names, in any case, with parameters', () => {
    expect(cardFileTypeOf('Image/JPG')).toBe('image/jpeg');
    expect(cardFileTypeOf('text/csv; charset=utf-8')).toBe('text/csv');
    expect(cardFileTypeOf('audio/mp3')).toBe('audio/mpeg');
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/zip',
      'application/javascript',
      'video/3gpp',
      '',
      '__proto__',
    ])
      expect([type, cardFileTypeOf(type)]).toEqual([type, undefined]);
  });
});

describe('the name that a download is saved under', () => {
  test('is in the header in plain and in full, and nothing of it ends the header', () => {
    expect(attachmentNamed('Proposta São João.pdf')).toBe(
      `attachment; filename="Proposta Sao Joao.pdf"; filename*=UTF-8''Proposta%20S%C3%A3o%20Jo%C3%A3o.pdf`,
    );
    const hostile = attachmentNamed(`a"; filename=evil.html\r\nSet-Cookie: x'*(1).pdf\ud800`);
    expect(hostile).toMatch(/^attachment; filename="[\w .()-]*"; filename\*=UTF-8''[\w.!~%-]*$/);
  });
});
