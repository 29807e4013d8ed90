import { getJourneyRun as contract } from '../../shared/contracts/journey-runs.ts';
import { getRun } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { historyRequest } from '../../shared/wiring/journeys/history.ts';
import { runsPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, async ({ actor, params, query }) =>
  getRun(runsPorts, actor, params.id, params.runId, await historyRequest(actor, params, query)),
);
