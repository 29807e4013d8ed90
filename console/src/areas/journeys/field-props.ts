import type { Config, Step } from './graph.ts';
import type { Field } from './step-schema.ts';

/** The props of the input for a field of a step's config. */
export interface FieldProps {
  readonly field: Field;
  readonly label: string;
  readonly config: Config;
  readonly onChange: (config: Config) => void;
  /** Why the service refused it. */
  readonly error: string | undefined;
  /** The steps of the journey, of which a field may name one. */
  readonly steps: readonly Step[];
}
