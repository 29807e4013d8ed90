import { createHash } from 'node:crypto';
import { type Refusal, refuse } from '../errors.ts';
import { type Found, findType, HEAD_BYTES } from './signatures.ts';
import { MEDIA_TYPES, type MediaKind, type MimeType, MOST_STILL_STICKER_BYTES } from './types.ts';

/** What a file turned out to be. `sha256` in hex, `size` in bytes. */
export interface Inspected {
  readonly mimeType: MimeType;
  readonly kind: MediaKind;
  readonly size: number;
  readonly sha256: string;
  readonly voice?: true;
}
export type InspectionProblem = 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'VALIDATION_ERROR';

const UNSUPPORTED =
  'The bytes are of no type that the channel platform takes: JPEG, PNG, WebP, MP4, 3GP, AAC, AMR, MP3, Ogg/Opus, PDF, Office documents and plain text.';

/** A size in words: 100 KB, 16 MB, or the bytes of one that is no whole number of either. */
const inWords = (bytes: number): string => {
  if (bytes % 1024 !== 0) return `${bytes.toLocaleString('en-US')} bytes`;
  return bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / (1024 * 1024)} MB`;
};

/** The most that a file of this type may have, in bytes. */
const mostOf = ({ mimeType, animated }: Found): number =>
  mimeType === 'image/webp' && !animated ? MOST_STILL_STICKER_BYTES : MEDIA_TYPES[mimeType].mostBytes;

/** Refuses a file that is beyond its type's size: no other way of uploading it changes that. */
export const tooLarge = (mimeType: MimeType, mostBytes: number): Refusal<'PAYLOAD_TOO_LARGE'> =>
  refuse('PAYLOAD_TOO_LARGE', `At most ${inWords(mostBytes)} of ${mimeType} are taken.`);
export const unsupported = (): Refusal<'UNSUPPORTED_MEDIA_TYPE'> => refuse('UNSUPPORTED_MEDIA_TYPE', UNSUPPORTED);

/** What a file is said to be: undefined for what is no type of the platform. */
interface Said {
  readonly mimeType: MimeType | undefined;
}

/** Looks at a file as it passes by: finds its type by its first bytes, counts and hashes all, and refuses it as soon as that is certain. */
export class Inspector {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #said: Said | undefined;
  #size = 0;
  #found: Found | undefined;

  /** Without `said`, that comes later, at the end. */
  constructor(said?: Said) {
    this.#said = said;
  }

  /** The next bytes. Answers as soon as no more of the file could make it acceptable. */
  take(chunk: Uint8Array): Refusal<'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE'> | undefined {
    if (this.#size < HEAD_BYTES) this.#head.set(chunk.subarray(0, HEAD_BYTES - this.#size), this.#size);
    this.#hash.update(chunk);
    this.#size += chunk.length;
    if (this.#size < HEAD_BYTES) return undefined;
    this.#found ??= this.#find(this.#said);
    // A form that carries several types has none yet, as long as nothing was said: the end decides.
    if (!this.#found) return this.#said ? unsupported() : undefined;
    const most = mostOf(this.#found);
    return this.#size > most ? tooLarge(this.#found.mimeType, most) : undefined;
  }

  #find(said: Said | undefined): Found | undefined {
    return findType(this.#head.subarray(0, Math.min(this.#size, HEAD_BYTES)), said?.mimeType);
  }

  /** What the whole file is, or why it is refused. */
  end(said = this.#said): Inspected | Refusal<InspectionProblem> {
    if (this.#size === 0) return refuse('VALIDATION_ERROR', 'The file is empty.');
    const found = this.#find(said);
    if (!found) return unsupported();
    const most = mostOf(found);
    if (this.#size > most) return tooLarge(found.mimeType, most);
    const { mimeType, voice } = found;
    return {
      mimeType,
      kind: MEDIA_TYPES[mimeType].kind,
      size: this.#size,
      sha256: this.#hash.digest('hex'),
      ...(voice ? { voice } : {}),
    };
  }
}
