import { logger, measure } from './observe.ts';

/** Tells the operator of a job that is given up, in the log and by the alarm of work that is set aside. */
export const noteGivenUp = (job: string, detail: string): void => {
  measure({}, { WorkSetAside: 1 });
  logger.error('job given up', { job, detail });
};
