import { ProblemError } from '../../sdk.ts';
import type { Graph } from './graph.ts';

/** A fault that the service found in a step: the field below the step, and why. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

const PLACE = /^(passos|ligacoes)\.(\d+)\.?(.*)$/;

/** The faults that the service found in a graph, by the key of the step; for a link, by the step before it. */
export const faultsOf = (error: unknown, { passos, ligacoes }: Graph): ReadonlyMap<string, readonly Fault[]> => {
  const faults = new Map<string, Fault[]>();
  if (!(error instanceof ProblemError)) return faults;
  for (const { path, message } of error.errors) {
    const [, part, index, field = ''] = PLACE.exec(path) ?? [];
    const key = part === 'passos' ? passos[Number(index)]?.chave : ligacoes[Number(index)]?.de;
    if (part !== undefined && key !== undefined) faults.set(key, [...(faults.get(key) ?? []), { field, message }]);
  }
  return faults;
};
