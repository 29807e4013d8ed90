import type { EnginePorts } from '../../domain/journeys/engine-ports.ts';
import type { TriggerPorts } from '../../domain/journeys/triggers.ts';
import { engineWith } from '../runs/engine.ts';

/** The engine of runs. The effects of steps are loaded on first use. */
export const enginePorts: EnginePorts & TriggerPorts = engineWith(async (context, effect) =>
  (await import('./perform.ts')).perform(context, effect),
);
