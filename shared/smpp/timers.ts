import { type Clock, systemClock } from '../domain/core/time.ts';

/** Time as a session knows it. */
export interface Timers {
  readonly now: Clock;
  /** Calls `work` once after some ms, unless the returned function is called before. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** The process's own. A timer alone keeps no process alive: the connection does. */
export const systemTimers: Timers = {
  now: systemClock,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
