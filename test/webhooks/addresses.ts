/** Addresses that must not be called, in all their spellings: the vectors of the tests of outgoing calls. */

const words = (text: string) => text.trim().split(/\s+/);

/** The first and last address of every denied IPv4 network, and well-known ones inside. */
export const DENIED_IPV4 = words(`
  0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.0
  127.0.0.1 127.1.2.3 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 169.254.169.253
  169.254.255.255 172.16.0.0 172.17.0.1 172.31.255.255 192.0.0.0 192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.255
  192.88.99.1 192.168.0.0 192.168.1.1 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255 224.0.0.0 224.0.0.251 239.255.255.255 240.0.0.0 254.255.255.255 255.255.255.255
`);

export const DENIED_IPV6 = words(`
  :: ::1 0:0:0:0:0:0:0:1 ::2 ::a9fe:a9fe ::ffff:ffff ::7f00:1 ::1:0:0 ::ffff:0:1.2.3.4 ::ffff:0:0:7f00:1 64:ff9b::
  64:ff9b::7f00:1 64:ff9b::ffff:ffff 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100:: 100::1
  100::ffff:ffff:ffff:ffff 100:0:0:1::1 200::1 400::1 1fff:ffff::1 2001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
  2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8:: 2001:db8::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
  2002:: 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:ffff::1 3fff:: 3fff:fff:ffff::1 4000::1 5f00::1 7fff::1 8000::1 bfff::1
  e000::1 fbff::1 fc00:: fc00::1 fd00:ec2::254 fd12:3456:789a::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe00::1
  fe80:: fe80::1 fe80::a9fe:a9fe febf:ffff::1 fec0:: fec0::1 feff:ffff::1 ff00:: ff02::1 ff0e::1
  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`);

/** Neighbours of the denied networks, and well-known hosts. */
export const PUBLIC_ADDRESSES = words(`
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
  192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255
  198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2000:: 2001:200:: 2001:4860:4860::8888 2001:db7:ffff::1
  2001:db9:: 2003:: 2600:: 2606:4700:4700::1111 2a00:1450::1 3ffe::1 3ffe:ffff::1 3fff:1000::1 ::ffff:8.8.8.8
  ::FFFF:808:808 0:0:0:0:0:ffff:1.1.1.1
`);

const bytes = (ip: string) => ip.split('.').map(Number);
const number = (ip: string) => bytes(ip).reduce((sum, byte) => sum * 256 + byte, 0);
const hex = (ip: string) => bytes(ip).map((byte) => byte.toString(16).padStart(2, '0'));
const groups = (ip: string) => {
  const [a, b, c, d] = hex(ip);
  return `${a}${b}:${c}${d}`;
};
/** Teredo hides its client's address by inverting every bit (RFC 4380, 4). */
const inverted = (ip: string) =>
  groups(
    bytes(ip)
      .map((byte) => 255 - byte)
      .join('.'),
  );
const each = (text: string, change: (character: string) => string) => [...text].map(change).join('');
const fromCode = (first: number) => (digit: string) =>
  digit === '.' ? '.' : String.fromCodePoint(first + Number(digit));

/** Spellings of an IPv4 address that some parser accepts. */
export const IPV4_SPELLINGS: readonly (readonly [name: string, write: (ip: string) => string])[] = [
  ['dotted', (ip) => ip],
  ['decimal', (ip) => String(number(ip))],
  ['hexadecimal', (ip) => `0x${number(ip).toString(16)}`],
  ['hexadecimal, upper case', (ip) => `0X${number(ip).toString(16).toUpperCase()}`],
  ['octal', (ip) => `0${number(ip).toString(8)}`],
  [
    'octal parts',
    (ip) =>
      bytes(ip)
        .map((byte) => `0${byte.toString(8)}`)
        .join('.'),
  ],
  [
    'hexadecimal parts',
    (ip) =>
      bytes(ip)
        .map((byte) => `0x${byte.toString(16)}`)
        .join('.'),
  ],
  [
    'octal parts with many zeros',
    (ip) =>
      bytes(ip)
        .map((byte) => `00000${byte.toString(8)}`)
        .join('.'),
  ],
  ['two parts', (ip) => `${bytes(ip)[0]}.${number(ip) % 2 ** 24}`],
  ['three parts', (ip) => `${bytes(ip)[0]}.${bytes(ip)[1]}.${number(ip) % 2 ** 16}`],
  ['mixed parts', (ip) => `0x${hex(ip)[0]}.${number(ip) % 2 ** 24}`],
  ['a dot at the end', (ip) => `${ip}.`],
  ['percent-encoded', (ip) => each(ip, (character) => `%${character.charCodeAt(0).toString(16)}`)],
  ['full-width digits', (ip) => each(ip, fromCode(0xff10))],
  ['mathematical digits', (ip) => each(ip, fromCode(0x1d7ce))],
  ['ideographic dots', (ip) => ip.replaceAll('.', '\u3002')],
  ['half-width dots', (ip) => ip.replaceAll('.', '\uff61')],
  ['a soft hyphen', (ip) => `${ip}\u00ad`],
  ['a zero-width space', (ip) => `\u200b${ip}`],
  ['a tab inside', (ip) => ip.replace('.', '.\t')],
  ['mapped', (ip) => `[::ffff:${ip}]`],
  ['mapped, in groups', (ip) => `[::ffff:${groups(ip)}]`],
  ['mapped, in full', (ip) => `[0000:0000:0000:0000:0000:FFFF:${groups(ip)}]`],
  ['compatible', (ip) => `[::${ip}]`],
  ['translated', (ip) => `[::ffff:0:${groups(ip)}]`],
  ['NAT64', (ip) => `[64:ff9b::${ip}]`],
  ['NAT64 for local use', (ip) => `[64:ff9b:1::${groups(ip)}]`],
  ['6to4', (ip) => `[2002:${groups(ip)}::1]`],
  ['Teredo', (ip) => `[2001:0:4136:e378:8000:63bf:${inverted(ip)}]`],
  ['a zone', (ip) => `[::ffff:${ip}%25eth0]`],
];

export const IPV6_SPELLINGS: readonly (readonly [name: string, write: (ip: string) => string])[] = [
  ['brackets', (ip) => `[${ip}]`],
  ['upper case', (ip) => `[${ip.toUpperCase()}]`],
  ['a zone', (ip) => `[${ip}%25lo]`],
  ['a bare zone', (ip) => `[${ip}%lo]`],
  ['no brackets', (ip) => ip],
];

export interface Vector {
  readonly name: string;
  /** The host part of a URL. */
  readonly host: string;
  readonly ip: string;
}

const spell = (ips: readonly string[], spellings: typeof IPV4_SPELLINGS): Vector[] =>
  ips.flatMap((ip) => spellings.map(([name, write]) => ({ name: `${ip}, ${name}`, host: write(ip), ip })));

export const VECTORS: readonly Vector[] = [
  ...spell(DENIED_IPV4, IPV4_SPELLINGS),
  ...spell(DENIED_IPV6, IPV6_SPELLINGS),
];

/** URLs that appear public until they are parsed; `$` is the canary's port. */
export const TRICKS: readonly string[] = [
  'https://good.example@169.254.169.254/',
  'https://good.example:443@127.0.0.1:$/',
  'https://good.example%40127.0.0.1:$/',
  'https://127.0.0.1:$\\@good.example/',
  'https://good.example\\@127.0.0.1:$/',
  'https://good.example\n@127.0.0.1:$/',
  'https:127.0.0.1:$/',
  'https:/127.0.0.1:$/',
  'https:////127.0.0.1:$/',
  '//127.0.0.1:$/',
  'https://127.0.0.1:$#@good.example/',
  'https://127.0.0.1:$?@good.example/',
  'https://[::1]:$/',
  'https://[::]:$/',
  'https://localhost:$/',
  'https://localhost.:$/',
  'https://LOCALHOST:$/',
  'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:$/',
  'https://ｌｏｃａｌｈｏｓｔ:$/',
  'https://loc%61lhost:$/',
  'https://a.localhost:$/',
  'https://localhost.localdomain:$/',
  'https://printer.local:$/',
  'https://metadata.google.internal/',
  'https://instance-data.ec2.internal/',
  'https://metadata/',
  'https://router.home.arpa/',
  'https://db.corp/',
  'https://kubernetes.default.svc.cluster.local/',
  'https://127.0.0.1.:$/',
  'https://good.example.:$/',
  'https://good..example:$/',
  'https://.good.example:$/',
  'http://127.0.0.1:$/',
  'http://good.example/',
  'ftp://127.0.0.1:$/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:$/_x',
  'unix:/var/run/docker.sock',
  'data:text/plain,x',
  'javascript:alert(1)',
  'wss://127.0.0.1:$/',
  'https://',
  'https:///',
  '',
];
