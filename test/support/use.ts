import { afterAll } from 'vitest';

/** Starts something for the tests of a file, which ends with them: `const world = await use(startWorld('live'))`. */
export const use = async <T extends { close(): unknown }>(starting: T | Promise<T>): Promise<T> => {
  const started = await starting;
  afterAll(async () => void (await started.close()));
  return started;
};
