import * as z from 'zod';
import { revokeKey } from '../../../shared/domain/access/change-key.ts';
import { keyView } from '../../../shared/domain/access/key-views.ts';
import { createKey, KEY_SCOPES } from '../../../shared/domain/access/keys.ts';
import { listOwnKeys } from '../../../shared/domain/access/own-keys.ts';
import { DEFAULT_SENDS_PER_MINUTE, MAX_SENDS_PER_MINUTE } from '../../../shared/domain/access/rate-limits.ts';
import { operatorEntry } from '../../../shared/domain/audit/entry.ts';
import { ENVIRONMENTS } from '../../../shared/domain/core/actor.ts';
import { mailboxError, parseMailbox } from '../../../shared/domain/core/email-address.ts';
import { isoTime } from '../../../shared/domain/core/time.ts';
import { keyStore } from '../../../shared/storage/access/keys.ts';
import { setOrganization } from '../../../shared/storage/access/organization-settings.ts';
import { listOrganizations } from '../../../shared/storage/access/organizations.ts';
import { createOrganization, operatorOf } from '../../provisioning/organizations.ts';
import { assertFound, defineCommand, OperatorError, orThrow } from '../command.ts';
import {
  env,
  environmentsOf,
  flag,
  id,
  nameList,
  optionalEnv,
  organization,
  shortText,
  timestamp,
  wholeNumber,
} from '../options.ts';
import { assign } from './senders.ts';

const SHOWN_ONCE = 'The secret is shown only now; only its SHA-256 is stored.';

const organizationCreate = defineCommand({
  name: 'organization create',
  summary: 'Create an organization in both environments, with a key of all scopes in each',
  options: z.object({ name: shortText('its name') }),
  run: async ({ tables, createRootKeys }, { name }) => {
    // A read-only role could not create them, and before the first organization exists there is no key to call with.
    for (const each of ENVIRONMENTS) await createRootKeys(each);
    return {
      data: { ...(await createOrganization(tables, { name })) },
      note: 'The keys are shown only now; only their SHA-256 is stored.',
    };
  },
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
  summary: "Set an organization's limits of sends, or its default e-mail sender",
  options: z.object({
    organization,
    smsPerSecond: wholeNumber(0, 'maximum SMS per second; 0 removes the limit').optional(),
    sendsPerMinute: wholeNumber(0, 'maximum single sends a minute of all its keys; 0 returns to the default')
      .pipe(z.int().max(MAX_SENDS_PER_MINUTE, `must be at most ${MAX_SENDS_PER_MINUTE}`))
      .optional(),
    emailFrom: shortText('`address` or `Name <address>`; the address is assigned as a sender').optional(),
    env: optionalEnv,
  }),
  run: async ({ tables }, { organization: of, smsPerSecond, sendsPerMinute, emailFrom, env: chosen }) => {
    const mailbox = emailFrom === undefined ? undefined : parseMailbox(emailFrom);
    if (emailFrom !== undefined && !mailbox) throw new OperatorError(`email-from ${mailboxError(emailFrom)}`);
    const act = { action: 'organization.changed', object: of } as const;
    const entryOf = (field: string) => operatorEntry(of, { ...act, at: Date.now(), details: { fields: [field] } });
    const environments = environmentsOf(chosen);
    // Before anything is stored: the address must be the organization's own in each environment.
    if (mailbox !== undefined)
      for (const each of environments)
        await assign(tables, { organization: of, env: each, channel: 'email', value: mailbox.address });
    for (const each of environments) {
      const table = tables[each];
      for (const [name, limit] of Object.entries({ smsPerSecond, sendsPerMinute })) {
        if (limit === undefined) continue;
        const field = name as 'smsPerSecond' | 'sendsPerMinute';
        assertFound(await setOrganization(table, of, field, limit || undefined, entryOf(field)), 'organization');
      }
      if (mailbox !== undefined)
        assertFound(await setOrganization(table, of, 'emailFrom', emailFrom, entryOf('emailFrom')), 'organization');
    }
    return {
      data: {
        id: of,
        environments,
        ...(smsPerSecond === undefined ? {} : { smsPerSecond: smsPerSecond || null }),
        ...(sendsPerMinute === undefined ? {} : { sendsPerMinute: sendsPerMinute || DEFAULT_SENDS_PER_MINUTE }),
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
      environmentsOf(chosen).map((each) =>
        listOwnKeys({ store: keyStore(tables[each]) }, { organizationId: of }, { limit, skip: 0 }),
      ),
    );
    return { data: { items: pages.flatMap(({ items }) => items.map((key) => keyView(key, Date.now()))) } };
  },
});

const keyRevoke = defineCommand({
  name: 'key revoke',
  summary: 'Revoke an API key and the keys that it created: refused within 60 seconds',
  options: z.object({
    id: id('apiKey', 'the key (key_…)'),
    onlyThis: flag('keep the keys that it created'),
  }),
  run: async ({ tables }, { id: keyId, onlyThis = false }) => {
    for (const each of ENVIRONMENTS) {
      const store = keyStore(tables[each]);
      const key = await store.read(keyId);
      if (!key) continue;
      const { revokedAt = Date.now() } = orThrow(
        await revokeKey(store, operatorOf(key.organizationId, each), { id: keyId, onlyThis }, Date.now()),
      );
      return { data: { id: keyId, env: each, revokedAt: isoTime(revokedAt) } };
    }
    throw new OperatorError('There is no such key here.');
  },
});

/** Organizations and keys. */
export const ACCESS_COMMANDS = [organizationCreate, organizationList, organizationSet, keyCreate, keyList, keyRevoke];
