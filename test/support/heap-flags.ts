/**
 * The flags by which this process has a large young generation (vitest.config.ts), for processes of Node that it spawns: these take less
 * processor time, too, and read what Node compiled for this one, which it keeps apart by flags. `fork` passes them on by itself.
 */
export const HEAP_FLAGS: readonly string[] = process.execArgv.filter((flag) => flag.includes('-semi-space-size='));
