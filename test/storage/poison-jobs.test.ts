import { beforeEach, describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { type ExportJob, exportEvent } from '../../shared/domain/exports/export-job.ts';
import type { ImportJob } from '../../shared/domain/imports/import-job.ts';
import { NO_FIGURES } from '../../shared/domain/imports/import-job.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { listSetAside, putBack } from '../../shared/storage/due-work/set-aside.ts';
import { UnreadableJob } from '../../shared/storage/jobs/claims.ts';
import { exportJobStore, listExportJobs } from '../../shared/storage/jobs/export-jobs.ts';
import { importJobStore } from '../../shared/storage/jobs/import-jobs.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
beforeEach(world.reset);
const CLAIM_MS = 60_000;

const raised: DomainEvent[] = [];
const exportsOver = (table: Table = world.table) => exportJobStore(table, (events) => void raised.push(...events));
const importsOver = (table: Table = world.table) => importJobStore(table, (events) => void raised.push(...events));

const startExport = async (): Promise<ExportJob> => {
  const { organizationId, env } = await world.organization();
  await takeEvents(world.table, env, organizationId);
  const job: ExportJob = {
    id: newId('exportJob'),
    organizationId,
    env,
    kind: 'contacts',
    listId: newId('list'),
    segmentId: newId('segment'),
    format: 'csv',
    unmasked: false,
    status: 'running',
    createdAt: world.now,
    rows: 7,
    bytes: 70,
    parts: [],
    fence: 0,
    attempts: 0,
    claimedUntil: 0,
  };
  expect(await exportsOver().create(job)).toBe(true);
  return job;
};
const startImport = async (): Promise<ImportJob> => {
  const { organizationId, env } = await world.organization();
  await takeEvents(world.table, env, organizationId);
  const job: ImportJob = {
    ...NO_FIGURES,
    id: newId('importJob'),
    organizationId,
    env,
    format: 'csv',
    onConflict: 'update',
    size: 100,
    status: 'awaiting_upload',
    createdAt: world.now,
    rows: 3,
    created: 3,
    position: 40,
    line: 4,
    errorParts: [],
    fence: 0,
    attempts: 0,
    claimedUntil: 0,
  };
  await importsOver().create(job);
  expect(await importsOver().start(job, 'etag', world.now)).toBe(true);
  return job;
};
const poison = (id: Id<'exportJob'> | Id<'importJob'>, set: Readonly<Record<string, unknown>>) =>
  world.table.write({ update: id.startsWith('exp') ? KEYS.exportJob(id as never) : KEYS.importJob(id as never), set });

const claimExport = (id: Id<'exportJob'>, table?: Table) =>
  exportsOver(table).claim(id, world.now, world.now + CLAIM_MS);
const isDue = async (pk: string) =>
  (await overdue(world.table, 'run_job', world.now + 1e9, 10_000)).some((item) => item.pk === pk);
const isAside = async (pk: string) =>
  (await listSetAside(world.table, 'run_job', 1_000)).some((item) => item.pk === pk);

describe('a job whose row cannot be read', () => {
  test.each([
    ['what it wrote', { pieces: 'none' }],
    ['its fence', { fence: 'first' }],
    ['its claim', { claimedUntil: 'later' }],
    ['its status', { status: 'stuck' }],
    ['its format and kind', { format: 'xlsx', kind: 'cards' }],
  ])('fails at its first attempt, is set aside, and lets the next export begin: %s', async (_, broken) => {
    const [job, other] = [await startExport(), await startExport()];
    await poison(job.id, broken);
    raised.length = 0;
    await expect(claimExport(job.id)).rejects.toThrow(UnreadableJob);
    const { listId, segmentId } = job;
    const failed = { status: 'failed', rows: 7, endedAt: world.now, listId, segmentId };
    expect(await exportsOver().read(job.id)).toMatchObject(failed);
    const { pk } = KEYS.exportJob(job.id);
    expect([await isDue(pk), await isAside(pk)]).toEqual([false, true]);
    expect(raised.map(({ type, data }) => [type, data.status])).toEqual([['export.completed', 'failed']]);
    expect((await claimExport(other.id))?.id).toBe(other.id);
    expect(await exportsOver().create({ ...job, id: newId('exportJob'), createdAt: world.now + 1 })).toBe(true);
    const scope = { organizationId: job.organizationId, env: job.env, query: {} };
    const listed = await listExportJobs(world.table, { scope, limit: 10, cursor: undefined, vault: {} as never });
    expect(isRefusal(listed) || listed.items.map(({ status }) => status)).toEqual(['running', 'failed']);
  });

  test('also of an import, whose figures until then stay', async () => {
    const job = await startImport();
    await poison(job.id, { position: 'begin' });
    raised.length = 0;
    await expect(importsOver().claim(job.id, world.now, world.now + CLAIM_MS)).rejects.toThrow(UnreadableJob);
    const failed = await importsOver().read(job.id);
    expect(failed).toMatchObject({ status: 'failed', problem: 'internal_error', rows: 3, created: 3, position: 0 });
    expect(raised.map(({ type, data }) => [type, data.status])).toEqual([['import.completed', 'failed']]);
    expect(await isAside(KEYS.importJob(job.id).pk)).toBe(true);
    expect(await world.table.get(KEYS.runningImport(job.organizationId))).toBeUndefined();
  });

  test('stays due, and unchanged, where it cannot even be read whose it is: it is set aside like all work that fails each time', async () => {
    const job = await startExport();
    await poison(job.id, { org: 7 });
    const before = await world.table.get(KEYS.exportJob(job.id));
    await expect(claimExport(job.id)).rejects.toThrow(TypeError);
    expect(await world.table.get(KEYS.exportJob(job.id))).toEqual(before);
    expect(await isDue(KEYS.exportJob(job.id).pk)).toBe(true);
  });

  test('fails once, wherever its worker ends, and with many concurrent workers', async () => {
    await crashEverywhere(world.table, async (table) => {
      const job = await startExport();
      await poison(job.id, { pieces: 'none' });
      try {
        await claimExport(job.id, table).catch((error: unknown) => {
          if (!(error instanceof UnreadableJob)) throw error;
        });
      } finally {
        await claimExport(job.id).catch(() => {});
        expect(await exportsOver().read(job.id)).toMatchObject({ status: 'failed' });
      }
    });
    const job = await startExport();
    await poison(job.id, { pieces: 'none' });
    raised.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => claimExport(job.id).catch(() => {})));
    expect(raised).toHaveLength(1);
  });

  test('that the operator puts back has nothing left to do', async () => {
    const job = await startExport();
    await poison(job.id, { pieces: 'none' });
    await claimExport(job.id).catch(() => {});
    const { pk, sk } = KEYS.exportJob(job.id);
    expect(await putBack(world.table, { kind: 'run_job', pk, sk }, world.now)).toBe(true);
    expect(await claimExport(job.id)).toBeUndefined();
    expect([await isDue(pk), await isAside(pk)]).toEqual([false, false]);
    const event = exportEvent(job, 'cancelled', world.now);
    expect(await exportsOver().cancel(job, event)).toBe(false);
  });
});
