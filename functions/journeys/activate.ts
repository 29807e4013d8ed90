import { activateJourney as contract } from '../../shared/contracts/journeys.ts';
import { activateJourney } from '../../shared/domain/journeys/activate.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyPorts, wholeJourneyView } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => activateJourney(journeyPorts, actor, params.id, body.incluirAtuais),
  wholeJourneyView,
);
