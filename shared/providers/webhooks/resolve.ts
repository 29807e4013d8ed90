import { lookup, Resolver } from 'node:dns/promises';
import { isPrivateName } from '../../domain/core/public-address.ts';

/** Resolves all IPv4 and IPv6 addresses of a name; rejects if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Timeout of the first attempt, in ms, and number of attempts. The second waits twice as long, and Node looks for what is late once per
 * timeout: together up to five of them, which stays below the connect timeout.
 */
const TIMEOUT_MS = 800;
const MAX_ATTEMPTS = 2;

/** An error for one address family counts only if the other has no address either. */
const addressesOf = (answers: readonly PromiseSettledResult<string[]>[]): string[] => {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (addresses.length === 0 && failed) throw failed.reason;
  return addresses;
};

/**
 * Resolves by querying DNS servers directly, the system's by default. `dns.lookup` would block one of libuv's four threads while a name
 * server stays silent, and four such names would stop every delivery (Node.js, dns, implementation considerations). It is used for private
 * names only, which are in the hosts file and not in DNS.
 */
export const createResolve = (servers?: readonly string[]): Resolve => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: MAX_ATTEMPTS });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    if (isPrivateName(name)) return (await lookup(name, { all: true })).map(({ address }) => address);
    return addressesOf(await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]));
  };
};
