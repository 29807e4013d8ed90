import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Preloaded into processes that share a queue engine, whose queues have addresses such as `sqs.us-east-1.localhost`: names below localhost
 * are this machine (RFC 6761, 6.3), which not every resolver knows.
 */
const { lookup } = dns;
const known = (name: unknown) => (typeof name === 'string' && name.endsWith('.localhost') ? '127.0.0.1' : name);
dns.lookup = new Proxy(lookup, {
  apply: (target, self, [name, ...rest]: unknown[]) => Reflect.apply(target, self, [known(name), ...rest]),
});
syncBuiltinESMExports();
