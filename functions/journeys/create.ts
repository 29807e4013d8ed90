import { createJourney as contract } from '../../shared/contracts/journeys.ts';
import { createJourney } from '../../shared/domain/journeys/define.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { definedJourneyView, journeyPorts } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createJourney(journeyPorts, actor, body),
  definedJourneyView,
);
