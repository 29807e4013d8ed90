import { listJourneys as contract } from '../../shared/contracts/journeys.ts';
import { journeyRowView } from '../../shared/domain/journeys/journey-view.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyFacts } from '../../shared/wiring/journeys/journeys.ts';
import { journeys } from '../../shared/wiring/runs/store.ts';

export const handler = operation(
  contract,
  ({ actor }) => journeys.all(actor.organizationId),
  async (found) => {
    const facts = await journeyFacts(found);
    return { items: found.map((journey) => journeyRowView(journey, facts)) };
  },
);
