import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { QUEUES } from '../../shared/queues/queues.ts';
import { RESERVED_WEIGHTS } from '../stages.ts';
import { pathOfOperation } from './operation-function.ts';

/** The functions that a stage's reserved concurrency is divided among, by their paths, each with its weight. */
const holders = (contracts: readonly OperationContract[]): ReadonlyMap<string, number> => {
  const sends = contracts
    .filter(({ rate }) => rate)
    .map(({ id }) => [pathOfOperation(id), RESERVED_WEIGHTS.send] as const);
  const callbacks = contracts.filter(({ id }) => id === 'callbacks.receive').map(({ id }) => pathOfOperation(id));
  return new Map([
    ['authorizer', RESERVED_WEIGHTS.authorizer],
    ...sends,
    ...callbacks.map((path) => [path, RESERVED_WEIGHTS.callbacks] as const),
    ...Object.values(QUEUES).map(({ consumer }) => [`consumers/${consumer}`, RESERVED_WEIGHTS.consumer] as const),
  ]);
};

/** An event source mapping has at least two concurrent batches. */
const LEAST = 2;

/**
 * Divides `total` concurrent executions among the functions that must not wait for others: the authorizer, sends, callbacks and consumers.
 * None is left out, or it would be starved by the rest. Throws an Error where `total` does not reach for all of them.
 */
export const reserveConcurrency = (
  total: number,
  contracts: readonly OperationContract[],
): ReadonlyMap<string, number> => {
  const weights = holders(contracts);
  const sum = [...weights.values()].reduce((all, weight) => all + weight, 0);
  const parts = new Map([...weights].map(([path, weight]) => [path, Math.floor((total * weight) / sum)]));
  if ([...parts.values()].some((part) => part < LEAST))
    throw new Error(
      `reservedConcurrency: ${total} is too little for ${weights.size} functions; give at least ${Math.ceil((LEAST * sum) / Math.min(...weights.values()))}, or none.`,
    );
  return parts;
};
