import { describe, expect, it } from 'vitest';
import { type DetectedType, detectType, HEAD_BYTES } from '../../shared/domain/channels/whatsapp/media/signatures.ts';
import {
  MEDIA_TYPE_NAMES,
  MEDIA_TYPES,
  type MimeType,
  mediaTypeOf,
} from '../../shared/domain/channels/whatsapp/media/types.ts';
import { FILES, OTHERS } from './files.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const EXPECTED: Readonly<Record<Exclude<keyof typeof FILES, 'compound'>, DetectedType>> = {
  jpeg: { mimeType: 'image/jpeg' },
  png: { mimeType: 'image/png' },
  stillWebp: { mimeType: 'image/webp' },
  extendedStillWebp: { mimeType: 'image/webp' },
  movingWebp: { mimeType: 'image/webp', animated: true },
  mp4: { mimeType: 'video/mp4' },
  m4a: { mimeType: 'audio/mp4' },
  threeGp: { mimeType: 'video/3gpp' },
  aac: { mimeType: 'audio/aac' },
  amr: { mimeType: 'audio/amr' },
  mp3: { mimeType: 'audio/mpeg' },
  taggedMp3: { mimeType: 'audio/mpeg' },
  longTaggedMp3: { mimeType: 'audio/mpeg' },
  taggedAac: { mimeType: 'audio/aac' },
  monoOpus: { mimeType: 'audio/ogg', voice: true },
  stereoOpus: { mimeType: 'audio/ogg' },
  pdf: { mimeType: 'application/pdf' },
  docx: { mimeType: `${OFFICE}.wordprocessingml.document` },
  xlsx: { mimeType: `${OFFICE}.spreadsheetml.sheet` },
  pptx: { mimeType: `${OFFICE}.presentationml.presentation` },
  text: { mimeType: 'text/plain' },
};

describe('the type of a file', () => {
  it.each(Object.entries(EXPECTED))('is detected from its first bytes: %s', (name, found) => {
    expect(detectType(FILES[name as keyof typeof FILES])).toEqual(found);
  });

  it.each(Object.entries(OTHERS))('is not one that Meta accepts: %s', (_, bytes) => {
    expect(detectType(bytes)).toBeUndefined();
  });

  it.each([
    ['a PDF declared as a picture', FILES.pdf, 'image/png', 'application/pdf'],
    ['a picture declared as text', FILES.jpeg, 'text/plain', 'image/jpeg'],
    ['audio with a brand of its own declared as video', FILES.m4a, 'video/mp4', 'audio/mp4'],
  ] as const)('overrules the declared one: %s', (_, bytes, declared, found) => {
    expect(detectType(bytes, declared)?.mimeType).toBe(found);
  });

  it.each([
    ['MP4 without pictures', FILES.mp4, 'audio/mp4'],
    ['Word 97', FILES.compound, 'application/msword'],
    ['Excel 97', FILES.compound, 'application/vnd.ms-excel'],
    ['PowerPoint 97', FILES.compound, 'application/vnd.ms-powerpoint'],
  ] as const)('is the declared one where several types share a container: %s', (_, bytes, declared) => {
    expect(detectType(bytes, declared)?.mimeType).toBe(declared);
  });

  it('is unknown for an Office 97 file declared as something else', () => {
    expect(detectType(FILES.compound)).toBeUndefined();
    expect(detectType(FILES.compound, 'application/pdf')).toBeUndefined();
  });

  it('is text even if the inspected bytes end within a character', () => {
    const long = Buffer.concat([Buffer.alloc(HEAD_BYTES - 1, 0x61), Buffer.from('é')]).subarray(0, HEAD_BYTES);
    expect(detectType(long)?.mimeType).toBe('text/plain');
  });

  it('is detected without throwing, however few bytes there are', () => {
    for (const bytes of [...Object.values(FILES), ...Object.values(OTHERS)])
      for (let length = 0; length <= bytes.length; length++)
        expect(() => detectType(bytes.subarray(0, length))).not.toThrow();
  });
});

describe('a declared type', () => {
  it('is known by every name that Meta documents', () => {
    for (const name of Object.keys(MEDIA_TYPES)) expect(mediaTypeOf(name)).toBe(name);
    for (const name of MEDIA_TYPE_NAMES) expect(mediaTypeOf(name), name).toBeDefined();
  });

  it.each([
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['IMAGE/JPEG', 'image/jpeg'],
    ['image/jpg', 'image/jpeg'],
    ['video/3gp', 'video/3gpp'],
    ['image/gif', undefined],
    ['constructor', undefined],
    ['', undefined],
  ] as const)('%s means %s', (declared: string, meant: MimeType | undefined) => {
    expect(mediaTypeOf(declared)).toBe(meant);
  });
});
