import type { Chance } from '../support/chance.ts';

type Mutation = (bytes: Buffer, chance: Chance, others: readonly Buffer[]) => Buffer;

/** Sets command_length to the length, so that what is wrong is found behind it. */
export const relabelled = (bytes: Buffer): Buffer => {
  if (bytes.length >= 4) bytes.writeUInt32BE(bytes.length, 0);
  return bytes;
};
const EDGES = [0, 1, 0x7f, 0x80, 0xfe, 0xff];

const MUTATIONS: readonly Mutation[] = [
  (bytes, chance) => {
    bytes[chance.below(bytes.length)] = chance.below(256);
    return bytes;
  },
  (bytes, chance) => {
    bytes[chance.below(bytes.length)] = chance.pick(EDGES);
    return bytes;
  },
  (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
  (bytes, chance) => relabelled(bytes.subarray(0, chance.below(bytes.length))),
  (bytes, chance) => {
    const at = 16 + chance.below(Math.max(1, bytes.length - 16));
    const noise = Buffer.from(Array.from({ length: 1 + chance.below(40) }, () => chance.below(256)));
    return relabelled(Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]));
  },
  (bytes, chance, others) => {
    const other = chance.pick(others);
    return relabelled(
      Buffer.concat([bytes.subarray(0, 16 + chance.below(bytes.length)), other.subarray(chance.below(other.length))]),
    );
  },
  (bytes, chance) => {
    bytes.writeUInt32BE(chance.pick([0, 1, 15, 16, 17, 0x10000, 0x10001, 0x7fffffff, 0xffffffff]), 0);
    return bytes;
  },
  (bytes, chance) => {
    bytes.writeUInt32BE(
      chance.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x15, 0x103, 0x80000000, 0x80000004, 0xffffffff]),
      4,
    );
    return bytes;
  },
  (bytes) => relabelled(Buffer.concat([bytes, Buffer.from('0424ffff00', 'hex')])),
];

/** One of the PDUs with up to three mutations, seldom with none. */
export const mutated = (pdus: readonly Buffer[], chance: Chance): Buffer => {
  let bytes = Buffer.from(chance.pick(pdus));
  for (let left = chance.below(4); left > 0 && bytes.length >= 16; left--)
    bytes = Buffer.from(chance.pick(MUTATIONS)(bytes, chance, pdus));
  return bytes;
};
