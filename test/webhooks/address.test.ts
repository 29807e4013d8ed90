import { BlockList, isIP, isIPv6 } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  checkEndpoint,
  DENIED_NETWORKS,
  isConnectionAllowed,
  isDeniedAddress,
} from '../../shared/domain/core/public-address.ts';
import { fc } from '../support/fast-check.ts';
import { DENIED_IPV4, DENIED_IPV6, PUBLIC_ADDRESSES, TRICKS, VECTORS } from './addresses.ts';

const DEPLOYED = { allowLoopbackHttp: false };
const LOCAL = { allowLoopbackHttp: true };
/** By the normal form that the URL parser gives. */
const isLoopback = (url: string) =>
  /^(127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(new URL(url).hostname);

/** Node's own lists as an oracle: one per family, because Node checks an IPv4 address against IPv6 networks too. */
const oracles = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network] of DENIED_NETWORKS) {
  const [ip = '', bits] = network.split('/');
  const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
  oracles[family].addSubnet(ip, Number(bits), family);
}
const hex = (group: number) => group.toString(16);

describe('an address', () => {
  it.each([...DENIED_IPV4, ...DENIED_IPV6])('%s is no public host', (ip) => {
    expect(isIP(ip)).not.toBe(0);
    expect(isDeniedAddress(ip)).toBe(true);
  });
  it.each(DENIED_IPV4)('%s mapped into IPv6 is no public host either, in any spelling', (ip) => {
    const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
    const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
    for (const prefix of ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '0000:0:0:0:0:ffff:', '::'])
      for (const text of [`${prefix}${ip}`, `${prefix}${groups}`])
        expect({ text, denied: isDeniedAddress(text) }).toEqual({ text, denied: true });
  });
  it.each(PUBLIC_ADDRESSES)('%s is a public host', (ip) => {
    expect(isIP(ip)).not.toBe(0);
    expect(isDeniedAddress(ip)).toBe(false);
  });
  it.each([
    '',
    '1.1.1',
    '1.1.1.1.1',
    '01.1.1.1',
    '1.1.1.256',
    '1.1.1.1 ',
    ' 1.1.1.1',
    '0x1.1.1.1',
    '16843009',
    '+1.1.1.1',
    '１.1.1.1',
    'example.com',
    '2606::1%eth0',
    '2606::1::1',
    '2606:1:2:3:4:5:6:7:8',
    '2606:1:2:3:4:5:6',
    '2606:1:2:3:4:5:6:7::',
    ':2606::',
    '2606:::1',
    '2606::12345',
    '2606::g',
    '2606::1.1.1',
    '1.1.1.1::',
    '2606:1.1.1.1::1',
    '[2606::1]',
    '::ffff:1.1.1.01',
  ])('that reads %j is no address', (text) => expect(isDeniedAddress(text)).toBe(true));
  it('is denied exactly when a BlockList of Node denies it, in both families', () => {
    const ipv4 = fc.ipV4();
    const ipv6 = fc.ipV6().filter((ip) => !/^(0*:)*(0*:)?:?(0*:)*ffff:/i.test(ip));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (ip) => {
        const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
        expect(isDeniedAddress(ip)).toBe(oracles[family].check(ip, family));
      }),
      { numRuns: 20_000 },
    );
  });
  it('is public only when Node too can parse it', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefF:.%x '), maxLength: 24 });
    fc.assert(
      fc.property(digits, (text) => {
        if (isIP(text) === 0) expect(isDeniedAddress(text)).toBe(true);
      }),
      { numRuns: 50_000 },
    );
  });
});

describe('the URL of an endpoint', () => {
  it(`is refused in every one of ${VECTORS.length} spellings of a denied address`, () => {
    expect(VECTORS.length).toBeGreaterThan(1_000);
    const passed = VECTORS.filter(({ host }) => checkEndpoint(`https://${host}:8443/`, DEPLOYED) === undefined);
    expect(passed).toEqual([]);
  });
  it('is refused in all of them but those of loopback where loopback is allowed', () => {
    const urls = VECTORS.map(({ host }) => `http://${host}:8443/`);
    const passed = urls.filter((url) => checkEndpoint(url, LOCAL) === undefined);
    expect(passed.filter((url) => !isLoopback(url))).toEqual([]);
    expect(passed.length).toBeGreaterThan(20);
  });
  it.each(TRICKS)('is refused as %j', (trick) => {
    expect(checkEndpoint(trick.replace('$', '8443'), DEPLOYED)).toMatch(/^must /);
  });
  it.each([
    'https://hooks.example.com/in',
    'https://hooks.example.com:8443/in?tenant=1',
    'https://HOOKS.example.com:443',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]:1024/',
    'https://[::ffff:93.184.216.34]/',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://a_b.example.com/',
    'https://internal.example.com/',
    'https://local.example.com/',
    'https://example.com/@127.0.0.1/',
    'https://example.com/?u=http://127.0.0.1',
  ])('may be %s', (url) => expect(checkEndpoint(url, DEPLOYED)).toBeUndefined());
  it.each([
    'http://localhost:3000/a',
    'http://127.0.0.1:80/',
    'http://127.9.9.9/',
    'http://[::1]:3000/',
    'http://0x7f.1:3000/',
    'http://a.localhost:3000/',
    'https://localhost/',
    'https://receiver:8443/',
  ])('may be %s where loopback is allowed, and only there', (url) => {
    expect(checkEndpoint(url, LOCAL)).toBeUndefined();
    expect(checkEndpoint(url, DEPLOYED)).toMatch(/^must /);
  });
  it.each([
    'http://hooks.example.com/',
    'http://receiver:3000/',
    'http://10.0.0.1/',
    'http://0.0.0.0:3000/',
    'http://93.184.216.34/',
    'https://169.254.169.254/',
    'http://localhost:0/',
    'ftp://localhost/',
  ])('is refused as %s even where loopback is allowed', (url) => expect(checkEndpoint(url, LOCAL)).toMatch(/^must /));
  it.each([0, 1, 22, 25, 80, 442, 444, 465, 1023])('has no port %i', (port) => {
    expect(checkEndpoint(`https://hooks.example.com:${port}/`, DEPLOYED)).toBe(
      'must use port 443, or one from 1024 up',
    );
  });
  it('has no dot at the end of its host', () => {
    for (const host of ['hooks.example.com.', 'hooks.example.com..', 'localhost.'])
      expect(checkEndpoint(`https://${host}/`, DEPLOYED)).toBe('must not end its host with a dot');
  });
  it('has no user, password, fragment, nor a name that no host can have', () => {
    const faults = [
      'https://u@a.example/',
      'https://:p@a.example/',
      'https://a.example/#x',
      'https://a!.example/',
      `https://${'a'.repeat(64)}.example/`,
      `https://${'a.'.repeat(127)}example/`,
    ];
    for (const url of faults) expect(checkEndpoint(url, DEPLOYED)).toMatch(/^must /);
  });
  it('is at most 2,048 characters long, as given and as sent', () => {
    const long = (count: number, unit = 'a') => `https://hooks.example.com/${unit.repeat(count)}`;
    expect(checkEndpoint(long(2_048 - 26), DEPLOYED)).toBeUndefined();
    expect(checkEndpoint(long(2_049 - 26), DEPLOYED)).toMatch(/^must be at most 2048/);
    expect(checkEndpoint(long(500, 'é'), DEPLOYED)).toMatch(/^must be at most 2048/);
  });
  it('is checked without a throw, whatever the text, and never repeated in the error', () => {
    const secret = fc.string().map((text) => `https://${text}secret`);
    const anyText = fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' }), secret);
    const check = (text: string): void => {
      expect(checkEndpoint(text, DEPLOYED) ?? '').not.toContain('secret');
    };
    fc.assert(fc.property(anyText, check), { numRuns: 5_000 });
  });
});

describe('a name that resolves', () => {
  const named = (host: string, protocol = 'https:') => ({ protocol, host });
  it('to a public host may be connected to, over https', () => {
    expect(isConnectionAllowed(named('hooks.example.com'), '93.184.216.34', DEPLOYED)).toBe(true);
    expect(isConnectionAllowed(named('localhost', 'http:'), '93.184.216.34', LOCAL)).toBe(false);
  });
  it('to loopback may be connected to only by a private name, where loopback is allowed', () => {
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(isConnectionAllowed(named('hooks.example.com'), ip, LOCAL)).toBe(false);
      expect(isConnectionAllowed(named('localhost', 'http:'), ip, LOCAL)).toBe(true);
      expect(isConnectionAllowed(named('localhost', 'http:'), ip, DEPLOYED)).toBe(false);
    }
    expect(isConnectionAllowed(named('localhost'), '10.0.0.1', LOCAL)).toBe(false);
  });
});
