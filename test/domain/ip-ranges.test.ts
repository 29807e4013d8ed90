import { describe, expect, test } from 'vitest';
import { intersectRanges, isInRanges, isIpRange, isWithin } from '../../shared/domain/access/ip-ranges.ts';

describe('a range of addresses', () => {
  test.each([
    ['203.0.113.7'],
    ['203.0.113.0/24'],
    ['0.0.0.0/0'],
    ['::/0'],
    ['::1'],
    ['2001:db8::/32'],
    ['2001:db8:0:0:1::/80'],
    ['::ffff:203.0.113.0/120'],
  ])('is an address or a CIDR block of either family: %s', (text) => {
    expect(isIpRange(text)).toBe(true);
  });

  test.each([
    [''],
    ['203.0.113'],
    ['203.0.113.256'],
    ['203.0.113.7/33'],
    ['203.0.113.7/24'],
    ['203.0.113.0/024'],
    ['203.0.113.0/'],
    ['203.0.113.0 /24'],
    ['2001:db8::1/32'],
    ['2001:db8::/129'],
    ['2001:db8::1::2'],
    ['fe80::1%eth0'],
    ['example.com'],
    ['203.0.113.0/24\n'],
  ])('is nothing else, and has no bits after its prefix: %j', (text) => {
    expect(isIpRange(text)).toBe(false);
  });

  test('holds the addresses that share its prefix, of its own family only', () => {
    const ranges = ['203.0.113.0/25', '198.51.100.7', '2001:db8:1::/48'];
    for (const inside of ['203.0.113.0', '203.0.113.127', '198.51.100.7', '2001:db8:1::', '2001:DB8:1:ffff::1'])
      expect([inside, isInRanges(ranges, inside)]).toEqual([inside, true]);
    for (const outside of ['203.0.113.128', '198.51.100.8', '2001:db8:2::1', '::1', 'unknown', '', '203.0.113.0/25'])
      expect([outside, isInRanges(ranges, outside)]).toEqual([outside, false]);
    expect(isInRanges(['::/0'], '203.0.113.1')).toBe(false);
    expect(isInRanges(['0.0.0.0/0'], '2001:db8::1')).toBe(false);
  });

  test('takes an IPv4 address within IPv6 for the IPv4 address', () => {
    for (const address of ['::ffff:203.0.113.9', '::ffff:cb00:7109', '203.0.113.9'])
      for (const range of ['203.0.113.0/24', '::ffff:203.0.113.0/120', '::ffff:cb00:7109'])
        expect([address, range, isInRanges([range], address)]).toEqual([address, range, true]);
    expect(isInRanges(['203.0.113.0/24'], '::ffff:198.51.100.9')).toBe(false);
  });
});

describe('two lists of ranges', () => {
  test('are one within the other when each block lies in a block of it; no list allows everything', () => {
    expect(isWithin(['203.0.113.0/25', '::1'], ['203.0.113.0/24', '::/64'])).toBe(true);
    expect(isWithin(['203.0.112.0/23'], ['203.0.113.0/24'])).toBe(false);
    expect(isWithin(undefined, ['203.0.113.0/24'])).toBe(false);
    expect(isWithin(['203.0.113.0/24'], undefined)).toBe(true);
    expect(isWithin(undefined, undefined)).toBe(true);
  });

  test('together allow what both allow, and nothing when they are apart', () => {
    expect(intersectRanges(['203.0.113.0/24', '2001:db8::/32'], ['203.0.113.64/26', '198.51.100.0/24'])).toEqual([
      '203.0.113.64/26',
    ]);
    expect(intersectRanges(['203.0.113.0/24'], ['198.51.100.0/24'])).toEqual([]);
    expect(intersectRanges(undefined, ['198.51.100.0/24'])).toEqual(['198.51.100.0/24']);
    expect(intersectRanges(undefined, undefined)).toBeUndefined();
  });
});
