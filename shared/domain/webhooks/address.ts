/**
 * Where a webhook may go. An endpoint's address is written by a stranger, and our machines stand next to services that trust
 * whoever reaches them: an instance's metadata, a database, an administrator's page (OWASP, Server-Side Request Forgery Prevention).
 */

/** Whether this machine's own loopback may be called, by plain http too: for a platform on one machine, never for a deployed stage. */
export interface EndpointPolicy {
  readonly allowLoopbackHttp: boolean;
}

/** Networks that are no public host, from the special-purpose registries of IANA (RFC 6890, RFC 8190) and what clouds add to them. */
export const DENIED_NETWORKS: readonly (readonly [network: string, what: string])[] = [
  ['0.0.0.0/8', 'this network, reaches the machine itself on many systems (RFC 1122)'],
  ['10.0.0.0/8', 'private (RFC 1918)'],
  ['100.64.0.0/10', 'carrier-grade NAT (RFC 6598)'],
  ['127.0.0.0/8', 'loopback (RFC 1122)'],
  ['168.63.129.16/32', "a cloud's host service on a public address (Azure)"],
  ['169.254.0.0/16', 'link-local, where clouds keep their metadata (RFC 3927)'],
  ['172.16.0.0/12', 'private (RFC 1918)'],
  ['192.0.0.0/24', 'IETF protocol assignments (RFC 6890)'],
  ['192.0.2.0/24', 'documentation (RFC 5737)'],
  ['192.88.99.0/24', '6to4 relays, withdrawn (RFC 7526)'],
  ['192.168.0.0/16', 'private (RFC 1918)'],
  ['198.18.0.0/15', 'benchmarking (RFC 2544)'],
  ['198.51.100.0/24', 'documentation (RFC 5737)'],
  ['203.0.113.0/24', 'documentation (RFC 5737)'],
  ['224.0.0.0/4', 'multicast (RFC 5771)'],
  ['240.0.0.0/4', 'reserved, with broadcast as its last (RFC 1112, RFC 919)'],
  ['::/96', 'unspecified, loopback, and IPv4-compatible addresses (RFC 4291)'],
  ['64:ff9b::/96', 'NAT64: an IPv4 address behind a translator (RFC 6052)'],
  ['64:ff9b:1::/48', 'NAT64 for local use (RFC 8215)'],
  ['100::/64', 'discard-only (RFC 6666)'],
  ['2001::/32', 'Teredo: an IPv4 address inside (RFC 4380)'],
  ['2001::/23', 'IETF protocol assignments, benchmarking and ORCHID among them (RFC 2928)'],
  ['2001:db8::/32', 'documentation (RFC 3849)'],
  ['2002::/16', '6to4: an IPv4 address inside (RFC 3056)'],
  ['3fff::/20', 'documentation (RFC 9637)'],
  ['fc00::/7', 'unique local (RFC 4193)'],
  ['fe80::/10', 'link-local (RFC 4291)'],
  ['fec0::/10', 'site-local, withdrawn (RFC 3879)'],
  ['ff00::/8', 'multicast (RFC 4291)'],
  // Only 2000::/3 is given out as global unicast; all around it is denied, what has no name above included.
  ['::/3', 'not global unicast (IANA, IPv6 address space)'],
  ['4000::/2', 'not global unicast (IANA, IPv6 address space)'],
  ['8000::/1', 'not global unicast (IANA, IPv6 address space)'],
];

const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128'];

/** Endings of names that public DNS does not own: they answer, if at all, with something on our own network. */
const PRIVATE_ENDINGS = [
  'localhost', // RFC 6761
  'local', // multicast DNS, RFC 6762
  'internal', // reserved by ICANN for private use; cloud metadata has names here
  'home.arpa', // RFC 8375
  'localdomain',
  'lan',
  'intranet',
  'corp', // never delegated, for what leaks from private networks (ICANN, name collisions)
  'home',
  'onion', // RFC 7686
  'alt', // RFC 9476
];

const MAX_URL = 2048;
const MAX_NAME = 253;
const HTTPS_PORT = 443;
/**
 * Below this, ports belong to services of the system (RFC 6335), and none but 443 is one for https: a webhook to 22, 25 or 465 is
 * somebody making us knock. From here on they are the operator's to choose (8443, 4443, a tunnel's port).
 */
const FIRST_USER_PORT = 1024;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Characters that parsers of addresses drop, or read as a slash: two programs would see two hosts. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

const parseIpv4 = (text: string): number[] | undefined => {
  const parts = text.split('.');
  // A leading zero is octal to some resolvers and decimal to others: no such text is an address here.
  const fine = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return fine ? parts.map(Number) : undefined;
};

/** Colon-separated groups as bytes; the last group may be a dotted IPv4 address where `last` says so. */
const parseGroups = (text: string, last: boolean): number[] | undefined => {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const dotted = last && index === groups.length - 1 ? parseIpv4(group) : undefined;
    if (dotted) bytes.push(...dotted);
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
};

const parseIpv6 = (text: string): number[] | undefined => {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = parseGroups(halves[1] ?? '', true);
  if (!head || !tail) return undefined;
  const missing = 16 - head.length - tail.length;
  // `::` stands for one group of zeros at least.
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array<number>(missing).fill(0), ...tail];
};

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/** An address as its 4 or 16 bytes, in the one spelling of RFC 4291 without a zone; what ::ffff: wraps counts as IPv4. */
const bytesOf = (ip: string): number[] | undefined => {
  if (!ip.includes(':')) return parseIpv4(ip);
  const bytes = parseIpv6(ip);
  return bytes && MAPPED.every((byte, index) => bytes[index] === byte) ? bytes.slice(12) : bytes;
};

interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}
const networks = (list: readonly string[]): Network[] =>
  list.map((text) => {
    const [ip = '', bits = ''] = text.split('/');
    const bytes = ip.includes(':') ? parseIpv6(ip) : parseIpv4(ip);
    if (!bytes) throw new RangeError(`${text} is no network`);
    return { bytes, bits: Number(bits) };
  });

const within = (address: readonly number[], { bytes, bits }: Network): boolean =>
  address.length === bytes.length &&
  address.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return (byte ^ (bytes[index] ?? 0)) >> (8 - kept) === 0;
  });

const DENIED = networks(DENIED_NETWORKS.map(([network]) => network));
const LOOPBACK = networks(LOOPBACK_NETWORKS);

/** Whether an address is no public host. What cannot be read as an address, zones included, is denied too. */
export const deniedAddress = (ip: string): boolean => {
  const address = bytesOf(ip);
  return !address || DENIED.some((network) => within(address, network));
};

const isLoopback = (ip: string): boolean => {
  const address = bytesOf(ip);
  return address !== undefined && LOOPBACK.some((network) => within(address, network));
};

const isLiteral = (hostname: string): boolean => bytesOf(hostname) !== undefined;

/** A URL's host without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Names that only this machine or its network can answer. */
export const isPrivateName = (hostname: string): boolean =>
  !isLiteral(hostname) &&
  (!hostname.includes('.') || PRIVATE_ENDINGS.some((ending) => hostname === ending || hostname.endsWith(`.${ending}`)));

/**
 * Whether an address that a checked URL's host resolved to may be connected to. A public name never leads to loopback, not even
 * where loopback is allowed: that would be somebody else's DNS choosing what on this machine is called.
 */
export const mayConnect = (url: { protocol: string; host: string }, ip: string, policy: EndpointPolicy): boolean => {
  if (isLoopback(ip)) return policy.allowLoopbackHttp && (isLiteral(url.host) || isPrivateName(url.host));
  return url.protocol === 'https:' && !deniedAddress(ip);
};

const nameFault = (host: string, policy: EndpointPolicy): string | undefined => {
  if (host.endsWith('.')) return 'must not end its host with a dot';
  if (host.length > MAX_NAME || !host.split('.').every((label) => LABEL.test(label))) return 'must name a valid host';
  if (isPrivateName(host) && !policy.allowLoopbackHttp) return 'must name a host of the public internet';
  return undefined;
};

const hostFault = (url: URL, policy: EndpointPolicy): string | undefined => {
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  if (!isLiteral(host)) return nameFault(host, policy);
  return (isLoopback(host) && policy.allowLoopbackHttp) || !deniedAddress(host)
    ? undefined
    : 'must not be a private, local or reserved address';
};

const portFault = ({ protocol, port }: URL): string | undefined => {
  if (port === '' || protocol === 'http:') return port === '0' ? 'must not use port 0' : undefined;
  return Number(port) === HTTPS_PORT || Number(port) >= FIRST_USER_PORT
    ? undefined
    : 'must use port 443, or one from 1024 up';
};

const schemeFault = (url: URL, { allowLoopbackHttp }: EndpointPolicy): string | undefined => {
  if (url.protocol === 'https:') return undefined;
  if (!allowLoopbackHttp) return 'must be an https address';
  const host = hostOf(url);
  const local = isLoopback(host) || host === 'localhost' || host.endsWith('.localhost');
  return url.protocol === 'http:' && local ? undefined : 'must be an https address, or http on loopback';
};

/**
 * What is wrong with an endpoint's address, in words that follow its name; undefined when nothing is. It is read by the WHATWG
 * parser, the one that connects later, so that `0x7f.1`, `2130706433` and full-width digits are the address that they mean.
 * A name that passes may still resolve to anything: `mayConnect` decides at every connection.
 */
export const checkEndpoint = (text: string, policy: EndpointPolicy): string | undefined => {
  if (text.length > MAX_URL) return `must be at most ${MAX_URL} characters long`;
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters, invisible characters or backslashes';
  const url = URL.parse(text);
  if (!url) return 'must be an absolute address';
  // What is sent is the normalized form, and percent-encoding makes it longer.
  if (url.href.length > MAX_URL) return `must be at most ${MAX_URL} characters long`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment: it would never be sent';
  return schemeFault(url, policy) ?? hostFault(url, policy) ?? portFault(url);
};
