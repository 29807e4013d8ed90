import { getJourneyRun as contract } from '../../shared/contracts/journey-runs.ts';
import { getRun } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { runsPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, ({ actor, params }) => getRun(runsPorts, actor, params.id, params.runId));
