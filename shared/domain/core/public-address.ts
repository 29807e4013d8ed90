import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Which webhook URLs may be called. They come from strangers, and our machines can reach services that trust their network: instance
 * metadata, databases, admin pages (OWASP, Server-Side Request Forgery Prevention).
 */

/** Whether loopback may be called, over plain http too: for local development, never in a deployed stage. */
export interface EndpointPolicy {
  readonly allowLoopbackHttp: boolean;
}

/** Networks that hold no public host: IANA's special-purpose registries (RFC 6890, RFC 8190) and additions of cloud providers. */
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
  // Only 2000::/3 is allocated as global unicast; everything around it is denied, named above or not.
  ['::/3', 'not global unicast (IANA, IPv6 address space)'],
  ['4000::/2', 'not global unicast (IANA, IPv6 address space)'],
  ['8000::/1', 'not global unicast (IANA, IPv6 address space)'],
];

/** Name endings outside public DNS: if they resolve at all, then to something on our own network. */
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

const MAX_URL_LENGTH = 2048;
const MAX_HOST_LENGTH = 253;
const HTTPS_PORT = 443;
/**
 * Lower ports belong to system services (RFC 6335), and only 443 of them is https: a webhook to 22, 25 or 465 would use us as a port
 * scanner. Higher ports are free to use (8443, 4443, a tunnel's port).
 */
const FIRST_USER_PORT = 1024;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Characters that URL parsers drop or read as a slash, so that two parsers could see different hosts. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

/** The family of an address; undefined for other texts, and for addresses with a zone. */
const familyOf = (ip: string): 'ipv4' | 'ipv6' | undefined => {
  if (isIPv4(ip)) return 'ipv4';
  return isIPv6(ip) && !ip.includes('%') ? 'ipv6' : undefined;
};

const blockListOf = (networks: readonly string[]): BlockList => {
  const blocks = new BlockList();
  for (const text of networks) {
    const [ip = '', bits] = text.split('/');
    blocks.addSubnet(ip, Number(bits), familyOf(ip));
  }
  return blocks;
};

/** Whether an address of a family is in one of these networks. Their list is built for the first address: most processes check none. */
const inNetworks = (networks: readonly string[]) => {
  let blocks: BlockList | undefined;
  return (ip: string, family: ReturnType<typeof familyOf>): boolean => {
    blocks ??= blockListOf(networks);
    return blocks.check(ip, family);
  };
};

const DENIED = Map.groupBy(
  DENIED_NETWORKS.map(([network]) => network),
  (network) => (network.includes(':') ? 'ipv6' : 'ipv4'),
);
const isDeniedIpv4 = inNetworks(DENIED.get('ipv4') ?? []);
const isDeniedIpv6 = inNetworks(DENIED.get('ipv6') ?? []);
/** IPv4 addresses within IPv6, which count as IPv4: a list of IPv4 networks knows them (RFC 4291, 2.5.5.2). */
const isMapped = inNetworks(['::ffff:0:0/96']);
const isInLoopback = inNetworks(['127.0.0.0/8', '::1/128']);

/** Whether an IP address belongs to no public host. Unparseable addresses and those with zones are denied too. */
export const isDeniedAddress = (ip: string): boolean => {
  const family = familyOf(ip);
  if (!family || isDeniedIpv4(ip, family)) return true;
  return family === 'ipv6' && !isMapped(ip, family) && isDeniedIpv6(ip, family);
};

const isLoopback = (ip: string): boolean => isInLoopback(ip, familyOf(ip));

const isLiteral = (hostname: string): boolean => familyOf(hostname) !== undefined;

/** A URL's host without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Names that only this machine or its network can resolve. */
export const isPrivateName = (hostname: string): boolean =>
  !isLiteral(hostname) &&
  (!hostname.includes('.') || PRIVATE_ENDINGS.some((ending) => hostname === ending || hostname.endsWith(`.${ending}`)));

/**
 * Whether to connect to the IP address that a checked URL's host resolved to. A public name must never resolve to loopback, even if
 * loopback is allowed: otherwise someone else's DNS picks a local service to call.
 */
export const isConnectionAllowed = (
  url: { protocol: string; host: string },
  ip: string,
  policy: EndpointPolicy,
): boolean => {
  if (isLoopback(ip)) return policy.allowLoopbackHttp && (isLiteral(url.host) || isPrivateName(url.host));
  return url.protocol === 'https:' && !isDeniedAddress(ip);
};

const hostNameError = (host: string, policy: EndpointPolicy): string | undefined => {
  if (host.endsWith('.')) return 'must not end its host with a dot';
  if (host.length > MAX_HOST_LENGTH || !host.split('.').every((label) => LABEL.test(label)))
    return 'must name a valid host';
  if (isPrivateName(host) && !policy.allowLoopbackHttp) return 'must name a host of the public internet';
  return undefined;
};

const hostError = (url: URL, policy: EndpointPolicy): string | undefined => {
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  if (!isLiteral(host)) return hostNameError(host, policy);
  return (isLoopback(host) && policy.allowLoopbackHttp) || !isDeniedAddress(host)
    ? undefined
    : 'must not be a private, local or reserved address';
};

const portError = ({ protocol, port }: URL): string | undefined => {
  if (port === '' || protocol === 'http:') return port === '0' ? 'must not use port 0' : undefined;
  return Number(port) === HTTPS_PORT || Number(port) >= FIRST_USER_PORT
    ? undefined
    : 'must use port 443, or one from 1024 up';
};

const schemeError = (url: URL, { allowLoopbackHttp }: EndpointPolicy): string | undefined => {
  if (url.protocol === 'https:') return undefined;
  if (!allowLoopbackHttp) return 'must be an https address';
  const host = hostOf(url);
  const local = isLoopback(host) || host === 'localhost' || host.endsWith('.localhost');
  return url.protocol === 'http:' && local ? undefined : 'must be an https address, or http on loopback';
};

/**
 * Why an endpoint URL is not allowed, as a sentence after the field's name; undefined if it is. Parsed by the WHATWG parser that later
 * connects, so `0x7f.1`, `2130706433` and full-width digits become the address that they mean. An allowed name may still resolve to
 * anything: `isConnectionAllowed` decides on every connection.
 */
export const checkEndpoint = (text: string, policy: EndpointPolicy): string | undefined => {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters, invisible characters or backslashes';
  const url = URL.parse(text);
  if (!url) return 'must be an absolute address';
  // The normalized URL is what is sent, and percent-encoding makes it longer.
  if (url.href.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment: it would never be sent';
  return schemeError(url, policy) ?? hostError(url, policy) ?? portError(url);
};
