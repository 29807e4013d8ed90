import * as z from 'zod';
import {
  ACCOUNT_STATUSES,
  type Account,
  newAccount,
  personHash,
  withStatus,
} from '../../../shared/domain/access/accounts.ts';
import { ACCOUNT_ROLES } from '../../../shared/domain/access/roles.ts';
import { issuedView, newSession } from '../../../shared/domain/access/sessions.ts';
import { newLink } from '../../../shared/domain/access/sign-in.ts';
import { fieldNames, operatorEntry } from '../../../shared/domain/audit/entry.ts';
import { ENVIRONMENTS } from '../../../shared/domain/core/actor.ts';
import { definedFields } from '../../../shared/domain/core/patch.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { accountStore, readAccount } from '../../../shared/storage/access/accounts.ts';
import { readOrganization } from '../../../shared/storage/access/organizations.ts';
import { sessionStore } from '../../../shared/storage/access/sessions.ts';
import { putLink } from '../../../shared/storage/access/sign-in-links.ts';
import { assertFound, defineCommand, OperatorError, orThrow } from '../command.ts';
import { env, id, organization, shortText } from '../options.ts';

const status = z.enum(ACCOUNT_STATUSES, `must be ${ACCOUNT_STATUSES.join(', ')}`);
const role = z.enum(ACCOUNT_ROLES, `must be ${ACCOUNT_ROLES.join(', ')}`);

/** The refusals of a write of the operator, which is bound by no other account. */
const REFUSALS = {
  caller_changed: 'The account changed meanwhile.',
  conflict: 'The account changed meanwhile; try again.',
  email_taken: 'Another account of the organization has this e-mail address.',
  last_owner: 'The organization would be left without an active owner.',
  limit_reached: 'The organization has reached its maximum of accounts.',
} as const;
const assertSaved = (outcome: keyof typeof REFUSALS | 'saved'): void => {
  if (outcome !== 'saved') throw new OperatorError(REFUSALS[outcome]);
};

const accountCreate = defineCommand({
  name: 'account create',
  summary: 'Add a person to an organization, in both environments',
  options: z.object({
    organization,
    name: shortText('the name'),
    email: z.email('must be an e-mail address').max(254).meta({ description: 'the e-mail address' }),
    status: status.default('active').meta({ description: `${ACCOUNT_STATUSES.join(', ')} (default active)` }),
    role: role.default('owner').meta({ description: `${ACCOUNT_ROLES.join(', ')} (default owner)` }),
  }),
  run: async ({ tables, vault }, { organization: of, ...fields }) => {
    const now = Date.now();
    const account = newAccount({ organizationId: of, ...fields, emailHash: '' }, now);
    const entry = () => operatorEntry(of, { action: 'account.created', object: account.id, at: now });
    for (const each of ENVIRONMENTS) {
      assertFound((await readOrganization(tables[each], of)) !== undefined, 'organization');
      const emailHash = personHash(await vault(each, 'people'), fields.email);
      const store = accountStore(tables[each], { byOperator: true });
      assertSaved(await store.create({ ...account, emailHash }, undefined, undefined, entry()));
    }
    return { data: { id: account.id } };
  },
});

const accountSet = defineCommand({
  name: 'account set',
  summary: "Change a person's status or role, in both environments: sessions follow within 60 seconds",
  options: z.object({
    id: id('account', 'the account (acc_…)'),
    status: status.optional().meta({ description: ACCOUNT_STATUSES.join(', ') }),
    role: role.optional().meta({ description: ACCOUNT_ROLES.join(', ') }),
  }),
  run: async ({ tables }, { id: accountId, status: nextStatus, role: nextRole }) => {
    const found: Account[] = [];
    for (const each of ENVIRONMENTS) {
      const before = await readAccount(tables[each], accountId);
      if (!before) continue;
      const changed = { ...before, ...definedFields({ role: nextRole }), version: before.version + 1 };
      const accepted = nextStatus === 'active' ? { acceptedAt: before.acceptedAt ?? Date.now() } : {};
      const after = nextStatus === undefined ? changed : { ...withStatus(changed, nextStatus), ...accepted };
      const details = { fields: fieldNames({ role: nextRole, status: nextStatus }) };
      const act = { action: 'account.changed', object: accountId, at: Date.now(), details } as const;
      const store = accountStore(tables[each], { byOperator: true });
      assertSaved(await store.change(before, after, undefined, operatorEntry(before.organizationId, act)));
      found.push(after);
    }
    assertFound(found.length > 0, 'account');
    return { data: { id: accountId, status: found[0]?.status, role: found[0]?.role } };
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
