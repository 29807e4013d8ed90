import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to connections (32768 on Linux, 49152 elsewhere): one of those is soon taken again by another test. */
const FROM = 15_000;
const UNTIL = 32_000;
const ATTEMPTS = 50;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** A free port of loopback, for a process that is started later, and again after a kill. */
export const portForLater = async (): Promise<number> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FROM, UNTIL);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${ATTEMPTS} ports was free`);
};
