import { orUndefined } from '../../../core/or-undefined.ts';
import { Base64Reader, InvalidBase64 } from './base64.ts';
import { MAX_BASE64_CHARACTERS, MAX_JSON_BYTES } from './types.ts';

/** Why a body is rejected. `at` is the offset within `dataBase64`, from 0. */
export type UploadError =
  | { readonly kind: 'not_base64'; readonly at: number }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'not_json' }
  | { readonly kind: 'duplicate_field' };

/** Max. bytes of the JSON without the data: a name and a type. */
const MAX_REST_BYTES = 16 * 1024;
const DATA_FIELD = 'dataBase64';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];
/** JSON escapes (RFC 8259, 7) of whitespace, which base64 is wrapped with. */
const SPACES = new Set(Array.from('nrtf', (letter) => letter.charCodeAt(0)));
const [SLASH, LETTER_U] = [0x2f, 0x75];

/**
 * Streaming reader of an upload's JSON: decodes `dataBase64` as it arrives, and keeps the rest as JSON with an empty string in its place.
 * Memory is bounded by one chunk and the rest.
 */
export class UploadReader {
  readonly #base64 = new Base64Reader();
  readonly #rest = Buffer.alloc(MAX_REST_BYTES);
  #restBytes = 0;
  #bytes = 0;
  #depth = 0;
  /** Parser state: outside strings, in a string, or in the data. */
  #in: 'structure' | 'string' | 'data' = 'structure';
  /** Whether the next string at the top level is a field name. */
  #nameNext = false;
  /** The raw name being read; undefined outside of names. */
  #name: number[] | undefined;
  #field: string | undefined;
  #dataSeen = false;
  /** The started escape sequence, without its backslash. */
  #escape: string | undefined;
  /** Decoded bytes of the current chunk; the buffer is reused. */
  #decoded = Buffer.alloc(0);
  #length = 0;

  /** Returns the decoded bytes of a chunk, valid until the next call, or an error, after which the reader must not be used. */
  take(chunk: Uint8Array): Uint8Array | UploadError {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_JSON_BYTES) return { kind: 'too_long' };
    const max = (Math.ceil(chunk.length / 4) + 1) * 3;
    if (this.#decoded.length < max) this.#decoded = Buffer.alloc(max);
    this.#length = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#in === 'data') {
        const next = this.#takeData(chunk, at);
        if (typeof next !== 'number') return next;
        at = next;
      } else {
        const error = this.#takeRest(chunk[at] as number);
        if (error) return error;
        at++;
      }
    }
    return this.#decoded.subarray(0, this.#length);
  }

  /** The remaining JSON at the end of the body, or an error. */
  end(): { readonly rest: string } | UploadError {
    if (this.#in !== 'structure') return { kind: 'not_json' };
    const open = this.#base64.end();
    if (open) return { kind: 'not_base64', at: open.position };
    try {
      const rest = new TextDecoder('utf-8', { fatal: true }).decode(this.#rest.subarray(0, this.#restBytes));
      return { rest };
    } catch {
      return { kind: 'not_json' };
    }
  }

  #decode(bytes: Uint8Array, from: number, to: number): UploadError | undefined {
    const end = this.#base64.read(bytes, from, to, this.#decoded, this.#length);
    if (end instanceof InvalidBase64) return { kind: 'not_base64', at: end.position };
    this.#length = end;
    return this.#base64.characters > MAX_BASE64_CHARACTERS ? { kind: 'too_long' } : undefined;
  }

  /** Reads data up to its closing quote, the next escape or the end of the chunk; returns the next offset. */
  #takeData(chunk: Uint8Array, from: number): number | UploadError {
    if (this.#escape !== undefined) return this.#takeEscape(chunk[from] as number) ?? from + 1;
    let end = from;
    while (end < chunk.length && chunk[end] !== QUOTE && chunk[end] !== BACKSLASH) end++;
    const error = this.#decode(chunk, from, end);
    if (error) return error;
    if (end === chunk.length) return end;
    if (chunk[end] === BACKSLASH) this.#escape = '';
    else {
      this.#in = 'structure';
      if (!this.#keep(QUOTE)) return { kind: 'too_long' };
    }
    return end + 1;
  }

  #takeEscape(byte: number): UploadError | undefined {
    const started = this.#escape ?? '';
    if (started === '' && byte !== LETTER_U) {
      this.#escape = undefined;
      if (!SPACES.has(byte)) return this.#decode(Uint8Array.of(byte === SLASH ? byte : 0), 0, 1);
      this.#base64.skip();
      return undefined;
    }
    this.#escape = started + String.fromCharCode(byte);
    return this.#escape.length < 5 ? undefined : this.#takeCodePoint(this.#escape.slice(1));
  }

  /** A code point outside of a byte is decoded as NUL, which is not in the base64 alphabet. */
  #takeCodePoint(hex: string): UploadError | undefined {
    this.#escape = undefined;
    const code = /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : 0;
    return this.#decode(Uint8Array.of(code > 0xff ? 0 : code), 0, 1);
  }

  #keep(byte: number): boolean {
    if (this.#restBytes === MAX_REST_BYTES) return false;
    this.#rest[this.#restBytes++] = byte;
    return true;
  }

  #takeRest(byte: number): UploadError | undefined {
    if (!this.#keep(byte)) return { kind: 'too_long' };
    if (this.#in === 'string') {
      this.#inString(byte);
      return undefined;
    }
    if (byte === QUOTE) return this.#beginString();
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
    if (this.#depth === 1 && (byte === OPEN_BRACE || byte === COMMA)) this.#nameNext = true;
    else if (this.#depth === 1 && byte === COLON) this.#nameNext = false;
    return undefined;
  }

  #beginString(): UploadError | undefined {
    if (this.#depth === 1 && !this.#nameNext && this.#field === DATA_FIELD) {
      if (this.#dataSeen) return { kind: 'duplicate_field' };
      this.#dataSeen = true;
      this.#in = 'data';
      return undefined;
    }
    this.#in = 'string';
    this.#name = this.#depth === 1 && this.#nameNext ? [] : undefined;
    return undefined;
  }

  #inString(byte: number): void {
    if (this.#escape !== undefined) this.#escape = undefined;
    else if (byte === BACKSLASH) this.#escape = '';
    else if (byte === QUOTE) {
      this.#in = 'structure';
      if (this.#name) this.#field = nameOf(this.#name);
      this.#name = undefined;
      return;
    }
    this.#name?.push(byte);
  }
}

const nameOf = (written: readonly number[]): string | undefined =>
  orUndefined(() => JSON.parse(`"${Buffer.from(written).toString('utf8')}"`));
