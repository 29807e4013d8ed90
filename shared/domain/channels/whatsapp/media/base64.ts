const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SPACE = 64;
const PAD = 65;
const NONE = 255;

/** Meaning of each byte: six bits, skipped whitespace, padding, or invalid. */
const MEANING = new Uint8Array(256).fill(NONE);
for (const [value, character] of Array.from(ALPHABET).entries()) MEANING[character.charCodeAt(0)] = value;
for (const space of ' \t\r\n\f\v') MEANING[space.charCodeAt(0)] = SPACE;
MEANING['='.charCodeAt(0)] = PAD;

/** The offset of the first invalid character, from 0, whitespace included. */
export class InvalidBase64 {
  readonly position: number;
  constructor(position: number) {
    this.position = position;
  }
}

/**
 * Streaming base64 decoder (RFC 4648, 4). Skips whitespace; rejects any other character outside the alphabet, and padding before the end,
 * where Node's decoder would silently stop.
 */
export class Base64Reader {
  /** Characters read so far, without whitespace. */
  characters = 0;
  #position = 0;
  #bits = 0;
  #padding = 0;

  /** Decodes `piece` from `from` to `to` and writes the bytes to `into` at `length`. Returns the end of the output, or the first error. */
  read(chunk: Uint8Array, from: number, to: number, into: Uint8Array, length: number): number | InvalidBase64 {
    let [count, bits, end] = [this.characters, this.#bits, length];
    for (let at = from; at < to; at++) {
      const value = MEANING[chunk[at] as number] as number;
      if (value === SPACE) continue;
      const place = count & 3;
      if (value >= PAD || this.#padding > 0) {
        if (value !== PAD || place < 2) return new InvalidBase64(this.#position + at - from);
        this.#padding++;
      }
      bits = (bits << 6) | (value & 0x3f);
      count++;
      if (place !== 3) continue;
      into[end] = bits >> 16;
      into[end + 1] = bits >> 8;
      into[end + 2] = bits;
      end += 3 - this.#padding;
      bits = 0;
    }
    this.characters = count;
    this.#bits = bits;
    this.#position += to - from;
    return end;
  }

  /** Skips whitespace that was written as a JSON escape. */
  skip(): void {
    this.#position++;
  }

  /** Checks the end of input: the last group must be complete. */
  end(): InvalidBase64 | undefined {
    return this.characters % 4 === 0 ? undefined : new InvalidBase64(this.#position);
  }
}
