import { createHash } from 'node:crypto';
import { type Refusal, refuse } from '../../../core/errors.ts';
import { type DetectedType, detectType, HEAD_BYTES } from './signatures.ts';
import { MAX_STILL_STICKER_BYTES, MEDIA_TYPES, type MediaKind, type MimeType } from './types.ts';

/** The inspected file. `sha256` in hex, `size` in bytes. */
export interface Inspected {
  readonly mimeType: MimeType;
  readonly kind: MediaKind;
  readonly size: number;
  readonly sha256: string;
  readonly voice?: true;
}
export type InspectionProblem = 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'VALIDATION_ERROR';

const UNSUPPORTED =
  'The bytes are not of a type that Meta accepts: JPEG, PNG, WebP, MP4, 3GP, AAC, AMR, MP3, Ogg/Opus, PDF, Office documents and plain text.';

/** Formats a size as KB or MB, or as bytes if it is a multiple of neither. */
const formatSize = (bytes: number): string => {
  if (bytes % 1024 !== 0) return `${bytes.toLocaleString('en-US')} bytes`;
  return bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / (1024 * 1024)} MB`;
};

const maxBytesOf = ({ mimeType, animated }: DetectedType): number =>
  mimeType === 'image/webp' && !animated ? MAX_STILL_STICKER_BYTES : MEDIA_TYPES[mimeType].maxBytes;

/** 413 for a file over its type's limit; no other way of uploading takes it either. */
export const tooLarge = (mimeType: MimeType, maxBytes: number): Refusal<'PAYLOAD_TOO_LARGE'> =>
  refuse('PAYLOAD_TOO_LARGE', `At most ${formatSize(maxBytes)} of ${mimeType} are taken.`);
export const unsupported = (): Refusal<'UNSUPPORTED_MEDIA_TYPE'> => refuse('UNSUPPORTED_MEDIA_TYPE', UNSUPPORTED);

/** The declared type; undefined if Meta does not support it. */
interface DeclaredType {
  readonly mimeType: MimeType | undefined;
}

/**
 * Inspects a file as it streams through: detects its type from the first bytes, counts and hashes everything, and refuses as soon as that
 * is certain.
 */
export class Inspector {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #declared: DeclaredType | undefined;
  #size = 0;
  #detected: DetectedType | undefined;

  /** Without `declared`, it is passed to `end`. */
  constructor(declared?: DeclaredType) {
    this.#declared = declared;
  }

  /** Takes the next bytes. Returns a refusal as soon as no further bytes could make the file acceptable. */
  take(chunk: Uint8Array): Refusal<'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE'> | undefined {
    if (this.#size < HEAD_BYTES) this.#head.set(chunk.subarray(0, HEAD_BYTES - this.#size), this.#size);
    this.#hash.update(chunk);
    this.#size += chunk.length;
    if (this.#size < HEAD_BYTES) return undefined;
    this.#detected ??= this.#detect(this.#declared);
    // A container that may hold several types stays undecided until the declared type is known.
    if (!this.#detected) return this.#declared ? unsupported() : undefined;
    const max = maxBytesOf(this.#detected);
    return this.#size > max ? tooLarge(this.#detected.mimeType, max) : undefined;
  }

  #detect(declared: DeclaredType | undefined): DetectedType | undefined {
    return detectType(this.#head.subarray(0, Math.min(this.#size, HEAD_BYTES)), declared?.mimeType);
  }

  end(declared = this.#declared): Inspected | Refusal<InspectionProblem> {
    if (this.#size === 0) return refuse('VALIDATION_ERROR', 'The file is empty.');
    const found = this.#detect(declared);
    if (!found) return unsupported();
    const max = maxBytesOf(found);
    if (this.#size > max) return tooLarge(found.mimeType, max);
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
