/**
 * How long a test waits for what happens: against code that hangs, not against slow machines, where an event may take fifty times as long
 * as alone. The defaults of Vitest, one second, are too short for that.
 */
export const PATIENCE = { timeout: 45_000, interval: 50 };
