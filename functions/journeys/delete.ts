import { deleteJourney as contract } from '../../shared/contracts/journeys.ts';
import { deleteJourney } from '../../shared/domain/journeys/define.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyPorts } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(contract, ({ actor, params }) => deleteJourney(journeyPorts, actor, params.id));
