import type { SignInPorts } from '../../domain/access/sign-in.ts';
import { sessionStore } from '../../storage/access/sessions.ts';
import { signInStore } from '../../storage/access/sign-in.ts';
import { clock, settings, table } from '../process/aws.ts';
import { peoplePorts } from './people.ts';

/** What opens and ends sessions: apart from what reads people or mails them, since it writes credentials. */
export const signInPorts: SignInPorts = {
  env: settings.STAGE,
  clock,
  accounts: peoplePorts.accounts,
  store: signInStore(table),
};

export const sessionPorts = { clock, accounts: peoplePorts.accounts, sessions: sessionStore(table) };
