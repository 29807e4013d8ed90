import * as z from 'zod';
import {
  ACCOUNT_STATUSES,
  type Account,
  type AccountStatus,
  withStatus,
} from '../../../shared/domain/access/accounts.ts';
import { ACCOUNT_ROLES, type AccountRole } from '../../../shared/domain/access/roles.ts';
import { issuedView, newSession } from '../../../shared/domain/access/sessions.ts';
import { newLink } from '../../../shared/domain/access/sign-in.ts';
import { fieldNames, operatorEntry } from '../../../shared/domain/audit/entry.ts';
import { ENVIRONMENTS, type Environment } from '../../../shared/domain/core/actor.ts';
import { definedFields } from '../../../shared/domain/core/patch.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { accountStore, readAccount } from '../../../shared/storage/access/accounts.ts';
import { sessionStore } from '../../../shared/storage/access/sessions.ts';
import { putLink } from '../../../shared/storage/access/sign-in-links.ts';
import { assertFound, defineCommand, OperatorError, orThrow } from '../command.ts';
import { env, id, organization, shortText } from '../options.ts';
import { createInStages, writeStages } from '../stage-accounts.ts';

const status = z.enum(ACCOUNT_STATUSES, `must be ${ACCOUNT_STATUSES.join(', ')}`);
const role = z.enum(ACCOUNT_ROLES, `must be ${ACCOUNT_ROLES.join(', ')}`);

const accountCreate = defineCommand({
  name: 'account create',
  summary: 'Add a person to an organization, in both environments; a repeat completes what was interrupted',
  options: z.object({
    organization,
    name: shortText('the name'),
    email: z.email('must be an e-mail address').max(254).meta({ description: 'the e-mail address' }),
    status: status.default('active').meta({ description: `${ACCOUNT_STATUSES.join(', ')} (default active)` }),
    role: role.default('owner').meta({ description: `${ACCOUNT_ROLES.join(', ')} (default owner)` }),
  }),
  run: async (target, { organization: organizationId, ...fields }) => ({
    data: { id: await createInStages(target, { organizationId, ...fields }, Date.now()) },
  }),
});

/** A change of an account in one environment. */
interface Change {
  readonly env: Environment;
  readonly before: Account;
  readonly after: Account;
}

/** The account with another status or role. An account that becomes active counts as accepted. */
const changed = (
  before: Account,
  nextStatus: AccountStatus | undefined,
  nextRole: AccountRole | undefined,
): Account => {
  const after = { ...before, ...definedFields({ role: nextRole }), version: before.version + 1 };
  const accepted = nextStatus === 'active' ? { acceptedAt: before.acceptedAt ?? Date.now() } : {};
  return nextStatus === undefined ? after : { ...withStatus(after, nextStatus), ...accepted };
};

const accountSet = defineCommand({
  name: 'account set',
  summary: "Change a person's status or role, in both environments: sessions follow within 60 seconds",
  options: z.object({
    id: id('account', 'the account (acc_…)'),
    status: status.optional().meta({ description: ACCOUNT_STATUSES.join(', ') }),
    role: role.optional().meta({ description: ACCOUNT_ROLES.join(', ') }),
  }),
  run: async ({ tables }, { id: accountId, status: nextStatus, role: nextRole }) => {
    const changes: Change[] = [];
    for (const each of ENVIRONMENTS) {
      const before = await readAccount(tables[each], accountId);
      if (before) changes.push({ env: each, before, after: changed(before, nextStatus, nextRole) });
    }
    assertFound(changes.length > 0, 'account');
    const details = { fields: fieldNames({ role: nextRole, status: nextStatus }) };
    const act = { action: 'account.changed', object: accountId, at: Date.now(), details } as const;
    const write = ({ env: each, before, after }: Change) => {
      const store = accountStore(tables[each], { byOperator: true });
      return store.change(before, after, undefined, operatorEntry(before.organizationId, act));
    };
    await writeStages(
      accountId,
      changes.map((change) => ({ env: change.env, write: () => write(change) })),
    );
    const [first] = changes;
    return { data: { id: accountId, status: first?.after.status, role: first?.after.role } };
  },
});

const sessionCreate = defineCommand({
  name: 'session create',
  summary: "Open a session of a person, for 12 hours, with the scopes of the person's role",
  options: z.object({
    account: id('account', 'the account (acc_…)'),
    env: env.default('live').meta({ description: 'live or test (default live)' }),
  }),
  run: async ({ tables }, { account: accountId, env: chosen }) => {
    const account = await readAccount(tables[chosen], accountId);
    if (!account) throw new OperatorError('There is no such account here.');
    const session = orThrow(newSession(account, chosen, Date.now()));
    const act = { action: 'session.created', object: session.session.id, at: session.session.createdAt } as const;
    const entry = operatorEntry(account.organizationId, act);
    if (!(await sessionStore(tables[chosen]).open(session, account, entry)))
      throw new OperatorError('The account changed meanwhile; try again.');
    return {
      data: issuedView(session),
      note: 'The secret is shown only now; only its SHA-256 is stored.',
    };
  },
});

const sessionLink = defineCommand({
  name: 'session link',
  summary: 'Make a link for a person to sign in to the console, where none is mailed; it works once, for 15 minutes',
  options: z.object({
    account: id('account', 'the account (acc_…)'),
    env: env.default('live').meta({ description: 'live or test (default live)' }),
  }),
  run: async ({ tables }, { account: accountId, env: chosen }) => {
    const account = await readAccount(tables[chosen], accountId);
    if (!account || account.status === 'suspended') throw new OperatorError('There is no such account here.');
    const { link, path } = newLink(account, chosen, Date.now());
    await putLink(tables[chosen], link);
    return {
      data: { path, expiresAt: isoTime(link.expiresAt) },
      note: 'Open it at the address of the service. Anyone who has the link signs in as that person.',
    };
  },
});

/** The people of organizations, and their sessions. */
export const PEOPLE_COMMANDS = [accountCreate, accountSet, sessionCreate, sessionLink];
