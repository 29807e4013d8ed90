import { listJourneyRuns as contract } from '../../shared/contracts/journey-runs.ts';
import { listRuns } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { runsPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, async ({ actor, params, query }) => {
  const request = await cursorRequest(contract, actor, { ...query, journeyId: params.id });
  return listRuns(runsPorts, actor, params.id, query, request);
});
