import { archiveJourney as contract } from '../../shared/contracts/journeys.ts';
import { archiveJourney } from '../../shared/domain/journeys/states.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyPorts, wholeJourneyView } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => archiveJourney(journeyPorts, actor, params.id),
  wholeJourneyView,
);
