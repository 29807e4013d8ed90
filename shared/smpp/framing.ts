import { HEADER_BYTES, MAX_PDU_BYTES } from './codec.ts';

/** The PDUs of a stream, each with its header. `broken`: why no later byte can be framed; the connection has to be closed. */
export interface Frames {
  readonly frames: readonly Buffer[];
  readonly broken?: string;
}

const LENGTH_BYTES = 4;

/**
 * Cuts a stream of bytes into PDUs. Holds at most the bytes of one unfinished PDU, in a buffer that grows with the received bytes rather
 * than with the announced length; takes linear time however the stream is fragmented. A frame shares no memory with the chunk in which it
 * arrived.
 */
export const createFramer = (maxBytes: number = MAX_PDU_BYTES) => {
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  let broken: string | undefined;

  const keep = (bytes: Buffer): void => {
    if (size + bytes.length > held.length) {
      const grown = Buffer.alloc(Math.min(maxBytes, Math.max(64, 2 * (size + bytes.length))));
      held.copy(grown, 0, 0, size);
      held = grown;
    }
    size += bytes.copy(held, size);
  };
  /** Copies bytes of `chunk` from `at` until `wanted` are held; returns the new position in the chunk. */
  const fill = (chunk: Buffer, at: number, wanted: number): number => {
    const end = Math.min(chunk.length, at + Math.max(0, wanted - size));
    if (end > at) keep(chunk.subarray(at, end));
    return end;
  };

  return {
    /** Bytes of the unfinished PDU. */
    held: (): number => size,
    push(chunk: Buffer): Frames {
      const frames: Buffer[] = [];
      let at = 0;
      while (broken === undefined) {
        at = fill(chunk, at, LENGTH_BYTES);
        if (size < LENGTH_BYTES) break;
        const length = held.readUInt32BE(0);
        if (length < HEADER_BYTES) broken = 'command_length is shorter than a header';
        else if (length > maxBytes) broken = 'command_length is above the limit';
        if (broken !== undefined) break;
        at = fill(chunk, at, length);
        if (size < length) break;
        frames.push(Buffer.from(held.subarray(0, size)));
        held = held.length > 1_024 ? Buffer.alloc(0) : held;
        size = 0;
      }
      return broken === undefined ? { frames } : { frames, broken };
    },
  };
};
