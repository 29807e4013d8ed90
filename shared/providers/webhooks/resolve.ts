import { lookup, Resolver } from 'node:dns/promises';
import { isPrivateName } from '../../domain/webhooks/address.ts';

/** All addresses of a name, of both families. Rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** One try, and how many; a later try waits longer, and together they stay within what connecting may take. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;

/** What DNS says of a name that has no address of a family: no fault while the other family has one. */
const found = (answers: readonly PromiseSettledResult<string[]>[]): string[] => {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (addresses.length === 0 && failed) throw failed.reason;
  return addresses;
};

/**
 * Resolves by asking name servers, those of the system unless others are given. `dns.lookup` would hold one of libuv's four threads
 * for as long as a stranger's name server stays silent, and four such names would stop every other delivery (Node.js, dns,
 * implementation considerations). It is asked only for private names, which stand in the hosts file and not in DNS.
 */
export const createResolve = (servers?: readonly string[]): Resolve => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    if (isPrivateName(name)) return (await lookup(name, { all: true })).map(({ address }) => address);
    return found(await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]));
  };
};
