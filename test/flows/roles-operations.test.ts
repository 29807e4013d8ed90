import { describe, expect, test } from 'vitest';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { ACCOUNT_ROLES, type AccountRole, scopesOfRole } from '../../shared/domain/access/roles.ts';
import { newSession } from '../../shared/domain/access/sessions.ts';
import type { Scope } from '../../shared/domain/core/scopes.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { sessionStore } from '../../shared/storage/access/sessions.ts';
import { accepted } from '../support/accepted.ts';
import { apiClient, type Client, startMessaging } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { exampleBody, pathWith, requiredQuery } from '../support/requests.ts';
import { use } from '../support/use.ts';
import { keyed } from './support.ts';

const messaging = await use(startMessaging({ background: false }));
const tenant = await messaging.tenant();
const PRIVATE = OPERATIONS.filter(({ permission }) => permission !== 'public');

/** A session, as a browser has one, of a person with a role. */
const sessionOf = async (role: AccountRole): Promise<Client> => {
  const email = `${role}@example.com`;
  const emailHash = personHash(await messaging.vault('test', 'people'), email);
  const fields = { organizationId: tenant.id, name: 'Ana', email, emailHash, role, status: 'active' } as const;
  const account = newAccount(fields, Date.now());
  expect(await accountStore(messaging.tables.test, { byOperator: true }).create(account, undefined)).toBe('saved');
  const session = accepted(newSession(account, 'test', Date.now()));
  await sessionStore(messaging.tables.test).open(session, account);
  return apiClient(messaging.url, session.secret.text);
};
const clients = Object.fromEntries(
  await Promise.all(ACCOUNT_ROLES.map(async (role) => [role, await sessionOf(role)] as const)),
) as Record<AccountRole, Client>;

const scopeOf = ({ id, permission }: OperationContract): Scope => {
  if (permission === 'public') throw new TypeError(`${id} needs no scope.`);
  return typeof permission === 'string' ? permission : permission.session;
};

/** A call that its contract accepts, of what no organization has. */
const validCall = (client: Client, contract: OperationContract) => {
  const body = exampleBody(contract);
  const [bytes] = contract.request.stream?.contentTypes ?? [];
  const headers = {
    ...(contract.idempotency ? keyed() : {}),
    ...(body === undefined && bytes !== undefined ? { 'content-type': bytes } : {}),
  };
  const query = requiredQuery(contract);
  return client.call(contract.method, pathWith(contract, 'absent'), {
    headers,
    query,
    ...(body === undefined ? {} : { body }),
  });
};
/** A call that is refused by its input or its path, wherever its caller is let in. */
const invalidCall = (client: Client, contract: OperationContract) =>
  client.call(contract.method, pathWith(contract, 'absent'), { headers: keyed(), query: { notAParameter: '1' } });

/** Every row of the organization. */
const rows = () => messaging.rowsOf('test', tenant.id);

describe.each(ACCOUNT_ROLES)('a session of the role %s', (role) => {
  const held = scopesOfRole(role);
  const denied = PRIVATE.filter((contract) => !held.has(scopeOf(contract)));
  const allowed = PRIVATE.filter((contract) => held.has(scopeOf(contract)));

  test('is refused each operation whose scope the role lacks, with the scope that it lacks, and changes nothing', async () => {
    const before = await rows();
    for (const contract of denied) {
      const answer = await validCall(clients[role], contract);
      expect([contract.id, answer.status]).toEqual([contract.id, 403]);
      expectProblem(answer, 403);
      expect(answer.body.detail, contract.id).toContain(scopeOf(contract));
    }
    expect(await rows()).toEqual(before);
  }, 180_000);

  test('is let in by each operation whose scope the role holds, and by its input alone refused', async () => {
    const before = await rows();
    for (const contract of allowed) {
      const answer = await invalidCall(clients[role], contract);
      expect([contract.id, [401, 403].includes(answer.status)]).toEqual([contract.id, false]);
      expect(answer.status, contract.id).toBeGreaterThanOrEqual(400);
    }
    expect(await rows()).toEqual(before);
  }, 180_000);
});

test('the roles together are let in by every operation, and the operator by none of an organization but its own sessions and people', () => {
  for (const contract of PRIVATE)
    expect(
      ACCOUNT_ROLES.some((role) => scopesOfRole(role).has(scopeOf(contract))),
      contract.id,
    ).toBe(true);
  const own = PRIVATE.filter((contract) => scopesOfRole('operator').has(scopeOf(contract))).map(({ id }) => id);
  expect(own.filter((id) => !id.startsWith('operator.') && !/^(?:accounts|sessions)\./.test(id))).toEqual([]);
});
