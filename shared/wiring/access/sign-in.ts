import type { RenewPorts } from '../../domain/access/renew-session.ts';
import type { EnteringPorts } from '../../domain/access/sessions.ts';
import type { SignInPorts } from '../../domain/access/sign-in.ts';
import { readOrganization } from '../../storage/access/organizations.ts';
import { sessionStore } from '../../storage/access/sessions.ts';
import { signInStore } from '../../storage/access/sign-in.ts';
import { clock, settings, table } from '../process/aws.ts';
import { peoplePorts } from './people.ts';

const organizationName: EnteringPorts['organizationName'] = async (id) => (await readOrganization(table, id))?.name;

/** Opens and ends sessions: separate from reading or mailing people, since it writes credentials. */
export const signInPorts: SignInPorts = {
  env: settings.STAGE,
  clock,
  accounts: peoplePorts.accounts,
  store: signInStore(table),
  organizationName,
};

export const sessionPorts = { clock, accounts: peoplePorts.accounts, sessions: sessionStore(table) };

/** Renews a browser's session by its cookie. */
export const renewPorts: RenewPorts = { ...sessionPorts, env: settings.STAGE, organizationName };
