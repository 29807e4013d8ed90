import { createOrganization } from '../../infra/provisioning/organizations.ts';
import {
  type Account,
  type AccountStatus,
  type LinkRequest,
  newAccount,
  personHash,
} from '../../shared/domain/access/accounts.ts';
import type { PeoplePorts } from '../../shared/domain/access/people.ts';
import type { RenewPorts } from '../../shared/domain/access/renew-session.ts';
import { type AccountRole, scopesOfRole } from '../../shared/domain/access/roles.ts';
import type { SessionStore } from '../../shared/domain/access/sessions.ts';
import type { LinkPorts, SignInPorts } from '../../shared/domain/access/sign-in.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { sessionStore } from '../../shared/storage/access/sessions.ts';
import { signInStore } from '../../shared/storage/access/sign-in.ts';
import { startAccess } from './access.ts';

/** The rules of people and of signing in, over the test stage's table: the clock and the mailbox are the test's. */
export const startPeople = async () => {
  const stages = await startAccess();
  const table = stages.tables.test;
  const vault = createVault(new Uint8Array(32).fill(7));
  const mails: { readonly to: string; readonly text: string; readonly token: string }[] = [];
  const enqueued: LinkRequest[] = [];
  const state = {
    now: Date.parse('2026-03-02T12:00:00.000Z'),
    mailFails: false,
    mayMail: true,
    /** The IP address that made too many requests. */
    limitedIp: '',
  };
  const ports: PeoplePorts & LinkPorts & SignInPorts & RenewPorts & { readonly sessions: SessionStore } = {
    env: 'test',
    clock: () => state.now,
    accounts: accountStore(table),
    store: signInStore(table),
    sessions: sessionStore(table),
    emailHash: async (email) => personHash(vault, email),
    limitInvitations: async () => undefined,
    mayMail: async () => state.mayMail,
    limitAddress: async (ip) => (ip === state.limitedIp ? refuse('RATE_LIMITED', 'Too many requests.') : undefined),
    enqueueLink: (request) => enqueued.push(request),
    organizationName: async () => 'Loja Azul',
    publicUrl: 'https://api.example.com',
    sendMail: async (to, { text }) => {
      if (state.mailFails) throw new Error('the provider is down');
      mails.push({ to, text, token: /#(\S+)/.exec(text)?.[1] ?? '' });
      return 'sent';
    },
  };

  const organization = async () => (await createOrganization(stages.tables, { name: 'Loja Azul' })).organizationId;
  let people = 0;
  /** A person of an organization, as the operator makes it. */
  const person = async (
    organizationId: Id<'organization'>,
    role: AccountRole,
    { status = 'active', email = `person-${++people}@example.com` }: { status?: AccountStatus; email?: string } = {},
  ): Promise<Account> => {
    const fields = { organizationId, name: 'Ana', email, emailHash: personHash(vault, email), role, status };
    const account = newAccount(fields, state.now);
    const outcome = await accountStore(table, { byOperator: true }).create(account, undefined);
    if (outcome !== 'saved') throw new Error(outcome);
    return account;
  };
  /** The caller that a person is in a session. */
  const sessionOf = ({ id: accountId, organizationId, role }: Account): Actor => ({
    organizationId,
    env: 'test',
    credentialId: newId('session'),
    kind: 'session',
    accountId,
    scopes: scopesOfRole(role),
  });
  const current = async ({ id }: Account): Promise<Account> => {
    const found = await ports.accounts.read(id);
    if (!found) throw new Error('The account is gone.');
    return found;
  };
  return { ...stages, table, ports, state, mails, enqueued, organization, person, sessionOf, current };
};
