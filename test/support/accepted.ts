import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';

/** The outcome of what must not be refused. */
export const accepted = <T>(outcome: T): Exclude<T, Refusal> => {
  if (isRefusal(outcome)) throw new Error(`refused: ${outcome.name} ${JSON.stringify(outcome.details)}`);
  return outcome as Exclude<T, Refusal>;
};
