import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { countWrite, readCount } from '../../shared/storage/access/counters.ts';
import { readOrganization } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { defineRow } from '../../shared/storage/client/row-codec.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { migrateTable } from '../../shared/storage/migration/migrate.ts';
import { rewriteRow } from '../../shared/storage/migration/rewrite-row.ts';
import type { Rewrites } from '../../shared/storage/migration/rewrites.ts';
import { kindOfRow, type RowKind } from '../../shared/storage/migration/row-kinds.ts';
import '../support/aws-environment.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';

const engine = await startDynoxide();
await use({ close: () => engine.stop() });
const client = patient(tableClient(engine.endpoint));
let tables = 0;
let table: Table;
beforeEach(async () => {
  table = new Table(client, `migrated${tables++}`);
  await ensureTable(client, table.name);
});

/** A company whose third shape has one name and counts its changes as `changes`; the first two had two names, and `edits`. */
interface Company {
  readonly id: string;
  readonly name: string;
  readonly changes: number;
  readonly note?: string | undefined;
}
const keyOf = (at: number) => KEYS.company(`c${at}` as Id<'company'>);
const companyRows = defineRow<Company>()({
  attributes: { id: z.string(), name: z.string(), changes: z.int().default(0), note: z.string().optional() },
  key: ({ id }) => KEYS.company(id as Id<'company'>),
  version: 3,
  versions: {
    1: ({ first, last, ...row }) => (first === undefined ? row : { ...row, name: `${first} ${last}` }),
    2: ({ edits, ...row }) => (edits === undefined ? row : { ...row, changes: (row.changes ?? 0) + edits }),
  },
});
const rewrites: Rewrites = { company: { codec: companyRows } };
const FAST = { segments: 4, rowsPerSecond: 1_000_000, rewrites };

const oldCompany = (at: number) => ({
  ...keyOf(at),
  id: `c${at}`,
  first: 'Loja',
  last: String(at),
  edits: 1,
});
const fill = (count: number) => table.putMany(Array.from({ length: count }, (_, at) => oldCompany(at)));
const rowOf = async (at: number) => {
  const row = await table.get(keyOf(at));
  if (!row) throw new Error('gone');
  return row;
};
const readOf = async (at: number) => companyRows.read(await rowOf(at));

describe('a migration', () => {
  test('rewrites every row of an older shape, whatever its version, and leaves the others', async () => {
    await fill(250);
    await table.putMany([
      { ...keyOf(250), id: 'c250', name: 'Loja 250', edits: 4, shape: 2 },
      companyRows.write({ id: 'c251', name: 'Loja 251', changes: 9 }),
      { ...KEYS.externalId(newId('organization'), '1'), first: 'kept' },
    ]);
    expect(await migrateTable(table, FAST)).toMatchObject({
      company: { rows: 252, rewritten: 251, busy: 0, unreadable: 0 },
      externalId: { rows: 1, rewritten: 0 },
    });
    expect(await rowOf(7)).toEqual({ ...keyOf(7), id: 'c7', name: 'Loja 7', changes: 1, shape: 3 });
    expect((await rowOf(250)).changes).toBe(4);
    expect(await migrateTable(table, FAST)).toMatchObject({ company: { rows: 252, rewritten: 0 } });
  });

  test('that is dry counts what it would rewrite, and writes nothing', async () => {
    await fill(120);
    expect(await migrateTable(table, { ...FAST, dryRun: true })).toEqual({
      company: { rows: 120, rewritten: 120, busy: 0, unreadable: 0 },
    });
    expect(await rowOf(7)).toEqual(oldCompany(7));
  });

  test('loses no write of the traffic, which reads both shapes all the while', async () => {
    await fill(300);
    let over = false;
    const changes = new Map<number, number>();
    const traffic = async (caller: number) => {
      for (let turn = 0; !over; turn++) {
        const at = (caller * 37 + turn * 11) % 300;
        await table.write({
          update: keyOf(at),
          set: companyRows.set({ note: `${turn}` }),
          add: { changes: 1 },
        });
        changes.set(at, (changes.get(at) ?? 0) + 1);
        expect(await readOf(at)).toMatchObject({ name: `Loja ${at}` });
      }
    };
    const callers = [0, 1, 2, 3].map(traffic);
    const counts = await migrateTable(table, { ...FAST, rowsPerSecond: 600 });
    over = true;
    await Promise.all(callers);
    expect(counts.company).toEqual({ rows: 300, rewritten: 300, busy: 0, unreadable: 0 });
    for (let at = 0; at < 300; at++) expect((await readOf(at)).changes, `c${at}`).toBe(1 + (changes.get(at) ?? 0));
  });

  test('that is interrupted resumes at the last page, in its own shapes and segments only', async () => {
    await fill(1_000);
    const failing = new Table(client, table.name);
    let scans = 0;
    failing.scan = (segment) => (scans++ < 6 ? table.scan(segment) : Promise.reject(new Error('killed')));
    await expect(migrateTable(failing, FAST)).rejects.toThrow('killed');
    let scanned = 0;
    const counting = new Table(client, table.name);
    counting.scan = async (segment) => {
      const page = await table.scan(segment);
      scanned += page.rows.filter(({ pk }) => pk.startsWith('EMP#')).length;
      return page;
    };
    expect((await migrateTable(counting, FAST)).company).toEqual({
      rows: 1_000,
      rewritten: 1_000,
      busy: 0,
      unreadable: 0,
    });
    expect(scanned).toBeGreaterThan(0);
    expect(scanned).toBeLessThan(700);
    expect(await table.get(KEYS.migration(0))).toBeUndefined();
    scanned = 0;
    await expect(migrateTable(failing, FAST)).rejects.toThrow('killed');
    await migrateTable(counting, { ...FAST, segments: 2 });
    expect(scanned).toBe(1_000);
  });

  test('leaves a row that does not read in the newest shape, and one that keeps changing, and says so', async () => {
    await table.putMany([{ ...keyOf(0), id: 'c0', edits: 1 }, oldCompany(1)]);
    const racing = new Table(client, table.name);
    racing.write = async (write) => {
      if ('update' in write) await table.write({ update: write.update, add: { edits: 1 } });
      return table.write(write);
    };
    expect((await migrateTable(racing, FAST)).company).toEqual({ rows: 2, rewritten: 0, busy: 1, unreadable: 1 });
    expect(await rowOf(1)).not.toHaveProperty('shape');
  });
});

describe('a rewrite', () => {
  const rewrite = { codec: companyRows };

  test('fails on what came to the row since it was read, also where it had nothing', async () => {
    await fill(1);
    const row = await rowOf(0);
    await table.write({ update: keyOf(0), set: { name: 'Loja nova' } });
    expect(await rewriteRow(table, rewrite, row)).toBe('rewritten');
    expect(await readOf(0)).toMatchObject({ changes: 1 });
    const old = { ...oldCompany(0), edits: 5 };
    await table.write({ put: { ...old, note: 'new' } });
    const late = new Table(client, table.name);
    late.get = async () => undefined;
    expect(await rewriteRow(late, rewrite, old)).toBe('current');
    expect(await rowOf(0)).not.toHaveProperty('shape');
  });

  test('does not bring back a row that was deleted meanwhile', async () => {
    expect(await rewriteRow(table, rewrite, oldCompany(3))).toBe('current');
    expect(await table.get(keyOf(3))).toBeUndefined();
  });
});

describe("an organization's counts", () => {
  test('move from its row to the shards once, with two migrations and creations at the same time', async () => {
    const ids = Array.from({ length: 40 }, () => newId('organization'));
    await table.putMany(
      ids.map((id) => ({
        ...KEYS.organization(id),
        id,
        name: 'Loja Azul',
        createdAt: '2026-11-21T12:00:00.000Z',
        contacts: 500,
        keys: 2,
        accounts: 3,
        senders: 90,
      })),
    );
    const creations = ids.flatMap((id) => ['a', 'b', 'c'].map((each) => table.write(countWrite(id, 'contacts', each))));
    const settings = { segments: 3, rowsPerSecond: 1_000_000 };
    const runs = await Promise.all([migrateTable(table, settings), migrateTable(table, settings), ...creations]);
    expect(runs).toBeDefined();
    for (const id of ids) {
      expect(await readCount(table, id, 'contacts')).toBe(503);
      expect(await readCount(table, id, 'keys')).toBe(2);
      expect(await readCount(table, id, 'accounts')).toBe(3);
      expect(await readCount(table, id, 'senders')).toBe(90);
      expect(await readOrganization(table, id)).toMatchObject({ name: 'Loja Azul' });
      const row = await table.get(KEYS.organization(id));
      expect(row).toMatchObject({ shape: 3 });
      for (const moved of ['contacts', 'keys', 'accounts', 'senders']) expect(row).not.toHaveProperty(moved);
    }
  });
});

test('every row is counted under its entry of the key table, but for those that share their keys', () => {
  const part = newId('organization');
  const kinds = (Object.keys(KEYS) as RowKind[]).filter(
    (kind) => !['bucket', 'mergedConsent', 'numberRate', 'second'].includes(kind),
  );
  const keyOf = (kind: RowKind) =>
    (KEYS[kind] as (...parts: string[]) => { pk: string; sk: string })(part, '7', '8', '9');
  expect(Object.fromEntries(kinds.map((kind) => [kind, kindOfRow(keyOf(kind))]))).toEqual(
    Object.fromEntries(kinds.map((kind) => [kind, kind])),
  );
  expect(kindOfRow({ pk: 'NOTHING#1', sk: 'X' })).toBeUndefined();
});
