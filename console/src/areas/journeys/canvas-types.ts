import type { Graph, Outcome, Step } from './graph.ts';

/** How a step is marked: passed by a run, or where it stands. */
export type Mark = 'done' | 'now';

export interface CanvasProps {
  readonly graph: Graph;
  readonly selected?: string | undefined;
  readonly onSelect?: (key: string) => void;
  /** Absent: the drawing is read-only. */
  readonly edit?: {
    readonly connect: (key: string, outcome: Outcome, target: string | undefined) => void;
    readonly remove: (key: string) => void;
  };
  /** Shown below a step, such as its figures. */
  readonly noteOf?: ((step: Step) => string | undefined) | undefined;
  readonly faultsOf?: (key: string) => number;
  readonly marks?: ReadonlyMap<string, Mark>;
}
