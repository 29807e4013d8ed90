import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { lambdaContext, type StageFunctions } from './functions.ts';
import type { Running } from './pollers.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './stages.ts';

/** A scheduled function and its interval. */
export interface ScheduleOptions {
  readonly functions: StageFunctions;
  readonly functionPath: string;
  readonly everySeconds: number;
  /** Whether there is anything to do; a run is skipped if not, or if that is unknown. */
  readonly when: () => Promise<boolean>;
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}

const TIMEOUT_MS = 60_000;

const scheduledEvent = (functionPath: string, id: string) => ({
  version: '0',
  id,
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: LOCAL_ACCOUNT,
  time: new Date().toISOString(),
  region: LOCAL_REGION,
  resources: [`arn:aws:events:${LOCAL_REGION}:${LOCAL_ACCOUNT}:rule/${functionPath}`],
  detail: {},
});

/** Invokes a scheduled function immediately and then at intervals. Runs never overlap: a long one delays the next. */
export const startSchedule = ({ functions, functionPath, everySeconds, when, onFault }: ScheduleOptions): Running => {
  const stopping = new AbortController();
  const run = async () => {
    const id = randomUUID();
    try {
      if (!(await when())) return;
      const handler = functions.loaded(functionPath) ?? (await functions.load(functionPath));
      await handler(scheduledEvent(functionPath, id), lambdaContext(functionPath, id, TIMEOUT_MS));
    } catch (error) {
      onFault(functionPath, id, error);
    }
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await run();
      await pause(everySeconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const ended = loop();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};
