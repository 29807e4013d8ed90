import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import { type Scope, WIDER_SCOPE } from '../../shared/domain/core/scopes.ts';
import { type Answer, apiClient, type Client, startMessaging } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { exampleBody, pathNames, pathWith, queryNames, requiredQuery, scopeOf } from '../support/requests.ts';
import { use } from '../support/use.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import { wireClient } from '../support/wire.ts';
import { keyed, lastServedAt } from './support.ts';
import { becomesQuiet, makeThings } from './tenancy-objects.ts';
import { kindOf, pathIds } from './tenancy-paths.ts';

/** Rows that change in the background: messages, events, batches and the ledger. */
const CHANGING = ['MSG#', 'EVT#', 'BATCH#', 'WALLET#', 'PSH#', 'PDSP#', 'DEST#', 'METRICS#'];
const PRIVATE = OPERATIONS.filter(({ permission }) => permission !== 'public');
/** The operations for keys; sessions are tested in people.test.ts. */
const FOR_KEYS = PRIVATE.filter(({ permission }) => typeof permission === 'string');
const ADDRESSED = FOR_KEYS.filter((contract) => pathNames(contract).length > 0);
const LISTS = FOR_KEYS.filter((contract) => contract.method === 'GET' && pathNames(contract).length === 0);
const PAGED = LISTS.filter((contract) => queryNames(contract).includes('cursor'));

const messaging = await use(startMessaging());
const [owner, stranger] = await Promise.all([messaging.tenant(), messaging.tenant()]);
const things = await makeThings(messaging, owner);
const ending = await owner.test.post('/v2/api-keys', { name: 'Ends', scopes: ['sms:read'] });
const revoked = apiClient(messaging.url, ending.body.key);
expect((await revoked.get('/v2/sms/messages')).status).toBe(200);
await owner.test.call('DELETE', `/v2/api-keys/${ending.body.id}`);
const revokedAt = Date.now();

/** The ids in a path: by parameter, or the same for all. */
type PathIds = string | Readonly<Record<string, string>>;

/** A valid call of an operation, with these ids in its path. */
const callWith = (client: Client, contract: OperationContract, ids: PathIds): Promise<Answer> => {
  const body = exampleBody(contract);
  const [bytes] = contract.request.stream?.contentTypes ?? [];
  const headers = {
    ...(contract.idempotency ? keyed() : {}),
    ...(body === undefined && bytes !== undefined ? { 'content-type': bytes } : {}),
  };
  return client.call(contract.method, pathWith(contract, ids), { headers, ...(body === undefined ? {} : { body }) });
};
/** A response without what differs in every call. */
const comparable = ({ status, headers, body }: Answer) => {
  const { instance: _, requestId: __, ...rest } = body ?? {};
  const stable = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, headers: stable, body: rest };
};
const absentOf = (id: string) => `${id.slice(0, 4)}${'0'.repeat(21)}`;

/** The ids of the owner's object in an operation's path, and those of one that does not exist. */
const pathIdsOf = (contract: OperationContract): { theirs: PathIds; absent: PathIds } => {
  const theirs = pathIds(contract, (kind) => things[kind]);
  const absent = pathIds(contract, (kind) => absentOf(things[kind]));
  if (theirs === undefined || absent === undefined) throw new Error(`KIND_OF_PATH lacks ${contract.path}.`);
  return { theirs, absent };
};

/** The owner's rows that change by calls alone. */
const settledRows = async () =>
  (await messaging.rowsOf('test', owner.id)).filter((row) => !CHANGING.some((kind) => row.pk.startsWith(kind)));
// A background change of other rows would be attributed to the other organization.
await becomesQuiet(messaging, owner, CHANGING);

describe.each(ADDRESSED.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  // Read once between two calls: what the one left is what the next one found.
  let before: Awaited<ReturnType<typeof settledRows>>;
  beforeAll(async () => {
    before = await settledRows();
  });

  test.each([
    ["another organization's key", () => stranger.test],
    ['the key of the other environment', () => owner.live],
    ["another organization's key of the other environment", () => stranger.live],
  ])('answers %s exactly as if the object did not exist, and changes nothing of it', async (_who, client) => {
    const ids = pathIdsOf(contract);
    const [theirs, absent] = [
      await callWith(client(), contract, ids.theirs),
      await callWith(client(), contract, ids.absent),
    ];
    expectProblem(theirs, 404);
    expect(comparable(theirs)).toEqual(comparable(absent));
    expect(theirs.text).not.toContain(owner.id);
    const found = before;
    before = await settledRows();
    expect(before).toEqual(found);
  });
});

describe.each(ADDRESSED.filter((contract) => kindOf(contract) === 'delivery').map((each) => [each.id, each] as const))(
  '%s',
  (_, contract) => {
    test("is 404 under another subscription than the delivery's own, as if it did not exist", async () => {
      const [own, neighbour] = [
        await makeWebhook(messaging.tables.test, stranger.id),
        await makeWebhook(messaging.tables.test, owner.id),
      ];
      for (const [client, id] of [
        [stranger.test, own],
        [owner.test, neighbour],
      ] as const) {
        const before = await messaging.rowsOf('test', owner.id);
        const [theirs, absent] = [
          await callWith(client, contract, { id, deliveryId: things.delivery }),
          await callWith(client, contract, { id, deliveryId: absentOf(things.delivery) }),
        ];
        expectProblem(theirs, 404);
        expect(comparable(theirs)).toEqual(comparable(absent));
        const rows = await messaging.rowsOf('test', owner.id);
        const deliveries = (all: typeof rows) => all.filter(({ pk }) => pk.includes(things.delivery));
        expect(deliveries(rows)).toEqual(deliveries(before));
        expect(deliveries(rows)).not.toEqual([]);
      }
    });

    test('succeeds for its owner, so that the 404 of others proves something', async () => {
      const answer = await callWith(owner.test, contract, { id: things.webhook, deliveryId: things.delivery });
      expect(answer.status).toBeLessThan(300);
    });
  },
);

describe.each(LISTS.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  test('contains nothing of another organization or environment', async () => {
    const query = requiredQuery(contract);
    const [foreign, other] = [
      await stranger.test.get(contract.path, query),
      await owner.live.get(contract.path, query),
    ];
    for (const answer of [foreign, other]) {
      expect(answer.status).toBe(200);
      for (const id of Object.values(things)) expect(answer.text).not.toContain(id);
    }
    expect(foreign.text).not.toContain(owner.id);
  });
});

describe.each(PAGED.map((contract) => [contract.id, contract] as const))('a cursor of %s', (_, contract) => {
  const query = requiredQuery(contract);
  const cursorOf = async (client: Client) =>
    String((await client.get(contract.path, { ...query, limit: 1 })).body.nextCursor);

  test('is 400 for another organization or environment', async () => {
    const cursor = await cursorOf(owner.test);
    expect((await owner.test.get(contract.path, { ...query, cursor })).status).toBe(200);
    for (const client of [stranger.test, owner.live, stranger.live])
      expectProblem(await client.get(contract.path, { ...query, cursor }), 400, { sent: cursor });
  });

  test('is 400 once any part of it is altered', async () => {
    const cursor = await cursorOf(owner.test);
    const other = (at: number) => `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    const changed = [0, 20, 42, 43, 60, cursor.length - 2].map(other);
    for (const bad of [...changed, cursor.slice(1), cursor.slice(0, -4), `${cursor}AAAA`, 'x', 'x'.repeat(2_048)])
      expectProblem(await owner.test.get(contract.path, { ...query, cursor: bad }), 400);
  });
});

const lacking = new Map<string | undefined, Promise<Client>>();
/** The owner's key with every scope but this one and what includes it; many operations require the same. */
const keyWithout = (scope: string | undefined): Promise<Client> => {
  const scopes = KEY_SCOPES.filter((each) => each !== scope && each !== WIDER_SCOPE[scope as Scope]);
  const made = lacking.get(scope) ?? messaging.limited(owner.test, scopes);
  lacking.set(scope, made);
  return made;
};

describe.each(PRIVATE.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  test('is 401 without a credential, with an unknown one, and with one of the other environment’s prefix', async () => {
    const secret = owner.test.key?.slice('svc_test_'.length) ?? '';
    const wrong = [
      undefined,
      'x',
      `svc_live_${secret}`,
      `svc_test_${'0'.repeat(secret.length)}`,
      `${owner.test.key}0`,
      owner.test.key?.toUpperCase(),
    ];
    const answers = await Promise.all(
      wrong.map((key) => callWith(apiClient(messaging.url, key), contract, things.message)),
    );
    for (const answer of answers) expectProblem(answer, 401);
    const odd = [
      `Basic ${owner.test.key}`,
      `Bearer  ${owner.test.key}`,
      `${owner.test.key}`,
      `Bearer ${owner.test.key}, Bearer ${stranger.test.key}`,
    ];
    for (const authorization of odd)
      expectProblem(
        await messaging.anonymous.call(contract.method, pathWith(contract, things.message), {
          headers: { authorization },
        }),
        401,
      );
  });

  test('is 403 for a key with every scope but the required one', async () => {
    expectProblem(await callWith(await keyWithout(scopeOf(contract)), contract, things.message), 403);
  });
});

test('two Authorization headers are refused, whichever is valid, even if it was in use just before', async () => {
  const wire = wireClient(messaging.url);
  const [good, bad] = [`Bearer ${owner.test.key}`, `Bearer ${stranger.test.key}`];
  expect((await owner.test.get('/v2/wallet')).status).toBe(200);
  for (const pair of [
    [good, bad],
    [bad, good],
    [good, good],
  ]) {
    const headers = pair.flatMap((value) => ['Authorization', value]);
    expect((await wire.send({ method: 'GET', target: '/v2/wallet', headers })).status).toBe(401);
  }
  wire.close();
});

test('a send with a contact of another organization or environment is refused as with an unknown one', async () => {
  await messaging.credit('live', owner.id, 1_000);
  for (const client of [stranger.test, owner.live]) {
    const [theirs, absent] = [
      await client.send({ contactId: things.contact }),
      await client.send({ contactId: absentOf(things.contact) }),
    ];
    expectProblem(theirs, 422, { errors: ['contactId'] });
    expect(comparable(theirs)).toEqual(comparable(absent));
  }
});

test('a revoked key is refused within 60 s, even if it was in use just before', { timeout: 180_000 }, async () => {
  const servedAt = await lastServedAt(() => revoked.get('/v2/sms/messages'), revokedAt);
  expect(servedAt - revokedAt).toBeLessThan(60_000);
  expectProblem(await revoked.get('/v2/sms/messages'), 401);
});
