import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { COUNTER_SHARDS } from '../../shared/storage/table-indexes.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { use } from '../support/use.ts';

const PROJECT = join(import.meta.dirname, '../..');
const messaging = await use(startMessaging());
const table = messaging.tables.test;
const ADMIN = [...HEAP_FLAGS, 'infra/operator/main.ts'];
const MIGRATE = [...ADMIN, 'table', 'migrate', '--env', 'test', '--segments', '2', '--json'];
const options = { cwd: PROJECT, env: { ...process.env, DATA_DIR: messaging.dataDir } };
const migrate = async (...more: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...MIGRATE, ...more], options);
  const items: { rows: string; seen: number; rewritten: number }[] = JSON.parse(stdout).items;
  return Object.fromEntries(items.map(({ rows, ...counts }) => [rows, counts]));
};

/** Makes an organization as it was before its counts were spread over rows. */
const makeOlder = async ({ id }: Tenant, contacts: number) => {
  const keys = await readCount(table, id, 'keys');
  await table.write({ update: KEYS.organization(id), set: { keys, contacts }, remove: ['shape'] });
  const shards = Array.from({ length: COUNTER_SHARDS }, (_, shard) => KEYS.counter(id, 'keys', shard));
  for (const shard of shards) await table.write({ delete: shard });
};
const shapeOf = async (id: Id<'organization'>) => (await table.get(KEYS.organization(id)))?.shape;

test('a table is migrated while the service is running, and after a kill halfway: totals are right throughout', {
  timeout: 240_000,
}, async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => messaging.tenant()));
  for (const [at, tenant] of tenants.entries()) await makeOlder(tenant, 1_000 + at);
  // Of another entity, so that there are many pages on the way.
  await table.putMany(Array.from({ length: 1_200 }, (_, at) => ({ ...KEYS.link(`code${at}`), ttl: 9_999_999_999 })));
  expect(await migrate('--dry-run')).toMatchObject({ organization: { seen: 6, rewritten: 6, busy: 0, unreadable: 0 } });

  let over = false;
  const made = new Map<string, { contacts: number; keys: number }>();
  const traffic = tenants.map(async ({ id, test: client }, at) => {
    const counts = { contacts: 0, keys: 1 };
    made.set(id, counts);
    for (let turn = 0; !over; turn++) {
      const phone = `+55119${String(90_000_000 + at * 100_000 + turn)}`;
      expect((await client.post('/contacts', { phone })).status).toBe(201);
      counts.contacts++;
      if (turn % 10 === 0) {
        const key = { name: `Key ${turn}`, scopes: ['sms:read'] };
        expect((await client.post('/v2/api-keys', key)).status).toBe(201);
        counts.keys++;
      }
      expect((await client.get('/v2/api-keys?limit=1')).body.total).toBe(counts.keys);
      expect((await client.call('PATCH', '/v2/organizations/me', { body: { name: `Loja ${turn}` } })).status).toBe(200);
    }
  });

  const killed = spawn(process.execPath, [...MIGRATE, '--rows-per-second', '150'], { ...options, stdio: 'ignore' });
  const exit = once(killed, 'exit');
  await vi.waitFor(async () => expect(await table.get(KEYS.migration(0))).toBeDefined(), { timeout: 60_000 });
  killed.kill('SIGKILL');
  await exit;
  const between = await table.get(KEYS.migration(0));
  expect(between).toMatchObject({ isOver: false });

  const counts = await migrate('--rows-per-second', '5000');
  over = true;
  await Promise.all(traffic);
  expect(counts.organization).toMatchObject({ seen: 6, busy: 0, unreadable: 0 });
  expect(await table.get(KEYS.migration(0))).toBeUndefined();
  for (const [at, { id, test: client }] of tenants.entries()) {
    expect(await shapeOf(id)).toBe(3);
    expect(await readCount(table, id, 'contacts')).toBe(1_000 + at + (made.get(id)?.contacts ?? 0));
    expect((await client.get('/v2/api-keys?limit=1')).body.total).toBe(made.get(id)?.keys);
  }
  expect(await migrate()).toMatchObject({ organization: { seen: 6, rewritten: 0 } });
});
