import { getJourney as contract } from '../../shared/contracts/journeys.ts';
import { findJourney } from '../../shared/domain/journeys/find.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyPorts, wholeJourneyView } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findJourney(journeyPorts, actor, params.id),
  wholeJourneyView,
);
