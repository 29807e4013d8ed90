import { isIP } from 'node:net';

/** A block of addresses: the first `prefix` bits of `base`. */
interface Block {
  readonly bits: 32 | 128;
  readonly base: bigint;
  readonly prefix: number;
}

/** IPv6 addresses whose first 96 bits are these carry an IPv4 address in the rest (RFC 4291, 2.5.5.2). */
const MAPPED = 0xffffn;
const MAX_CACHED = 10_000;

const valueOf4 = (address: string): bigint =>
  address.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);

/** The groups of one side of `::`; a dotted quad at the end counts as two. */
const groupsOf = (side: string): bigint[] =>
  side === ''
    ? []
    : side.split(':').flatMap((group) => {
        if (!group.includes('.')) return [BigInt(`0x${group}`)];
        const quad = valueOf4(group);
        return [quad >> 16n, quad & 0xffffn];
      });

const valueOf6 = (address: string): bigint => {
  const [head = '', tail] = address.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...zeros, ...last].reduce((value, group) => value * 0x10000n + group, 0n);
};

/** IPv4 within IPv6 becomes IPv4, so that one caller has one address whatever its socket calls it. */
const unmapped = (block: Block): Block =>
  block.bits === 128 && block.prefix >= 96 && block.base >> 32n === MAPPED
    ? { bits: 32, base: block.base & 0xffffffffn, prefix: block.prefix - 96 }
    : block;

const parse = (text: string): Block | undefined => {
  const [, address = '', length] = /^([0-9A-Fa-f.:]{2,45})(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return undefined;
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const base = family === 4 ? valueOf4(address) : valueOf6(address);
  const hostBits = base & ((1n << BigInt(bits - prefix)) - 1n);
  return hostBits === 0n ? unmapped({ bits, base, prefix }) : undefined;
};

const cache = new Map<string, Block | undefined>();
const blockOf = (text: string): Block | undefined => {
  if (cache.has(text)) return cache.get(text);
  if (cache.size >= MAX_CACHED) cache.clear();
  const block = parse(text);
  cache.set(text, block);
  return block;
};

const contains = (outer: Block | undefined, inner: Block | undefined): boolean => {
  if (!outer || !inner || outer.bits !== inner.bits || outer.prefix > inner.prefix) return false;
  const rest = BigInt(outer.bits - outer.prefix);
  return outer.base >> rest === inner.base >> rest;
};

/** Whether a text is an address or a CIDR block of IPv4 or IPv6 (`203.0.113.0/24`, `2001:db8::/32`) whose bits after the prefix are 0. */
export const isIpRange = (text: string): boolean => parse(text) !== undefined;

/** Whether an address lies in one of the ranges. An IPv4 address within IPv6 counts as IPv4; text that is no address lies in none. */
export const isInRanges = (ranges: readonly string[], address: string): boolean =>
  isIP(address) !== 0 && ranges.some((range) => contains(blockOf(range), blockOf(address)));

/** Whether `outer` allows everything that `inner` allows. Undefined allows every address. */
export const isWithin = (inner: readonly string[] | undefined, outer: readonly string[] | undefined): boolean =>
  outer === undefined ||
  (inner?.every((range) => outer.some((other) => contains(blockOf(other), blockOf(range)))) ?? false);

/**
 * The intersection of two lists; undefined if neither limits. Two CIDR blocks are nested or disjoint, so the result
 * consists of their blocks.
 */
export const intersectRanges = (
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined => {
  if (!one || !other) return one ?? other;
  const shared = [
    ...one.filter((range) => other.some((wide) => contains(blockOf(wide), blockOf(range)))),
    ...other.filter((range) => one.some((wide) => contains(blockOf(wide), blockOf(range)))),
  ];
  return [...new Set(shared)];
};
