import { detectType, HEAD_BYTES } from '../channels/whatsapp/media/signatures.ts';
import { type MimeType, mediaTypeOf } from '../channels/whatsapp/media/types.ts';

/** The allowed types of a card's files (docs/spec/activities.md#files). A closed list without types that a browser would execute. */
export const CARD_FILE_TYPES = [
  'application/msword',
  'application/pdf',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/plain',
  'video/mp4',
] as const;
export type CardFileType = (typeof CARD_FILE_TYPES)[number];

/** The type that a caller declares, ignoring case, parameters and aliases; undefined if it is not allowed. */
export const cardFileTypeOf = (declared: string): CardFileType | undefined => {
  const [bare = ''] = declared.split(';');
  const name = mediaTypeOf(declared) ?? bare.trim().toLowerCase();
  return CARD_FILE_TYPES.find((type) => type === name);
};

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, text.length)).toString('latin1') === text;

/** Control characters that don't occur in text: those below 32 except tab, line feed, form feed and carriage return. */
const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d;

/** Text in any ASCII-compatible encoding, such as UTF-8 and Windows-1252, that doesn't start like another type. */
const isText = (bytes: Uint8Array, head: Uint8Array): boolean =>
  !bytes.some(isControl) && (detectType(head)?.mimeType ?? 'text/plain') === 'text/plain' && !startsWith(head, 'GIF8');

/** Whether the bytes of a file match a type. The name is ignored. */
export const isOfType = (bytes: Uint8Array, type: CardFileType): boolean => {
  const head = bytes.subarray(0, HEAD_BYTES);
  switch (type) {
    case 'text/csv':
    case 'text/plain':
      return isText(bytes, head);
    case 'image/gif':
      return startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a');
    case 'audio/ogg':
      // Any codec.
      return startsWith(head, 'OggS\0');
    default:
      return detectType(head, type satisfies MimeType)?.mimeType === type;
  }
};
