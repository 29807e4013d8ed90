import { enterJourney as contract } from '../../shared/contracts/journey-runs.ts';
import { enterByHand } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { entriesPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  enterByHand(entriesPorts, actor, params.id, body),
);
