import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { QUEUES, type QueueDeclaration } from '../../shared/queues/queues.ts';
import { COMMON, CONCURRENCY, type ConcurrencyArea, type StageSettings } from '../stages.ts';
import { pathOfOperation } from './operation-function.ts';

/** Concurrent executions that are kept for functions, by their paths under `functions/`. */
export type Reserved = ReadonlyMap<string, number>;

/** A function of an area: its weight among the others of its area, and the bounds of its part. */
interface Holder {
  readonly path: string;
  readonly weight: number;
  readonly least: number;
  readonly most: number;
}

/** An event source mapping has at least two concurrent batches. */
const MIN_CONCURRENCY = 2;
const holder = (path: string): Holder => ({ path, weight: 1, least: MIN_CONCURRENCY, most: Number.POSITIVE_INFINITY });

/** The batches that a queue may run concurrently in a stage, if its consumer has no reservation. */
export const batchesOf = ({ consumerConcurrency }: StageSettings, { concurrencyFactor }: QueueDeclaration): number =>
  consumerConcurrency * concurrencyFactor;

/** Whether an operation that sends no message waits for a provider all the same: it has its credentials, and its time or its service. */
const callsPlatform = ({ rate, uses, timeoutSeconds }: OperationContract): boolean =>
  rate === undefined &&
  uses.rootKeys?.includes('providers') === true &&
  (timeoutSeconds !== undefined || uses.awsProviders !== undefined);

/** The functions of each area in a stage; the others share the unreserved rest. */
const holdersOf = (
  contracts: readonly OperationContract[],
  settings: StageSettings,
): Readonly<Record<ConcurrencyArea, readonly Holder[]>> => {
  const operations = (belongs: (contract: OperationContract) => boolean) =>
    contracts.filter(belongs).map(({ id }) => holder(pathOfOperation(id)));
  const { slices } = COMMON.dispatcher;
  return {
    authorizer: [holder('authorizer')],
    callbacks: operations(({ id }) => id === 'callbacks.receive'),
    sending: operations(({ rate }) => rate !== undefined),
    platforms: operations(callsPlatform),
    // No more than the mapping may start: the rest would be kept for nothing.
    consumers: Object.values<QueueDeclaration>(QUEUES).map((queue) => ({
      ...holder(`consumers/${queue.consumer}`),
      weight: queue.concurrencyFactor,
      most: batchesOf(settings, queue),
    })),
    // A run ends before the next minute's begins.
    dispatcher: [{ ...holder('schedules/dispatch'), least: slices, most: slices }],
  };
};

/** The part of each function of an area, of which `total` executions are kept. */
const divide = (total: number, holders: readonly Holder[]): [path: string, part: number][] => {
  const sum = holders.reduce((all, { weight }) => all + weight, 0);
  return holders.map(({ path, weight, least, most }) => [
    path,
    Math.min(most, Math.max(least, Math.floor((total * weight) / sum))),
  ]);
};

type Stages = Readonly<Record<Environment, StageSettings>>;
type Divided = Readonly<Record<Environment, Reserved>>;

const divideAll = (limit: number, contracts: readonly OperationContract[], stages: Stages): Divided => {
  const stage = (settings: StageSettings): Reserved =>
    new Map(
      Object.entries(holdersOf(contracts, settings)).flatMap(([area, holders]) => {
        const percent = CONCURRENCY.areas[area as ConcurrencyArea];
        return divide((limit * settings.concurrencyPercent * percent) / 10_000, holders);
      }),
    );
  return { live: stage(stages.live), test: stage(stages.test) };
};

const totalOf = (divided: Divided): number =>
  Object.values(divided).reduce((sum, parts) => sum + [...parts.values()].reduce((all, part) => all + part, 0), 0);

/**
 * Divides `limit` concurrent executions, available to the service, among the areas of both stages (`CONCURRENCY`); without a limit nothing
 * is reserved, which deploys on any account. Throws an Error if the limit leaves less unreserved concurrency than AWS requires.
 */
export const reserveConcurrency = (
  limit: number | undefined,
  contracts: readonly OperationContract[],
  stages: Stages,
): Divided => {
  if (limit === undefined) return { live: new Map(), test: new Map() };
  const fits = (given: number) => totalOf(divideAll(given, contracts, stages)) + CONCURRENCY.unreserved <= given;
  if (fits(limit)) return divideAll(limit, contracts, stages);
  let enough = limit;
  while (!fits(enough)) enough += 1;
  throw new Error(
    `concurrency=${limit} is too little for the areas of both stages and the ${CONCURRENCY.unreserved} executions that AWS keeps unreserved; give at least ${enough}, or leave it out.`,
  );
};
