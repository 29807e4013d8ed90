import { simulateJourney as contract } from '../../shared/contracts/journey-simulation.ts';
import { simulationView } from '../../shared/domain/journeys/run-view.ts';
import { simulateJourney } from '../../shared/domain/journeys/simulate-journey.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { simulationPorts } from '../../shared/wiring/journeys/simulate.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => simulateJourney(simulationPorts, actor, params.id, body),
  simulationView,
);
