import { changeJourney as contract } from '../../shared/contracts/journeys.ts';
import { changeJourney } from '../../shared/domain/journeys/define.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { definedJourneyView, journeyPorts } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeJourney(journeyPorts, actor, params.id, body),
  async (defined) => respond(defined.isNew ? 201 : 200, await definedJourneyView(defined)),
);
