import { type Clock, systemClock } from '../domain/core/time.ts';

/** The clock and timers of a session. */
export interface Timers {
  readonly now: Clock;
  /** Calls `work` once after some ms, unless the returned function is called before. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** The process's timers. They do not keep the process alive: the connection does. */
export const systemTimers: Timers = {
  now: systemClock,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
