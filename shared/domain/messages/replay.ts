import { isRefusal, type Refusal } from '../errors.ts';
import type { KeptPromise } from './journal.ts';
import type { SendPlan, Tenant } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { REUSED_KEY } from './refusals.ts';
import type { Sent } from './send.ts';

type Earlier = Sent | typeof REUSED_KEY | undefined;

/** What stands under a key that is taken; the refusal where another request took it, undefined when it is gone meanwhile. */
export const standingUnder = async (
  { journal }: Pick<SendPorts, 'journal'>,
  promise: KeptPromise,
  hash: string,
): Promise<Earlier> => {
  if (promise.requestHash !== hash) return REUSED_KEY;
  const message = await journal.read(promise.messageId);
  return message && { message, replayed: true };
};

/** What is wrong with a body names its place, and is told before its key is asked for (decisions, part 4: the order of checks). */
const isOfBody = ({ details }: Refusal): boolean => details.errors !== undefined;

/**
 * A send as it came out; refused, it is first asked whether an earlier one stands under its key (decisions, part 4: the order of checks).
 * A repeat is answered as the first call was, whatever became of its price, sender, template, window or contact since; another body under
 * the key is 409. Only a refusal looks: a send that is accepted meets its key in its own transaction and reads nothing more.
 */
export const orEarlier = async <R extends Refusal>(
  ports: Pick<SendPorts, 'promise' | 'clock' | 'journal'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  { key, hash }: Pick<SendPlan, 'key' | 'hash'>,
  outcome: Sent | R,
): Promise<Sent | R | typeof REUSED_KEY> => {
  if (!isRefusal(outcome)) return outcome;
  const promise = await ports.promise(organizationId, key, ports.clock());
  const earlier = promise && (await standingUnder(ports, promise, hash));
  return earlier === undefined || (earlier === REUSED_KEY && isOfBody(outcome)) ? outcome : earlier;
};
