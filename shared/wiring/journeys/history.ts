import { getJourneyRun, HISTORY_PAGE } from '../../contracts/journey-runs.ts';
import type { Actor } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import { cursorRequest } from '../access/cursor-lists.ts';

/** The requested page of a run's history; cursors from any response with a history are valid for reading the run. */
export const historyRequest = (
  actor: Actor,
  { id: journeyId, runId }: { readonly id: Id<'journey'>; readonly runId: Id<'run'> },
  page: { readonly limit: number; readonly cursor?: string | undefined } = { limit: HISTORY_PAGE },
) => cursorRequest(getJourneyRun, actor, { ...page, journeyId, runId });
