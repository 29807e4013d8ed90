import { logger, measure } from './observe.ts';

/** Alerts the operator to a failed job, in the log and by the alarm of set-aside work. */
export const alertFailedJob = (job: string, detail: string): void => {
  measure({}, { WorkSetAside: 1 });
  logger.error('job given up', { job, detail });
};
