import { Base64Fault, Base64Reader } from './base64.ts';
import { MOST_BASE64_CHARACTERS, MOST_JSON_BYTES } from './types.ts';

/** Why an upload's body is not read on. `at` is the place within `dataBase64`, from 0. */
export type ReadFault =
  | { readonly kind: 'not_base64'; readonly at: number }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'not_json' }
  | { readonly kind: 'twice' };

/** All but the data: a name and a type. Beyond this, in bytes, it is no upload. */
const MOST_REST_BYTES = 16 * 1024;
const DATA_FIELD = 'dataBase64';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];
/** Escapes of JSON (RFC 8259, 7) for spaces, which base64 is wrapped with. */
const SPACES = new Set(Array.from('nrtf', (letter) => letter.charCodeAt(0)));
const [SLASH, LETTER_U] = [0x2f, 0x75];

/**
 * Reads the JSON of an upload in pieces of any length: what stands in `dataBase64` comes out decoded as it arrives, and the rest is kept
 * as text, with an empty string in the data's place, for a parser of JSON to judge. Holds no more than a piece and the rest.
 */
export class UploadReader {
  readonly #base64 = new Base64Reader();
  readonly #rest = Buffer.alloc(MOST_REST_BYTES);
  #restBytes = 0;
  #bytes = 0;
  #depth = 0;
  /** Where the reader stands: outside of strings, in one, or in the data. */
  #in: 'structure' | 'string' | 'data' = 'structure';
  /** At the top level of the object: whether the next string is a field's name. */
  #nameNext = false;
  /** The name of the field that is being read, as it is written; undefined outside of names. */
  #name: number[] | undefined;
  #field: string | undefined;
  #dataSeen = false;
  /** An escape that has begun: what follows its backslash. */
  #escape: string | undefined;
  /** What the piece that is being read has completed: one buffer for all pieces. */
  #decoded = Buffer.alloc(0);
  #length = 0;

  /** The media bytes that a piece of the body completes, good until the next call; or the first fault, after which the reader is not used again. */
  take(piece: Uint8Array): Uint8Array | ReadFault {
    this.#bytes += piece.length;
    if (this.#bytes > MOST_JSON_BYTES) return { kind: 'too_long' };
    const most = (Math.ceil(piece.length / 4) + 1) * 3;
    if (this.#decoded.length < most) this.#decoded = Buffer.alloc(most);
    this.#length = 0;
    let at = 0;
    while (at < piece.length) {
      if (this.#in === 'data') {
        const next = this.#takeData(piece, at);
        if (typeof next !== 'number') return next;
        at = next;
      } else {
        const fault = this.#takeRest(piece[at] as number);
        if (fault) return fault;
        at++;
      }
    }
    return this.#decoded.subarray(0, this.#length);
  }

  /** The JSON around the data once the body has ended, or why it is none. */
  end(): { readonly rest: string } | ReadFault {
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

  #decode(bytes: Uint8Array, from: number, to: number): ReadFault | undefined {
    const end = this.#base64.read(bytes, from, to, this.#decoded, this.#length);
    if (end instanceof Base64Fault) return { kind: 'not_base64', at: end.position };
    this.#length = end;
    return this.#base64.characters > MOST_BASE64_CHARACTERS ? { kind: 'too_long' } : undefined;
  }

  /** Reads within the data: to its closing quote, its next escape or the piece's end; answers with where to go on. */
  #takeData(piece: Uint8Array, from: number): number | ReadFault {
    if (this.#escape !== undefined) return this.#takeEscape(piece[from] as number) ?? from + 1;
    let end = from;
    while (end < piece.length && piece[end] !== QUOTE && piece[end] !== BACKSLASH) end++;
    const fault = this.#decode(piece, from, end);
    if (fault) return fault;
    if (end === piece.length) return end;
    if (piece[end] === BACKSLASH) this.#escape = '';
    else {
      this.#in = 'structure';
      if (!this.#keep(QUOTE)) return { kind: 'too_long' };
    }
    return end + 1;
  }

  #takeEscape(byte: number): ReadFault | undefined {
    const said = this.#escape ?? '';
    if (said === '' && byte !== LETTER_U) {
      this.#escape = undefined;
      if (!SPACES.has(byte)) return this.#decode(Uint8Array.of(byte === SLASH ? byte : 0), 0, 1);
      this.#base64.skip();
      return undefined;
    }
    this.#escape = said + String.fromCharCode(byte);
    return this.#escape.length < 5 ? undefined : this.#takeCodePoint(this.#escape.slice(1));
  }

  /** What is no byte is no base64 either: NUL, which the alphabet does not have, stands for it. */
  #takeCodePoint(hex: string): ReadFault | undefined {
    this.#escape = undefined;
    const code = /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : 0;
    return this.#decode(Uint8Array.of(code > 0xff ? 0 : code), 0, 1);
  }

  #keep(byte: number): boolean {
    if (this.#restBytes === MOST_REST_BYTES) return false;
    this.#rest[this.#restBytes++] = byte;
    return true;
  }

  /** Reads a byte outside of the data. */
  #takeRest(byte: number): ReadFault | undefined {
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

  #beginString(): ReadFault | undefined {
    if (this.#depth === 1 && !this.#nameNext && this.#field === DATA_FIELD) {
      if (this.#dataSeen) return { kind: 'twice' };
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

/** A field's name, its escapes read. */
const nameOf = (written: readonly number[]): string | undefined => {
  try {
    return JSON.parse(`"${Buffer.from(written).toString('utf8')}"`) as string;
  } catch {
    return undefined;
  }
};
