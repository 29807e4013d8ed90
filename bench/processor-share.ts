import { cpus } from 'node:os';

/** Processor time of the machine so far, in ms. */
const processorTime = () => {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
};

/** Runs something, and measures the share of the machine's processor time that was used meanwhile, from 0 to 1, its own and that of others. */
export const withBusyShare = async <T extends object>(
  run: () => Promise<T>,
): Promise<T & { readonly busy: number }> => {
  const before = processorTime();
  const result = await run();
  const after = processorTime();
  return { ...result, busy: 1 - (after.idle - before.idle) / (after.all - before.all) };
};
