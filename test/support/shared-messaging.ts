import { afterAll } from 'vitest';
import { type Messaging, startMessaging, UNHURRIED } from './api.ts';
import { checkRoles } from './role-permissions.ts';
import { isInMemoryByDefault } from './table-engine.ts';

/** By whether its table is in memory. */
const shared = new Map<boolean, Promise<Messaging>>();
/**
 * The service that the files of one process with the same kind of table share, since each start loads all functions again. For tests that see
 * only their own organizations and set up no provider. Ends with the process, which is ended by a signal: the engine is stopped at an exit.
 */
export const sharedMessaging = (): Promise<Messaging> => {
  afterAll(checkRoles);
  if (shared.size === 0) process.once('SIGTERM', () => process.exit());
  const inMemory = isInMemoryByDefault();
  const messaging = shared.get(inMemory) ?? startMessaging({ env: UNHURRIED });
  shared.set(inMemory, messaging);
  return messaging;
};
