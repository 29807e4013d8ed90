import { countsOfSteps } from '../../domain/journeys/counting.ts';
import type { EntryPorts } from '../../domain/journeys/enter.ts';
import type { journeyMetrics, RunsPorts } from '../../domain/journeys/runs.ts';
import { readJourneyCounts } from '../../storage/automation/counters.ts';
import { historyPage } from '../../storage/journeys/history-page.ts';
import { readRunCounts } from '../../storage/journeys/run-counts.ts';
import { runPage } from '../../storage/journeys/run-page.ts';
import { clock, table } from '../process/aws.ts';
import { entryPorts } from '../runs/engine.ts';
import { journeys } from '../runs/store.ts';

export const runsPorts: RunsPorts = {
  clock,
  runs: entryPorts.runs,
  journeys,
  page: runPage(table),
  historyPage: historyPage(table),
};

/** Ports for entering contacts manually. */
export const entriesPorts: EntryPorts & Pick<RunsPorts, 'journeys'> = {
  ...entryPorts,
  journeys: { ...entryPorts.journeys, read: journeys.read },
};

export const metricsPorts: Parameters<typeof journeyMetrics>[0] = {
  journeys,
  totals: async ({ id: journeyId, organizationId }) => {
    const [runs, steps] = await Promise.all([
      readRunCounts(table, { organizationId, journeyId }),
      readJourneyCounts(table, journeyId),
    ]);
    return { runs, steps: countsOfSteps(steps) };
  },
};
