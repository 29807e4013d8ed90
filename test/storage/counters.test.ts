import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { countWrite, readCount } from '../../shared/storage/access/counters.ts';
import { organizationExists, organizationWrite } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { COUNTER_SHARDS } from '../../shared/storage/table-indexes.ts';
import { useContendedTable } from '../support/contended-table.ts';

const CALLERS = 24;
const CONTACTS = 600;

const { laws, ownTable, table } = await useContendedTable();
const organization = async () => {
  const id = newId('organization');
  await table.write(organizationWrite({ id, name: 'Loja Azul', createdAt: Date.now() }));
  return id;
};

describe("an organization's counts", () => {
  test('24 callers who create 600 contacts concurrently are all served, seldom conflict, and are counted exactly', async () => {
    const organizationId = await organization();
    const vault = createVault(randomBytes(32));
    const ports = { clock: Date.now, recipients: async () => vault, documents: async () => vault };
    const outcomes: unknown[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: CALLERS }, ownTable).map(async (own) => {
        const store = contactStore(own, () => {});
        while (next < CONTACTS) {
          const phone = `+551199${9_000_000 + next++}`;
          outcomes.push(await createContact({ ...ports, store }, { organizationId, env: 'test' }, { phone }));
        }
      }),
    );
    expect(outcomes).toHaveLength(CONTACTS);
    for (const outcome of outcomes) expect(outcome).toHaveProperty('phoneHash');
    expect(await readCount(table, organizationId, 'contacts')).toBe(CONTACTS);
    // However many are in flight at once: no row counts more than a small share. One row for all would refuse each of them several times.
    const keys = Array.from({ length: COUNTER_SHARDS }, (_, shard) => KEYS.counter(organizationId, 'contacts', shard));
    const counts = (await table.getMany(keys)).map((row) => Number(row?.count ?? 0));
    expect(Math.max(...counts)).toBeLessThan(CONTACTS / 30);
    expect(laws.statistics().refusals.transactionConflicts ?? 0).toBeLessThan(CONTACTS / 2);
  });

  test('are apart by what is counted, and by organization', async () => {
    const [one, other] = [await organization(), await organization()];
    await table.write(countWrite(one, 'contacts', 'a', 2));
    await table.write(countWrite(one, 'keys', 'a', 5));
    await table.write(countWrite(other, 'contacts', 'a', 7));
    expect(await readCount(table, one, 'contacts')).toBe(2);
    expect(await readCount(table, one, 'keys')).toBe(5);
    expect(await readCount(table, other, 'contacts')).toBe(7);
    expect(await readCount(table, other, 'keys')).toBe(0);
  });

  test('include what was counted on its own row before', async () => {
    const id = await organization();
    await table.write({ update: KEYS.organization(id), set: { contacts: 40, keys: 3 } });
    await table.write(countWrite(id, 'contacts', 'a'));
    expect(await readCount(table, id, 'contacts')).toBe(41);
    expect(await readCount(table, id, 'keys')).toBe(3);
    // It moves between the reads.
    const moving = ownTable();
    moving.queryAll = async (range) => {
      const rows = await table.queryAll(range);
      const move = { update: KEYS.organization(id), remove: ['contacts'] };
      if ((await table.get(KEYS.organization(id)))?.contacts)
        await table.transact([move, countWrite(id, 'contacts', 'moved', 40)]);
      return rows;
    };
    expect(await readCount(moving, id, 'contacts')).toBe(41);
    expect(await readCount(moving, id, 'contacts')).toBe(41);
  });
});

test('an organization is found from its first moment, and read once by a process', async () => {
  const [id, own] = [newId('organization'), ownTable()];
  expect(await organizationExists(own, id)).toBe(false);
  await table.write(organizationWrite({ id, name: 'Loja Azul', createdAt: 0 }));
  expect(await organizationExists(own, id)).toBe(true);
  await table.write({ delete: KEYS.organization(id) });
  expect(await organizationExists(own, id)).toBe(true);
  expect(await organizationExists(table, id)).toBe(false);
});
