import { type LinkRequest, personHash } from '../../domain/access/accounts.ts';
import type { CallerPorts } from '../../domain/access/current-caller.ts';
import type { PeoplePorts } from '../../domain/access/people.ts';
import type { Limit } from '../../domain/access/rate-limits.ts';
import { accountStore } from '../../storage/access/accounts.ts';
import { credentialReader } from '../../storage/access/credentials.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { clock, publishWork, settings, table, vaults } from '../process/aws.ts';
import { drawOf } from './rates.ts';

/** Invitations per organization, since each mails a stranger. */
const INVITATIONS: Limit = {
  name: 'invitation',
  perMinute: 2,
  burst: 60,
  detail: 'The organization invites too many people at once.',
};

export const emailHash = async (email: string): Promise<string> => personHash(await vaults.people(), email);

export const enqueueLink = ({ id }: LinkRequest): void =>
  publishWork([{ kind: 'mail_sign_in', ...KEYS.linkRequest(id), owner: 'stage' }]);

export const callerPorts: CallerPorts = { env: settings.STAGE, clock, credentials: credentialReader(table) };

export const peoplePorts: PeoplePorts = {
  env: settings.STAGE,
  clock,
  accounts: accountStore(table),
  emailHash,
  limitInvitations: (organizationId) => drawOf(organizationId, INVITATIONS),
  enqueueLink,
};
