import type { Stage } from './stages.ts';

/** What connections need of the stages: a call of one of the functions of `functions/smpp-service`. */
export interface SmppStages {
  readonly invoke: (stage: Stage, name: string, event: unknown) => Promise<unknown>;
  readonly onFault: (where: string, error: unknown) => void;
}
