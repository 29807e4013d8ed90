import * as z from 'zod';
import { ACCOUNT_STATUSES, newAccount } from '../../../shared/domain/access/accounts.ts';
import { createKey, KEY_SCOPES, keyView, revokeKey } from '../../../shared/domain/access/keys.ts';
import { newSession } from '../../../shared/domain/access/sessions.ts';
import { ENVIRONMENTS } from '../../../shared/domain/core/actor.ts';
import { mailboxError, parseMailbox } from '../../../shared/domain/core/email-address.ts';
import { isRefusal, type Refusal } from '../../../shared/domain/core/errors.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { putAccount, readAccount, setAccountStatus } from '../../../shared/storage/access/accounts.ts';
import { putSession } from '../../../shared/storage/access/credentials.ts';
import { keyStore } from '../../../shared/storage/access/keys.ts';
import { setOrganization } from '../../../shared/storage/access/organization-settings.ts';
import { listOrganizations } from '../../../shared/storage/access/organizations.ts';
import { createOrganization, operatorOf } from '../../provisioning/organizations.ts';
import { defineCommand, OperatorError } from '../command.ts';
import { env, environmentsOf, id, nameList, optionalEnv, shortText, timestamp, wholeNumber } from '../options.ts';
import { assign } from './senders.ts';

const organization = id('organization', 'the organization (org_…)');
const SHOWN_ONCE = 'The secret is shown only now; only its SHA-256 is stored.';

const orThrow = <T>(outcome: T | Refusal): T => {
  if (!isRefusal(outcome)) return outcome;
  const errors = outcome.details.errors?.map(({ path, message }) => ` ${path} ${message}.`).join('') ?? '';
  throw new OperatorError(`${outcome.details.detail}${errors}`);
};
const assertFound = (exists: boolean, what: string): void => {
  if (!exists) throw new OperatorError(`There is no such ${what} here.`);
};

const organizationCreate = defineCommand({
  name: 'organization create',
  summary: 'Create an organization in both environments, with a key of all scopes in each',
  options: z.object({ name: shortText('its name') }),
  run: async ({ tables }, { name }) => ({
    data: { ...(await createOrganization(tables, { name })) },
    note: 'The keys are shown only now; only their SHA-256 is stored.',
  }),
});

const organizationList = defineCommand({
  name: 'organization list',
  summary: 'List organizations, newest first',
  options: z.object({ limit: wholeNumber(1, 'maximum number (default 100)').default(100) }),
  run: async ({ tables }, { limit }) => {
    const organizations = await listOrganizations(tables.live, { limit, skip: 0 });
    return {
      data: { items: organizations.map(({ createdAt, ...rest }) => ({ ...rest, createdAt: isoTime(createdAt) })) },
    };
  },
});

const organizationSet = defineCommand({
  name: 'organization set',
  summary: "Set an organization's limit of SMS per second, or its default e-mail sender",
  options: z.object({
    organization,
    smsPerSecond: wholeNumber(0, 'maximum SMS per second; 0 removes the limit').optional(),
    emailFrom: shortText('`address` or `Name <address>`; the address is assigned as a sender').optional(),
    env: optionalEnv,
  }),
  run: async ({ tables }, { organization: of, smsPerSecond, emailFrom, env: chosen }) => {
    const mailbox = emailFrom === undefined ? undefined : parseMailbox(emailFrom);
    if (emailFrom !== undefined && !mailbox) throw new OperatorError(`email-from ${mailboxError(emailFrom)}`);
    const ceiling = smsPerSecond === 0 ? undefined : smsPerSecond;
    for (const each of environmentsOf(chosen)) {
      const table = tables[each];
      if (smsPerSecond !== undefined)
        assertFound(await setOrganization(table, of, 'smsPerSecond', ceiling), 'organization');
      if (mailbox !== undefined) {
        assertFound(await setOrganization(table, of, 'emailFrom', emailFrom), 'organization');
        await assign(tables, { organization: of, env: each, channel: 'email', value: mailbox.address });
      }
    }
    return {
      data: {
        id: of,
        environments: environmentsOf(chosen),
        ...(smsPerSecond === undefined ? {} : { smsPerSecond: ceiling ?? null }),
        ...(emailFrom === undefined ? {} : { emailFrom }),
      },
    };
  },
});

const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key',
  options: z.object({
    organization,
    env,
    scopes: nameList('scopes separated by commas, or all'),
    name: shortText('a name for it').default("Operator's key"),
    expiresAt: timestamp('when it expires (ISO 8601)').optional(),
  }),
  run: async ({ tables }, { organization: of, env: chosen, scopes, name, expiresAt }) => {
    const request = {
      name,
      scopes: scopes.join() === 'all' ? KEY_SCOPES : scopes,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const { key, secret } = orThrow(
      await createKey(keyStore(tables[chosen]), operatorOf(of, chosen), request, Date.now()),
    );
    return { data: { id: key.id, key: secret.text }, note: SHOWN_ONCE };
  },
});

const keyList = defineCommand({
  name: 'key list',
  summary: "List an organization's API keys, newest first",
  options: z.object({
    organization,
    env: optionalEnv,
    limit: wholeNumber(1, 'maximum number per environment (default 100)').default(100),
  }),
  run: async ({ tables }, { organization: of, env: chosen, limit }) => {
    const pages = await Promise.all(
      environmentsOf(chosen).map((each) => keyStore(tables[each]).list(of, { limit, skip: 0 })),
    );
    return { data: { items: pages.flatMap(({ items }) => items.map((key) => keyView(key, Date.now()))) } };
  },
});

const keyRevoke = defineCommand({
  name: 'key revoke',
  summary: 'Revoke an API key: refused within 60 seconds',
  options: z.object({ id: id('apiKey', 'the key (key_…)') }),
  run: async ({ tables }, { id: keyId }) => {
    for (const each of ENVIRONMENTS) {
      const store = keyStore(tables[each]);
      const key = await store.read(keyId);
      if (!key) continue;
      const { revokedAt = Date.now() } = orThrow(
        await revokeKey(store, operatorOf(key.organizationId, each), keyId, Date.now()),
      );
      return { data: { id: keyId, env: each, revokedAt: isoTime(revokedAt) } };
    }
    throw new OperatorError('There is no such key here.');
  },
});

const accountCreate = defineCommand({
  name: 'account create',
  summary: 'Add a person to an organization, in both environments',
  options: z.object({
    organization,
    name: shortText('the name'),
    email: z.email('must be an e-mail address').max(254).meta({ description: 'the e-mail address' }),
    status: z
      .enum(ACCOUNT_STATUSES, `must be ${ACCOUNT_STATUSES.join(', ')}`)
      .default('active')
      .meta({ description: `${ACCOUNT_STATUSES.join(', ')} (default active)` }),
  }),
  run: async ({ tables }, { organization: of, ...fields }) => {
    const account = newAccount({ organizationId: of, ...fields }, Date.now());
    for (const each of ENVIRONMENTS) assertFound(await putAccount(tables[each], account), 'organization');
    return { data: { id: account.id } };
  },
});

const accountSet = defineCommand({
  name: 'account set',
  summary: "Change a person's status: sessions are refused within 60 seconds unless it is active",
  options: z.object({
    id: id('account', 'the account (acc_…)'),
    status: z
      .enum(ACCOUNT_STATUSES, `must be ${ACCOUNT_STATUSES.join(', ')}`)
      .meta({ description: ACCOUNT_STATUSES.join(', ') }),
  }),
  run: async ({ tables }, { id: accountId, status }) => {
    for (const each of ENVIRONMENTS) assertFound(await setAccountStatus(tables[each], accountId, status), 'account');
    return { data: { id: accountId, status } };
  },
});

const sessionCreate = defineCommand({
  name: 'session create',
  summary: 'Open a session of a person, for 12 hours, with every scope',
  options: z.object({
    account: id('account', 'the account (acc_…)'),
    env: env.default('live').meta({ description: 'live or test (default live)' }),
  }),
  run: async ({ tables }, { account: accountId, env: chosen }) => {
    const account = await readAccount(tables[chosen], accountId);
    if (!account) throw new OperatorError('There is no such account here.');
    const { credential, secret } = orThrow(newSession(account, chosen, Date.now()));
    await putSession(tables[chosen], secret.hash, credential);
    return { data: { token: secret.text, expiresAt: isoTime(credential.expiresAt) }, note: SHOWN_ONCE };
  },
});

/** Organizations, keys, accounts and sessions. */
export const ACCESS_COMMANDS = [
  organizationCreate,
  organizationList,
  organizationSet,
  keyCreate,
  keyList,
  keyRevoke,
  accountCreate,
  accountSet,
  sessionCreate,
];
