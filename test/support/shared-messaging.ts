import { afterAll } from 'vitest';
import { type Messaging, startMessaging, UNHURRIED } from './api.ts';
import { checkRoles } from './role-permissions.ts';

let shared: Promise<Messaging> | undefined;
/**
 * The service that the files of one process share, since each start loads all functions again. For tests that see only their own
 * organizations and set up no provider. Ends with the process, which is ended by a signal: the engine is stopped at an exit.
 */
export const sharedMessaging = (): Promise<Messaging> => {
  afterAll(checkRoles);
  if (!shared) process.once('SIGTERM', () => process.exit());
  shared ??= startMessaging({ env: UNHURRIED });
  return shared;
};
