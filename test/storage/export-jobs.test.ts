import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { ExportJob } from '../../shared/domain/exports/export-job.ts';
import type { ExportRow } from '../../shared/domain/exports/export-row.ts';
import type { ExportBucket, ExportRunPorts } from '../../shared/domain/exports/job-ports.ts';
import { cancelExport, createExport } from '../../shared/domain/exports/jobs.ts';
import { runExport } from '../../shared/domain/exports/run-export.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { exportJobRows, exportJobStore } from '../../shared/storage/jobs/export-jobs.ts';
import { listStore } from '../../shared/storage/lists/lists.ts';
import { segmentStore } from '../../shared/storage/segments/segments.ts';
import { accepted } from '../support/accepted.ts';
import { crashingTable } from '../support/crashing-table.ts';
import { PATIENCE } from '../support/patience.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const CLAIM_MS = 60_000;
/** Of a bucket in memory; S3's are larger. */
const PART_BYTES = 8 * 1024;

interface Objects {
  readonly files: Map<string, Buffer>;
  /** Uploads on their way, by id: their parts by number. */
  readonly uploads: Map<string, Map<number, { etag: string; body: Buffer }>>;
}
const noObjects = (): Objects => ({ files: new Map(), uploads: new Map() });

/** A bucket in memory with the rules of S3 for uploads in parts; `crashAfter` calls it is gone. */
const memoryBucket = ({ files, uploads }: Objects, crashAfter = Number.POSITIVE_INFINITY): ExportBucket => {
  let left = crashAfter;
  const call = async <T>(work: () => T): Promise<T> => {
    if (left-- <= 0) throw new Error('the process ended');
    return work();
  };
  let made = 0;
  return {
    partBytes: PART_BYTES,
    presignDownload: async (key) => ({ url: key, expiresAt: 0 }),
    put: (key, body) => call(() => void files.set(key, Buffer.from(body))),
    bytes: (key) =>
      call(() => {
        const found = files.get(key);
        if (!found) throw new Error('NoSuchKey');
        return found;
      }),
    remove: (keys) =>
      call(() => {
        for (const key of keys) files.delete(key);
      }),
    beginUpload: (key) =>
      call(() => {
        const id = `${key} ${made++} ${uploads.size}`;
        uploads.set(id, new Map());
        return id;
      }),
    uploadPart: (_, id, number, body) =>
      call(() => {
        const etag = `${number}-${made++}`;
        uploads.get(id)?.set(number, { etag, body });
        return etag;
      }),
    completeUpload: (key, id, listed) =>
      call(() => {
        const parts = uploads.get(id);
        if (!parts) return expect(files.has(key)).toBe(true);
        const bodies = listed.map(({ number, etag }, at) => {
          const part = parts.get(number);
          expect(part?.etag).toBe(etag);
          if (at < listed.length - 1) expect(part?.body.length).toBeGreaterThanOrEqual(PART_BYTES);
          return part?.body ?? Buffer.alloc(0);
        });
        expect(listed.map(({ number }) => number)).toEqual(
          listed.map(({ number }) => number).toSorted((a, b) => a - b),
        );
        files.set(key, Buffer.concat(bodies));
        uploads.delete(id);
      }),
    abortUpload: (_, id) => call(() => void uploads.delete(id)),
  };
};

/** Reported to the operator. */
const abandoned: string[] = [];
const PAGES = 6;
/** Pages of 3 KB: two steps' pages are no piece, three are. Each takes as long as a step may. */
const page: ExportRunPorts['page'] = async (_, cursor) => {
  world.now += 10_001;
  const at = Number(cursor ?? 0);
  const row = (id: string) => ({ id, subject: 'x'.repeat(1_500) }) as ExportRow;
  const items = [row(`${at}a`), row(`${at}b`)];
  return { kind: 'messages', items, ...(at + 1 < PAGES ? { nextCursor: String(at + 1) } : {}) };
};
const IDS = Array.from({ length: PAGES }, (_, at) => [`${at}a`, `${at}b`]).flat();

const portsOf = (bucket: ExportBucket, table: Table = world.table): ExportRunPorts => ({
  clock: () => world.now,
  store: exportJobStore(table, () => {}),
  bucket,
  enqueue: () => {},
  page,
  onFailure: () => {},
  onFailed: ({ id }) => void abandoned.push(id),
});
const started = async () => {
  const actor = await world.organization();
  await takeEvents(world.table, actor.env, actor.organizationId);
  const objects = noObjects();
  const ports = portsOf(memoryBucket(objects));
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-12-31T00:00:00.000Z'];
  const about = { kind: 'messages', channel: 'sms', from, to, format: 'ndjson' } as const;
  const stores = { lists: listStore(world.table, ports.clock), segments: segmentStore(world.table) };
  const { job } = accepted(await createExport({ ...ports, ...stores }, actor, true, about));
  expect(isRefusal(await createExport({ ...ports, ...stores }, actor, true, about))).toBe(true);
  return { id: job.id, objects, ports };
};
type Started = Awaited<ReturnType<typeof started>>;

const stored = async (id: Id<'exportJob'>): Promise<ExportJob> =>
  exportJobRows.read((await world.table.get(KEYS.exportJob(id))) ?? { pk: '', sk: '' });
const finish = async ({ id, ports }: Started): Promise<ExportJob> => {
  for (let run = 0; run < 30 && (await stored(id)).status === 'running'; run++) {
    await runExport(ports, id);
    world.now += CLAIM_MS * 12;
  }
  return stored(id);
};
/** The file has each message once, in their order, and the job's figures are the file's. */
const expectExact = async (setup: Started) => {
  const job = await finish(setup);
  expect(job).toMatchObject({ status: 'completed', rows: IDS.length });
  const file = setup.objects.files.get(`exports/${job.organizationId}/${job.id}/file-${job.file}`);
  const lines = String(file).split('\n').slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(IDS);
  expect(file?.length).toBe(job.bytes);
  expect(await world.table.get(KEYS.runningExport(job.organizationId))).toBeUndefined();
};

describe('an export into a file', () => {
  test('has each message once, wherever between two calls of the table its workers end', async () => {
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const setup = await started();
      const crashing = portsOf(memoryBucket(setup.objects), crashingTable(world.table, calls));
      const outcome = await (async () => {
        for (let run = 0; run < 10; run++) {
          await runExport(crashing, setup.id);
          world.now += CLAIM_MS;
        }
      })().then(
        () => 'whole',
        () => 'crashed',
      );
      await expectExact(setup);
      if (outcome === 'whole') break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(15);
  }, 180_000);

  test('has each message once, wherever between two calls of the bucket its workers end', async () => {
    for (let calls = 0; calls < 20; calls++) {
      const setup = await started();
      const crashing = portsOf(memoryBucket(setup.objects, calls));
      for (let run = 0; run < 10; run++) {
        await runExport(crashing, setup.id).catch(() => {});
        if ((await stored(setup.id)).attempts > 2) break;
        world.now += CLAIM_MS * 12;
      }
      world.now += CLAIM_MS * 12;
      await expectExact(setup);
    }
  }, 180_000);

  test('has each message once with many concurrent workers, and after a claim expires midway', async () => {
    const setup = await started();
    await Promise.all(Array.from({ length: 5 }, () => runExport(setup.ports, setup.id)));
    await expectExact(setup);

    const late = await started();
    const gate = Promise.withResolvers<void>();
    const slow: ExportRunPorts['page'] = async (job, cursor) => {
      await gate.promise;
      return page(job, cursor);
    };
    const paused = runExport({ ...late.ports, page: slow }, late.id);
    await expect.poll(async () => (await stored(late.id)).fence, PATIENCE).toBe(1);
    world.now += CLAIM_MS * 2;
    await finish(late);
    gate.resolve();
    await paused;
    await expectExact(late);
  });

  test('is cancelled whatever its worker does at that moment: nothing of it stays, and the next one begins', async () => {
    for (let pages = 0; pages < PAGES; pages++) {
      const setup = await started();
      const { id, ports, objects } = setup;
      let left = pages;
      const cancelling: ExportRunPorts['page'] = async (job, cursor) => {
        if (left-- === 0) expect(accepted(await cancelExport(ports, job, id)).job.status).toBe('cancelled');
        return page(job, cursor);
      };
      for (let run = 0; run <= PAGES; run++) await runExport({ ...ports, page: cancelling }, id);
      const job = await stored(id);
      expect(job).toMatchObject({ status: 'cancelled', endedAt: expect.any(Number) });
      expect([...objects.uploads.keys()]).toEqual([]);
      expect(await world.table.get(KEYS.runningExport(job.organizationId))).toBeUndefined();
      expect(accepted(await cancelExport(ports, job, id)).job.status).toBe('cancelled');
    }
  });

  test('is given up, with the upload of its file, where a step can never be done', async () => {
    const setup = await started();
    let pages = 0;
    const failing: ExportRunPorts['page'] = (job, cursor) =>
      pages++ < 4 ? page(job, cursor) : Promise.reject(new Error('no'));
    for (let run = 0; run < 20; run++) {
      await runExport({ ...setup.ports, page: failing }, setup.id).catch(() => {});
      world.now += CLAIM_MS * 12;
    }
    expect(await stored(setup.id)).toMatchObject({ status: 'failed' });
    expect(abandoned.filter((id) => id === setup.id)).toEqual([setup.id]);
    expect(setup.objects.uploads.size).toBe(0);
  });

  test('is abandoned immediately if its list or segment is deleted midway', async () => {
    const setup = await started();
    let pages = 0;
    const deleted: ExportRunPorts['page'] = async (job, cursor) => (pages++ < 4 ? page(job, cursor) : 'gone');
    for (let run = 0; run < 3; run++) await runExport({ ...setup.ports, page: deleted }, setup.id);
    const job = await stored(setup.id);
    expect([job.status, pages, setup.objects.uploads.size]).toEqual(['failed', 5, 0]);
    expect(await world.table.get(KEYS.runningExport(job.organizationId))).toBeUndefined();
  });
});
