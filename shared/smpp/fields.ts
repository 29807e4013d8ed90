import type { StatusName } from './statuses.ts';

/** A decoding fault, with the protocol's command status. Its text never repeats field values. */
export class PduFault extends Error {
  readonly status: StatusName;

  constructor(status: StatusName, message: string) {
    super(message);
    this.status = status;
  }
}

/** Bytes that are read sequentially. */
export interface Reader {
  readonly bytes: Buffer;
  at: number;
}

/** A mandatory parameter: how it is read and written, and its default when a refusal omits the body. */
export interface Field<T> {
  readonly empty: T;
  /** Throws a PduFault. */
  readonly read: (reader: Reader, name: string) => T;
  /** Throws a RangeError for a value that the field cannot hold: a fault of the caller. */
  readonly write: (value: T, name: string) => Buffer;
}

/** A field whose type is known elsewhere. */
export interface AnyField {
  readonly empty: unknown;
  readonly read: (reader: Reader, name: string) => unknown;
  readonly write: (value: never, name: string) => Buffer;
}

/** An unsigned integer as bytes, big-endian. Throws a RangeError. */
export const integerBytes = (value: number, size: 1 | 2 | 4, name: string): Buffer => {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * size))
    throw new RangeError(`${name} has ${size} bytes`);
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};

/** An unsigned integer, big-endian. */
export const integer = (size: 1 | 2 | 4): Field<number> => ({
  empty: 0,
  read: (reader, name) => {
    if (reader.at + size > reader.bytes.length) throw new PduFault('ESME_RINVCMDLEN', `${name} is missing`);
    reader.at += size;
    return reader.bytes.readUIntBE(reader.at - size, size);
  },
  write: (value, name) => integerBytes(value, size, name),
});

/** A Latin-1 text without NUL as bytes, terminated by NUL. Throws a RangeError. */
export const nullTerminated = (text: string, max: number, name: string): Buffer => {
  if (text.length >= max) throw new RangeError(`${name} has at most ${max - 1} characters`);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 || code > 0xff) throw new RangeError(`${name} has a character that no octet string holds`);
  }
  return Buffer.from(`${text}\0`, 'latin1');
};

/** A C-octet string of at most `max` bytes, including its NUL. Read as Latin-1, so that every byte is kept. */
export const cOctets = (max: number, tooLong: StatusName = 'ESME_RINVPARLEN'): Field<string> => ({
  empty: '',
  read: (reader, name) => {
    const end = reader.bytes.subarray(0, reader.at + max).indexOf(0, reader.at);
    if (end < 0)
      throw reader.bytes.length - reader.at >= max
        ? new PduFault(tooLong, `${name} is longer than ${max - 1} characters`)
        : new PduFault('ESME_RINVCMDLEN', `${name} does not end`);
    const text = reader.bytes.toString('latin1', reader.at, end);
    reader.at = end + 1;
    return text;
  },
  write: (value, name) => nullTerminated(value, max, name),
});

/** A time: empty, or exactly 16 characters. time.ts parses them. */
export const timeField = (invalid: StatusName): Field<string> => {
  const octets = cOctets(17, invalid);
  return {
    empty: '',
    read: (reader, name) => {
      const text = octets.read(reader, name);
      if (text !== '' && text.length !== 16) throw new PduFault(invalid, `${name} has neither 0 nor 16 characters`);
      return text;
    },
    write: (value, name) => {
      if (value !== '' && value.length !== 16) throw new RangeError(`${name} has neither 0 nor 16 characters`);
      return octets.write(value, name);
    },
  };
};

const MAX_SHORT_MESSAGE = 254;

/** sm_length and short_message: 0 to 254 bytes. */
export const shortMessage: Field<Uint8Array> = {
  empty: new Uint8Array(),
  read: (reader) => {
    const length = integer(1).read(reader, 'sm_length');
    if (length > MAX_SHORT_MESSAGE || reader.at + length > reader.bytes.length)
      throw new PduFault('ESME_RINVMSGLEN', 'sm_length is not the length of short_message');
    reader.at += length;
    return reader.bytes.subarray(reader.at - length, reader.at);
  },
  write: (value, name) => {
    if (value.length > MAX_SHORT_MESSAGE) throw new RangeError(`${name} has at most ${MAX_SHORT_MESSAGE} bytes`);
    return Buffer.concat([Uint8Array.of(value.length), value]);
  },
};
