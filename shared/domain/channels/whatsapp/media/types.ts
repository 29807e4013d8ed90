/** Media kinds (docs/spec/media.md#upload-result). */
export const MEDIA_KINDS = ['image', 'audio', 'video', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const KB = 1024;
const MB = 1024 * KB;

interface MediaType {
  readonly kind: MediaKind;
  readonly maxBytes: number;
}
const audio: MediaType = { kind: 'audio', maxBytes: 16 * MB };
const image: MediaType = { kind: 'image', maxBytes: 5 * MB };
const video: MediaType = { kind: 'video', maxBytes: 16 * MB };
/** What 140,000,000 base64 characters hold (docs/spec/media.md#media-limits). Meta documents 100 MB and decides itself on larger files. */
const document: MediaType = { kind: 'document', maxBytes: 105_000_000 };

/** Supported types with their maximum sizes, which are Meta's except for documents (WhatsApp Cloud API, Media, "Supported media types"). */
export const MEDIA_TYPES = {
  'audio/aac': audio,
  'audio/amr': audio,
  'audio/mp4': audio,
  'audio/mpeg': audio,
  /** Opus only. */
  'audio/ogg': audio,
  'image/jpeg': image,
  'image/png': image,
  /** Only stickers are WebP: 100 KB static, 500 KB animated. */
  'image/webp': { kind: 'sticker', maxBytes: 500 * KB },
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

export const MAX_STILL_STICKER_BYTES = 100 * KB;
export const MAX_MEDIA_BYTES = Math.max(...Object.values(MEDIA_TYPES).map(({ maxBytes }) => maxBytes));
/** Max. base64 characters of an upload, without whitespace (docs/spec/media.md#ways-to-upload). */
export const MAX_BASE64_CHARACTERS = 140_000_000;
/** Max. JSON body, in bytes: the data, line breaks of wrapped base64, and the other fields. */
export const MAX_JSON_BYTES = MAX_BASE64_CHARACTERS + 10_000_000;
/** How long Meta keeps an upload, in ms (docs/spec/media.md#upload-result). */
export const MEDIA_LIFETIME_MS = 30 * 24 * 3_600_000;

/** Other names of a type, as used by callers and browsers. */
const OTHER_NAMES: Readonly<Record<string, MimeType>> = {
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/opus': 'audio/ogg',
  'audio/x-aac': 'audio/aac',
  'audio/x-m4a': 'audio/mp4',
  'image/jpg': 'image/jpeg',
  'video/3gp': 'video/3gpp',
};

/** All accepted names of types. */
export const MEDIA_TYPE_NAMES: readonly string[] = [...Object.keys(MEDIA_TYPES), ...Object.keys(OTHER_NAMES)];

/** The canonical type of a declared one, ignoring case and parameters (`audio/ogg; codecs=opus`); undefined if unsupported. */
export const mediaTypeOf = (declared: string): MimeType | undefined => {
  const [bare = ''] = declared.split(';');
  const name = bare.trim().toLowerCase();
  if (Object.hasOwn(MEDIA_TYPES, name)) return name as MimeType;
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
};
