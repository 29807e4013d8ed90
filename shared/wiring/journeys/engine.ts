import type { EnginePorts } from '../../domain/journeys/engine-ports.ts';
import type { TriggerPorts } from '../../domain/journeys/triggers.ts';
import { engineWith } from '../runs/engine.ts';

/** What moves runs. What their steps do is loaded by the first one that does something. */
export const enginePorts: EnginePorts & TriggerPorts = engineWith(async (context, effect) =>
  (await import('./perform.ts')).perform(context, effect),
);
