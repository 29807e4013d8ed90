import type { Stage } from './stages.ts';

/** Calls a function of `functions/smpp-service` in a stage. */
export interface SmppStages {
  readonly invoke: (stage: Stage, name: string, event: unknown) => Promise<unknown>;
  readonly onFault: (where: string, error: unknown) => void;
}
