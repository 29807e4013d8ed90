import { afterAll } from 'vitest';
import { type Messaging, startMessaging } from './api.ts';
import { checkRoles } from './role-permissions.ts';

let shared: Promise<Messaging> | undefined;
/**
 * The service that the files of one process use one after another, since each start loads all functions anew. For tests that see only
 * organizations of their own and set up no provider. Ends with the process, which is ended by a signal: the engine is stopped at an exit.
 */
export const sharedMessaging = (): Promise<Messaging> => {
  afterAll(checkRoles);
  if (!shared) process.once('SIGTERM', () => process.exit());
  shared ??= startMessaging();
  return shared;
};
