import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { importRow } from '../../shared/contracts/contact-import.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { ImportJob } from '../../shared/domain/imports/import-job.ts';
import { createImport, startImport } from '../../shared/domain/imports/jobs.ts';
import type { ImportBucket, ImportRunPorts } from '../../shared/domain/imports/ports.ts';
import { runImport } from '../../shared/domain/imports/run-import.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { importStore } from '../../shared/storage/contacts/import-store.ts';
import { importJobRows, importJobStore } from '../../shared/storage/jobs/import-jobs.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { crashingTable } from '../support/crashing-table.ts';
import { PATIENCE } from '../support/patience.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(randomBytes(32));
const world = await use(startWorld('test'));
const contacts = contactPortsOf(world, vault);
const CLAIM_MS = 60_000;
const ADDRESS = { url: 'https://bucket.example', expiresAt: 0 };

/** A bucket in memory; `crashAfter` calls it is gone. */
const memoryBucket = (objects: Map<string, string>, crashAfter = Number.POSITIVE_INFINITY): ImportBucket => {
  let left = crashAfter;
  const call = async <T>(work: () => T): Promise<T> => {
    if (left-- <= 0) throw new Error('the process ended');
    return work();
  };
  return {
    presignUpload: () => call(() => ({ ...ADDRESS, headers: {} })),
    presignDownload: () => call(() => ADDRESS),
    stat: (key) => call(() => ({ size: Buffer.byteLength(objects.get(key) ?? ''), etag: '"1"' })),
    read: (key, _, from, length) =>
      call(() => {
        const bytes = Buffer.from(objects.get(key) ?? '');
        return { bytes: bytes.subarray(from, from + length), last: from + length >= bytes.length };
      }),
    put: (key, body) => call(() => void objects.set(key, body)),
    text: (key) => call(() => objects.get(key) ?? ''),
    remove: (keys) =>
      call(() => {
        for (const key of keys) objects.delete(key);
      }),
  };
};

interface Places {
  readonly table?: Table;
  readonly bucket: ImportBucket;
}
const portsOf = ({ table = world.table, bucket }: Places): ImportRunPorts => ({
  clock: () => world.now,
  store: importJobStore(table, () => {}),
  bucket,
  admit: async () => undefined,
  enqueue: () => {},
  contacts: {
    ...contacts,
    store: {
      ...contactStore(table, () => {}),
      ...importStore(
        table,
        () => {},
        () => {},
      ),
    },
  },
  parse: importRow,
  onFailure: () => {},
  onFailed: ({ id }) => void abandoned.push(id),
});

/** Reported to the operator. */
const abandoned: string[] = [];
let phones = 0;
const aPhone = () => `+551195${String(9_000_000 + phones++)}`;

/** A file of two parts: what a part moves to another phone, or another external id, a later one names again. */
const aFile = () => {
  const [one, two, three, four] = [aPhone(), aPhone(), aPhone(), aPhone()] as const;
  const rows = [
    `${one},x,Ana`,
    `${two},y,Rui`,
    'wrong,,Eva',
    `${three},x,Ana Lima`,
    `${one},w,Ivo`,
    `${one},w,Ivo Reis`,
    `${four},y,Rui Alves`,
    `${two},,Lia`,
    'wrong,,Noa',
  ];
  return { file: ['phone,externalId,name', ...rows].join('\n'), phones: { one, two, three, four } };
};
const FIGURES = { rows: 9, created: 4, updated: 3, ignored: 0, errors: 2 };

/** A started job over a new file of a new organization, some of whose contacts are there already. */
const started = async () => {
  const actor = await world.organization();
  await takeEvents(world.table, actor.env, actor.organizationId);
  const { file, phones: named } = aFile();
  const objects = new Map<string, string>();
  const ports = portsOf({ bucket: memoryBucket(objects) });
  const about = { format: 'csv', onConflict: 'update', size: Buffer.byteLength(file) } as const;
  const { job } = await createImport(ports, actor, about);
  objects.set(`imports/${actor.organizationId}/${job.id}/source`, file);
  accepted(await startImport(ports, actor, job.id));
  return { actor, id: job.id, objects, ports, named };
};
type Started = Awaited<ReturnType<typeof started>>;

const stored = async (id: Id<'importJob'>): Promise<ImportJob> =>
  importJobRows.read((await world.table.get(KEYS.importJob(id))) ?? { pk: '', sk: '' });
/** Workers continue a job until it ends. */
const finish = async ({ id, ports }: Started): Promise<ImportJob> => {
  for (let run = 0; run < 20 && (await stored(id)).status === 'running'; run++) {
    world.now += CLAIM_MS * 12;
    await runImport(ports, id);
  }
  return stored(id);
};
const withPhone = async ({ organizationId }: Actor, phone: string) => {
  const row = await world.table.get(KEYS.phone(organizationId, vault.blindIndex(organizationId, 'phone', phone)));
  return accepted(await findContact(contacts, organizationId, row?.contactId as Id<'contact'>));
};

/** The job and the contacts are as one worker without faults leaves them. */
const expectExact = async (setup: Started) => {
  const { actor, id, objects, named } = setup;
  const job = await finish(setup);
  expect(job).toMatchObject({ ...FIGURES, status: 'completed' });
  expect(await readCount(world.table, actor.organizationId, 'contacts')).toBe(4);
  const names = await Promise.all(Object.values(named).map(async (phone) => (await withPhone(actor, phone)).name));
  expect(names).toEqual(['Ivo Reis', 'Lia', 'Ana Lima', 'Rui Alves']);
  expect([...objects.keys()].filter((key) => key.endsWith('errors.csv'))).toHaveLength(1);
  const errors = objects.get(`imports/${actor.organizationId}/${id}/errors.csv`)?.split('\r\n');
  expect(errors?.map((line) => line.split(',')[0])).toEqual(['line', '4', '10', '']);
  expect(await world.table.get(KEYS.runningImport(actor.organizationId))).toBeUndefined();
};

describe('an import of a file', () => {
  test('counts each row once, wherever between two calls of the table its worker ends', async () => {
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const setup = await started();
      const crashing = portsOf({ table: crashingTable(world.table, calls), bucket: memoryBucket(setup.objects) });
      const isWhole = await runImport(crashing, setup.id).then(
        () => true,
        () => false,
      );
      await expectExact(setup);
      if (isWhole) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(15);
  }, 180_000);

  test('counts each row once, wherever between two calls of the bucket its worker ends', async () => {
    for (let calls = 0; calls < 9; calls++) {
      const setup = await started();
      await runImport(portsOf({ bucket: memoryBucket(setup.objects, calls) }), setup.id).catch(() => {});
      await expectExact(setup);
    }
  }, 180_000);

  test('counts each row once with many concurrent workers, and after a claim expires midway', async () => {
    const setup = await started();
    await Promise.all(Array.from({ length: 5 }, () => runImport(setup.ports, setup.id)));
    await expectExact(setup);

    const late = await started();
    const gate = Promise.withResolvers<void>();
    const bucket = memoryBucket(late.objects);
    const read: ImportBucket['read'] = async (...range) => {
      const bytes = await bucket.read(...range);
      await gate.promise;
      return bytes;
    };
    const paused = runImport(portsOf({ bucket: { ...bucket, read } }), late.id);
    await expect.poll(async () => (await stored(late.id)).fence, PATIENCE).toBe(1);
    await finish(late);
    gate.resolve();
    await paused;
    await expectExact(late);
  });

  test('fails with what it has where a part can never be done, and lets the next import begin', async () => {
    const setup = await started();
    const broken = portsOf({
      bucket: { ...memoryBucket(setup.objects), read: async () => Promise.reject(new Error('no')) },
    });
    for (let run = 0; run < 12; run++) {
      await runImport(broken, setup.id).catch(() => {});
      world.now += CLAIM_MS * 12;
    }
    expect(await stored(setup.id)).toMatchObject({ status: 'failed', problem: 'internal_error', rows: 0 });
    expect(abandoned.filter((id) => id === setup.id)).toEqual([setup.id]);
    expect(await world.table.get(KEYS.runningImport(setup.actor.organizationId))).toBeUndefined();
  });

  test('ends where its file was put again or is gone', async () => {
    for (const problem of ['file_changed', 'file_missing'] as const) {
      const setup = await started();
      await runImport(portsOf({ bucket: { ...memoryBucket(setup.objects), read: async () => problem } }), setup.id);
      expect(await stored(setup.id)).toMatchObject({ status: 'failed', problem });
    }
  });
});
