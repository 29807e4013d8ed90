import { cancelJourneyRun as contract } from '../../shared/contracts/journey-runs.ts';
import { cancelRun } from '../../shared/domain/journeys/runs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { enginePorts } from '../../shared/wiring/journeys/engine.ts';
import { historyRequest } from '../../shared/wiring/journeys/history.ts';
import { runsPorts } from '../../shared/wiring/journeys/runs.ts';

export const handler = operation(contract, async ({ actor, params }) =>
  cancelRun({ ...runsPorts, engine: enginePorts }, actor, params.id, params.runId, await historyRequest(actor, params)),
);
