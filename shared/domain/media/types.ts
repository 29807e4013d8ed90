/** What a media upload can be on the channel platform (interface 2.18). */
export const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const KB = 1024;
const MB = 1024 * KB;

interface MediaType {
  readonly kind: MediaKind;
  /** The most that is taken of the type, in bytes. */
  readonly mostBytes: number;
}
const audio: MediaType = { kind: 'audio', mostBytes: 16 * MB };
const image: MediaType = { kind: 'image', mostBytes: 5 * MB };
const video: MediaType = { kind: 'video', mostBytes: 16 * MB };
/** What 140,000,000 characters of base64 hold (interface, part 8); the platform's own word is 100 MB, and it answers for what is beyond. */
const document: MediaType = { kind: 'document', mostBytes: 105_000_000 };

/** The types that the platform takes, with the limit of each: but for documents its own (WhatsApp Cloud API, Media, "Supported media types"). */
export const MEDIA_TYPES = {
  'audio/aac': audio,
  'audio/amr': audio,
  'audio/mp4': audio,
  'audio/mpeg': audio,
  /** Opus only; other codecs in Ogg are not taken. */
  'audio/ogg': audio,
  'image/jpeg': image,
  'image/png': image,
  /** Stickers are the platform's only WebP: 100 KB that stand still, 500 KB that move. */
  'image/webp': { kind: 'sticker', mostBytes: 500 * KB },
  'video/3gpp': video,
  'video/mp4': video,
  'application/msword': document,
  'application/pdf': document,
  'application/vnd.ms-excel': document,
  'application/vnd.ms-powerpoint': document,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': document,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': document,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': document,
  'text/plain': document,
} as const satisfies Readonly<Record<string, MediaType>>;
export type MimeType = keyof typeof MEDIA_TYPES;

/** A sticker that stands still, in bytes. */
export const MOST_STILL_STICKER_BYTES = 100 * KB;
/** The largest of all types, in bytes. */
export const MOST_MEDIA_BYTES = Math.max(...Object.values(MEDIA_TYPES).map(({ mostBytes }) => mostBytes));
/** Characters of base64 that an upload may have (interface, part 8); line breaks and spaces are not counted. */
export const MOST_BASE64_CHARACTERS = 140_000_000;
/** The body of the JSON form, in bytes, beyond which it cannot be one: the data, the line breaks of a wrapped text, and the rest. */
export const MOST_JSON_BYTES = MOST_BASE64_CHARACTERS + 10_000_000;
/** How long the platform keeps an upload, in ms (interface, part 8: about 30 days). */
export const MEDIA_LIFETIME_MS = 30 * 24 * 3_600_000;

/** Other names that callers and browsers give to a type. */
const OTHER_NAMES: Readonly<Record<string, MimeType>> = {
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/opus': 'audio/ogg',
  'audio/x-aac': 'audio/aac',
  'audio/x-m4a': 'audio/mp4',
  'image/jpg': 'image/jpeg',
  'video/3gp': 'video/3gpp',
};

/** Every name by which a type may be declared. */
export const MEDIA_TYPE_NAMES: readonly string[] = [...Object.keys(MEDIA_TYPES), ...Object.keys(OTHER_NAMES)];

/** The platform's type that a declared one means, whatever its case and parameters (`audio/ogg; codecs=opus`); undefined for others. */
export const mediaTypeOf = (declared: string): MimeType | undefined => {
  const [bare = ''] = declared.split(';');
  const name = bare.trim().toLowerCase();
  if (Object.hasOwn(MEDIA_TYPES, name)) return name as MimeType;
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
};
