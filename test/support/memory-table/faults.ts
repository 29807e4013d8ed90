import type { Chance } from '../chance.ts';
import type { MemoryCall } from './client.ts';
import { FINE, MET, REFUSALS } from './refusals.ts';

/** The faults of a call: a conflict with another transaction, a throttle, or a lost connection after it was executed. */
export type MemoryFault = 'conflict' | 'throttle' | 'lost answer';

const FAULTS: readonly MemoryFault[] = ['conflict', 'conflict', 'throttle', 'lost answer'];
const READS = new Set(['BatchGetItem', 'GetItem', 'Query']);

const metBy = ({ action, input }: MemoryCall, chance: Chance): Error => {
  if (action !== 'TransactWriteItems') return REFUSALS.met();
  const { TransactItems } = input as { readonly TransactItems: readonly unknown[] };
  const met = chance.below(TransactItems.length);
  return REFUSALS.cancelled(TransactItems.map((_, at) => (at === met ? MET : FINE)));
};

/** Injects faults into a client's calls, one in so many, by a seed, and reorders concurrent ones. `note` is called with each fault. */
export const faultyCalls =
  (chance: Chance, among: number, note: (fault: MemoryFault) => void) =>
  async (call: MemoryCall): Promise<object> => {
    for (let turns = chance.below(3); turns > 0; turns--) await Promise.resolve();
    if (chance.below(among) > 0) return call.make();
    const isRead = READS.has(call.action);
    const fault = isRead ? 'throttle' : chance.pick(FAULTS);
    note(fault);
    if (fault === 'throttle') throw REFUSALS.throttled();
    if (fault === 'conflict' && call.action !== 'BatchWriteItem') throw metBy(call, chance);
    call.make();
    throw REFUSALS.unanswered();
  };
