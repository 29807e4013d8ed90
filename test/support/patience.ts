import type { ConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';

/**
 * How long a test waits for what happens: against code that hangs, not against slow machines, where an event may take fifty times as long
 * as alone. The defaults of Vitest, one second, are too short for that.
 */
export const PATIENCE = { timeout: 45_000, interval: 50 };

/** Waits for the transactions of others as an invocation does: its 16 s are a minute here, in which a loaded machine makes as many tries. */
export const waitAsInvocation: ConflictPatience = (startedAt) => startedAt + 60_000 - performance.now();
