import { readJourneyMetrics as contract } from '../../shared/contracts/journey-runs.ts';
import { journeyMetrics } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { metricsPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, ({ actor, params }) => journeyMetrics(metricsPorts, actor, params.id));
