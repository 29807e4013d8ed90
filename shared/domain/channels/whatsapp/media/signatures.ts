import { orUndefined } from '../../../core/or-undefined.ts';
import type { MimeType } from './types.ts';

/** The type detected from a file's first bytes. */
export interface DetectedType {
  readonly mimeType: MimeType;
  /** An animated sticker. */
  readonly animated?: true;
  /** Ogg/Opus with one channel: can be sent as a voice note. */
  readonly voice?: true;
}

/** Bytes to inspect: Office files name their parts within them. */
export const HEAD_BYTES = 64 * 1024;

const latin1 = (head: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...head.subarray(from, Math.min(to, head.length)));
const startsWith = (head: Uint8Array, bytes: readonly number[], at = 0): boolean =>
  head.length >= at + bytes.length && bytes.every((byte, index) => head[at + index] === byte);
const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

/** RIFF container of type WEBP (WebP container specification); in the extended format bit 1 of the flags marks an animation. */
const webp = (head: Uint8Array): DetectedType | undefined => {
  if (!startsWith(head, ascii('RIFF')) || !startsWith(head, ascii('WEBP'), 8)) return undefined;
  const moves = startsWith(head, ascii('VP8X'), 12) && ((head[20] ?? 0) & 0x02) !== 0;
  return { mimeType: 'image/webp', ...(moves ? { animated: true } : {}) };
};

/** The first Ogg page holds the Opus identification header (RFC 3533, 6; RFC 7845, 5.1); its tenth byte is the channel count. */
const oggOpus = (head: Uint8Array): DetectedType | undefined => {
  if (!startsWith(head, [...ascii('OggS'), 0])) return undefined;
  const payload = 27 + (head[26] ?? 0);
  if (!startsWith(head, ascii('OpusHead'), payload)) return undefined;
  // The upper four bits are the major version; only 0 is defined.
  if (((head[payload + 8] ?? 0xff) & 0xf0) !== 0) return undefined;
  const channels = head[payload + 9] ?? 0;
  if (channels === 0) return undefined;
  return { mimeType: 'audio/ogg', ...(channels === 1 ? { voice: true } : {}) };
};

/** ISO base media brands (ISO/IEC 14496-12, 4.3; mp4ra.org); HEIF, AVIF and QuickTime use others. */
const MP4_BRANDS = /^(?:isom|iso[2-9]|mp4[12]|mp71|avc1|dash|MSNV|M4V |f4v |XAVC|NDS[CHMPS])$/;

/** Audio and video share most brands, so `declared` decides, except for Apple's audio brands. */
const isoMedia = (head: Uint8Array, declared: MimeType | undefined): DetectedType | undefined => {
  if (!startsWith(head, ascii('ftyp'), 4)) return undefined;
  const brand = latin1(head, 8, 12);
  if (brand.startsWith('3gp')) return { mimeType: 'video/3gpp' };
  if (/^M4[AB] $/.test(brand)) return { mimeType: 'audio/mp4' };
  if (!MP4_BRANDS.test(brand)) return undefined;
  return { mimeType: declared === 'audio/mp4' ? 'audio/mp4' : 'video/mp4' };
};

/** An ADTS frame (ISO/IEC 13818-7, 6.2) or MPEG layer III frame (ISO/IEC 11172-3, 2.4.1.3). */
const audioFrame = (head: Uint8Array, at: number): MimeType | undefined => {
  const [sync, second = 0, third = 0] = head.subarray(at, at + 3);
  if (sync !== 0xff || head.length < at + 4) return undefined;
  const [rateOfAdts, bitrate, rate] = [(third >> 2) & 0x0f, third >> 4, (third >> 2) & 0x03];
  if ((second & 0xf6) === 0xf0) return rateOfAdts < 13 ? 'audio/aac' : undefined;
  const layerThree = (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
  return layerThree && bitrate !== 0 && bitrate !== 15 && rate !== 3 ? 'audio/mpeg' : undefined;
};

/** Framed audio, optionally after an ID3 tag (id3.org, ID3v2.4, 3.1: sizes have seven bits per byte). */
const framedAudio = (head: Uint8Array): DetectedType | undefined => {
  if (!startsWith(head, ascii('ID3'))) {
    const mimeType = audioFrame(head, 0);
    return mimeType && { mimeType };
  }
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
  // A tag longer than the inspected bytes is a song's: MP3, since ADTS has no such tags.
  return { mimeType: audioFrame(head, 10 + size) ?? 'audio/mpeg' };
};

const OFFICE_PARTS: readonly (readonly [folder: string, mimeType: MimeType])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];
const LOCAL_HEADER = [0x50, 0x4b, 0x03, 0x04] as const;

/** A zip with an Office folder (APPNOTE.TXT, 4.3.7: the name follows a local header of 30 bytes; ECMA-376, part 2). */
const officeZip = (head: Uint8Array): DetectedType | undefined => {
  if (!startsWith(head, LOCAL_HEADER)) return undefined;
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const mark = Buffer.from(LOCAL_HEADER);
  for (let at = 0; at >= 0; at = bytes.indexOf(mark, at + 4)) {
    if (at + 30 > bytes.length) return undefined;
    const name = latin1(head, at + 30, at + 30 + Math.min(bytes.readUInt16LE(at + 26), 64));
    const part = OFFICE_PARTS.find(([folder]) => name.startsWith(folder));
    if (part) return { mimeType: part[1] };
  }
  return undefined;
};

/** Legacy Office types share one container ([MS-CFB], 2.2) and may only differ near the end of the file, so the declared type decides. */
const COMPOUND: readonly (MimeType | undefined)[] = [
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
];
const compound = (head: Uint8Array, declared: MimeType | undefined): DetectedType | undefined => {
  if (!startsWith(head, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])) return undefined;
  return declared && COMPOUND.includes(declared) ? { mimeType: declared } : undefined;
};

/** UTF-8 without control characters other than whitespace. The inspected bytes may end within a character. */
const plainText = (head: Uint8Array): DetectedType | undefined => {
  if (head.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte))) return undefined;
  const text = orUndefined(() => new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }));
  return text === undefined ? undefined : { mimeType: 'text/plain' };
};

const FIXED: readonly (readonly [bytes: readonly number[], mimeType: MimeType])[] = [
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
  [[0x89, ...ascii('PNG'), 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
  [ascii('#!AMR\n'), 'audio/amr'],
  [ascii('%PDF-'), 'application/pdf'],
];

/**
 * Detects a file's type from its first bytes (`HEAD_BYTES`, or all of a shorter one); undefined if Meta does not support it. Ignores the
 * name; `declared` only decides between types that share a container.
 */
export const detectType = (head: Uint8Array, declared?: MimeType): DetectedType | undefined => {
  if (head.length === 0) return undefined;
  const fixed = FIXED.find(([bytes]) => startsWith(head, bytes));
  if (fixed) return { mimeType: fixed[1] };
  return (
    webp(head) ??
    oggOpus(head) ??
    isoMedia(head, declared) ??
    framedAudio(head) ??
    officeZip(head) ??
    compound(head, declared) ??
    plainText(head)
  );
};
