import { afterAll } from 'vitest';

/** Starts something that the tests of a file use, and closes it after them: `const world = await use(startWorld('live'))`. */
export const use = async <T extends { close(): unknown }>(starting: T | Promise<T>): Promise<T> => {
  const started = await starting;
  afterAll(async () => void (await started.close()));
  return started;
};
