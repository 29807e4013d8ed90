/** The first bytes of files of every type that Meta accepts, and of some that it does not, made by hand from their formats. */

const text = (value: string): number[] => Array.from(Buffer.from(value, 'latin1'));
const repeated = (byte: number, times: number): number[] => Array.from({ length: times }, () => byte);
const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];

/** An Ogg page that begins a stream (RFC 3533, 6) with one packet. */
const oggPage = (packet: readonly number[]): number[] => {
  const header = [...text('OggS'), 0, 2, ...repeated(0, 20), 1, packet.length];
  return [...header, ...packet];
};
/** The identification header of Opus (RFC 7845, 5.1): version, channels, pre-skip, input rate, gain, mapping family. */
const opusHead = (channels: number, version = 1): number[] => {
  const head = [...text('OpusHead'), version, channels, 0x38, 0x01, 0x80, 0xbb];
  return [...head, ...repeated(0, 5)];
};

const box = (brand: string): number[] => [...u32(24), ...text('ftyp'), ...text(brand), ...u32(0), ...text('isomiso2')];

/** A local header of a zip (APPNOTE.TXT, 4.3.7) with `size` bytes behind it. */
const zipPart = (name: string, size = 40): number[] => {
  const header = [...text('PK'), 3, 4, 20, ...repeated(0, 21), name.length, 0, 0, 0];
  return [...header, ...text(name), ...repeated(0x55, size)];
};

const webp = (chunk: string, flags = 0): number[] => {
  const header = [...text('RIFF'), ...u32(0x1000), ...text('WEBP')];
  return [...header, ...text(chunk), 10, 0, 0, 0, flags, ...repeated(0, 9)];
};

const of = (bytes: readonly number[]): Buffer => Buffer.from(bytes);

export const FILES = {
  jpeg: of([0xff, 0xd8, 0xff, 0xe0, 0, 16, ...text('JFIF\0')]),
  png: of([0x89, ...text('PNG\r\n\x1a\n'), ...u32(13), ...text('IHDR')]),
  stillWebp: of(webp('VP8 ')),
  extendedStillWebp: of(webp('VP8X', 0x10)),
  movingWebp: of(webp('VP8X', 0x12)),
  mp4: of(box('isom')),
  m4a: of(box('M4A ')),
  threeGp: of(box('3gp4')),
  aac: of([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc]),
  amr: of([...text('#!AMR\n'), 0x3c, 0x91]),
  mp3: of([0xff, 0xfb, 0x90, 0x64, 0, 0]),
  taggedMp3: of([...text('ID3'), 4, 0, 0, 0, 0, 0, 10, ...repeated(0, 10), 0xff, 0xfb, 0x90, 0x64]),
  longTaggedMp3: of([...text('ID3'), 3, 0, 0, 0x01, 0x7f, 0x7f, 0x7f, 0]),
  taggedAac: of([...text('ID3'), 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0xff, 0xf1, 0x50, 0x80]),
  monoOpus: of(oggPage(opusHead(1))),
  stereoOpus: of(oggPage(opusHead(2))),
  pdf: of(text('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n')),
  docx: of([...zipPart('[Content_Types].xml', 900), ...zipPart('_rels/.rels'), ...zipPart('word/document.xml')]),
  xlsx: of([...zipPart('[Content_Types].xml'), ...zipPart('xl/workbook.xml')]),
  pptx: of([...zipPart('docProps/app.xml'), ...zipPart('ppt/presentation.xml')]),
  compound: of([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...repeated(0, 40)]),
  text: Buffer.from('Olá, Ana!\r\n\tSeu pedido saiu.\n'),
} as const;

/** Files that are not accepted, some of which resemble an accepted type. */
export const OTHERS: Readonly<Record<string, Buffer>> = {
  gif: of(text('GIF89a\x01\0\x01\0')),
  heic: of(box('heic')),
  avif: of(box('avif')),
  quicktime: of(box('qt  ')),
  vorbis: of(oggPage([1, ...text('vorbis'), 0, 0, 0, 0, 1])),
  'Opus of another major version': of(oggPage(opusHead(1, 0x10))),
  'Opus without channels': of(oggPage(opusHead(0))),
  'an Ogg page that ends before its packet': of(oggPage(opusHead(1)).slice(0, 30)),
  'wide-band AMR': of([...text('#!AMR-WB\n'), 0x04, 0x10]),
  wave: of([...text('RIFF'), ...u32(36), ...text('WAVEfmt ')]),
  zip: of([...zipPart('photos/one.jpg'), ...zipPart('photos/two.jpg')]),
  'a zip with a name of Office in its data': of([...zipPart('readme.md'), ...text('word/document.xml')]),
  'an MPEG frame of a forbidden rate': of([0xff, 0xfb, 0x9c, 0x64]),
  'an MPEG frame of layer II': of([0xff, 0xfd, 0x90, 0x64]),
  executable: of([...text('MZ'), 0x90, 0, 3, 0]),
  'text with a NUL': of(text('Seu pedido\0saiu')),
  'text that is no UTF-8': of(text('Pedido n\xba 1')),
  nothing: of([]),
};

/** A file of exactly `size` bytes that begins as `head` does. */
export const filled = (head: Buffer, size: number, filler = 0x20): Buffer =>
  Buffer.concat([head, Buffer.alloc(size - head.length, filler)]);
