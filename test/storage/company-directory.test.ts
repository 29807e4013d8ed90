import { describe, expect, test } from 'vitest';
import { changeCompany, createCompany, deleteCompany } from '../../shared/domain/companies/companies.ts';
import { listCompanies } from '../../shared/domain/companies/list.ts';
import { foldName, sortTextOf } from '../../shared/domain/companies/names.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { WriteOp } from '../../shared/storage/client/expressions.ts';
import { readChangedCompanies } from '../../shared/storage/companies/changed-companies.ts';
import { companyDirectory } from '../../shared/storage/companies/directory.ts';
import { mergeDirectory } from '../../shared/storage/companies/directory-merge.ts';
import { bucketOf, countBucket, writeBucket } from '../../shared/storage/companies/directory-rows.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf, companyProcess } from '../support/companies.ts';
import { crashEverywhere, crashingTable } from '../support/crashing-table.ts';
import { fc } from '../support/fast-check.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);
const clock = () => world.now;
/** Directories of several processes, one of which holds next to nothing. */
const readers = [
  companyDirectory(world.table, clock),
  companyDirectory(world.table, clock),
  companyDirectory(world.table, clock, 1),
];

interface Known {
  readonly id: Id<'company'>;
  readonly nome: string;
  readonly responsavelId?: Id<'account'> | undefined;
}
/** The result of a plain filter over all companies. */
const filtered = (known: readonly Known[], part: string, responsavelId: Id<'account'> | undefined) =>
  known
    .filter(({ nome }) => foldName(nome).includes(foldName(part)))
    .filter((company) => responsavelId === undefined || company.responsavelId === responsavelId)
    .map(({ id, nome }) => ({ id, at: Buffer.from(`${sortTextOf(foldName(nome))}#${id}`) }))
    .sort((a, b) => Buffer.compare(a.at, b.at))
    .map(({ id }) => id);

const names = fc.constantFrom(
  'Padaria',
  'PÁDARIA São João',
  'padaria 2',
  'Ótica',
  'otica-b',
  'Zé',
  'ze & cia',
  '中店',
  '😀 Loja',
);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), nome: names, who: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('change' as const), at: fc.nat(), nome: names, who: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('merge' as const), crashAfter: fc.option(fc.nat(12)) }) },
);
const requested = fc.record({
  part: fc.constantFrom('', 'padaria', 'ADARIA s', 'joao', 'e', '店', '😀', 'nada'),
  who: fc.option(fc.nat(2)),
  reader: fc.nat(2),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Question = typeof requested extends fc.Arbitrary<infer T> ? T : never;

/** A merge by a process that may end before any of its calls. */
const merge = async (organizationId: Id<'organization'>, crashAfter: number | null): Promise<void> => {
  const table = crashAfter === null ? world.table : crashingTable(world.table, crashAfter);
  await mergeDirectory(table, organizationId).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'Crash')) throw error;
  });
};

/** An organization's companies beside what is known of them. */
const startHistory = async (actor: Actor) => {
  const accounts = await Promise.all(['active', 'active', 'active'].map(() => kit.account(actor, 'active')));
  let known: Known[] = [];
  const ofNth = (at: number): Known | undefined => known[at % Math.max(1, known.length)];
  return {
    async take(next: Step) {
      if (next.do === 'merge') return merge(actor.organizationId, next.crashAfter);
      if (next.do === 'create') {
        const body = { nome: next.nome, responsavelId: accounts[next.who] };
        const { company } = accepted(await createCompany(kit.ports, actor, body));
        known.push({ id: company.id, ...body });
        return undefined;
      }
      const company = ofNth(next.at);
      if (!company) return undefined;
      known = known.filter(({ id }) => id !== company.id);
      if (next.do === 'delete') return void (await deleteCompany(kit.ports, actor, company.id));
      const change = { nome: next.nome, responsavelId: accounts[next.who] };
      accepted(await changeCompany(kit.ports, actor, company.id, change));
      known.push({ ...company, ...change });
      return undefined;
    },
    async check({ part, who, reader }: Question) {
      const responsavelId = who === null ? undefined : accounts[who];
      const found = await readers[reader]?.find(actor.organizationId, { part: foldName(part), responsavelId });
      expect(found).toEqual(filtered(known, part, responsavelId));
    },
  };
};

describe('the directory', () => {
  test('finds what a plain filter finds, in every process, whatever is merged and wherever merges crash', {
    timeout: 180_000,
  }, async () => {
    const history = fc.array(fc.tuple(step, requested), { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const taken = await startHistory(await world.organization(1, false));
        for (const [next, question] of steps) {
          await taken.take(next);
          await taken.check(question);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('is right after a merge that crashed before any of its calls, which a repeat ends', async () => {
    const actor = await world.organization(1, false);
    for (const nome of ['Um', 'Dois', 'Três']) accepted(await createCompany(kit.ports, actor, { nome }));
    const crashes = await crashEverywhere(world.table, async (crashing) => {
      expect(await kit.directory.find(actor.organizationId, {})).toHaveLength(3);
      return mergeDirectory(crashing, actor.organizationId);
    });
    expect(crashes).toBeGreaterThan(5);
    expect(await readChangedCompanies(world.table, actor.organizationId)).toEqual([]);
    expect(await kit.directory.find(actor.organizationId, { part: 'tres' })).toHaveLength(1);
  });

  test('takes nothing from a merge that read its companies before another one did', async () => {
    const actor = await world.organization(1, false);
    const { company } = accepted(await createCompany(kit.ports, actor, { nome: 'Antes' }));
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = new Proxy(world.table, {
      get(table, name) {
        if (name !== 'write') return Reflect.get(table, name, table).bind?.(table) ?? Reflect.get(table, name, table);
        return async (write: WriteOp) => {
          if ('put' in write && write.put.pk.startsWith('EMPDIR#')) {
            reached.resolve();
            await released.promise;
          }
          return table.write(write);
        };
      },
    });
    const late = mergeDirectory(slow, actor.organizationId);
    await reached.promise;
    accepted(await changeCompany(kit.ports, actor, company.id, { nome: 'Depois' }));
    expect(await mergeDirectory(world.table, actor.organizationId)).toBe(true);
    released.resolve();
    expect(await late).toBe(false);
    expect(await readChangedCompanies(world.table, actor.organizationId)).toEqual([]);
    for (const reader of readers)
      expect(await reader.find(actor.organizationId, { part: 'depois' })).toEqual([company.id]);
  });

  test('misses no company under twenty writers with concurrent merges and readers', { timeout: 180_000 }, async () => {
    const actor = await world.organization(1, false);
    const writers = Array.from({ length: 20 }, () => companyProcess(world.table, clock));
    let isOver = false;
    const merging = Array.from({ length: 3 }, async () => {
      while (!isOver) await mergeDirectory(world.table, actor.organizationId);
    });
    const writing = Promise.all(
      writers.map(async ({ ports, directory }, writer) => {
        const { company } = accepted(await createCompany(ports, actor, { nome: `De ${writer}#` }));
        for (let at = 0; at < 5; at++) {
          const nome = `Mudada ${writer} vez ${at}#`;
          accepted(await changeCompany(ports, actor, company.id, { nome }));
          expect(await directory.find(actor.organizationId, { part: foldName(nome) })).toEqual([company.id]);
          expect(await directory.find(actor.organizationId, { part: `de ${writer}#` })).toEqual([]);
        }
      }),
    );
    try {
      await writing;
    } finally {
      isOver = true;
      await Promise.all(merging);
    }
    expect(await kit.directory.find(actor.organizationId, { part: 'vez 4' })).toHaveLength(20);
  });

  test('is searched completely while its changes wait, makes one of them due, and is brought up to date by that one', async () => {
    const actor = await world.organization(1, false);
    for (let at = 0; at < 70; at++) accepted(await createCompany(kit.ports, actor, { nome: `Loja ${at}` }));
    for (const { companyId } of await readChangedCompanies(world.table, actor.organizationId))
      await world.table.write({
        update: { pk: `EMPCH#${actor.organizationId}`, sk: companyId },
        remove: ['duePk', 'dueAt'],
      });
    expect(await kit.directory.find(actor.organizationId, { part: 'loja' })).toHaveLength(70);
    const marks = await readChangedCompanies(world.table, actor.organizationId);
    expect(marks.filter(({ duePk }) => duePk !== undefined)).toHaveLength(1);
    expect(await mergeDirectory(world.table, actor.organizationId)).toBe(true);
    expect(await readChangedCompanies(world.table, actor.organizationId)).toEqual([]);
    const page = await listCompanies(kit.source, actor.organizationId, { q: 'LOJA 1' }, { skip: 1, limit: 3 });
    expect(page.total).toBe(11);
    expect(page.items.map(({ company }) => company.nome)).toEqual(['Loja 10', 'Loja 11', 'Loja 12']);
    expect(new Set(marks.map(({ companyId }) => bucketOf(companyId))).size).toBeGreaterThan(20);
  });

  test('finds each of many names in one bucket by any part, and nothing across two of them', async () => {
    const organizationId = newId('organization');
    const foldedNames = ['padaria', 'aria', 'ar', 'mercado', 'padaria aria', 'da', 'mercado do bar', 'bar'];
    const entries = foldedNames.map((foldedName) => ({ id: newId('company'), foldedName }));
    await writeBucket(world.table, undefined, { organizationId, bucket: 7, entries, version: 1 });
    await countBucket(world.table, organizationId, 7);
    for (const part of ['ar', 'aria', 'padaria', 'mercado', 'bar', 'o d', 'da', 'x', 'aria\nar', 'da\nm', '\n']) {
      const expected = entries.filter(({ foldedName }) => foldedName.includes(part)).map(({ id }) => id);
      const found = await readers[0]?.find(organizationId, { part });
      expect(found?.toSorted(), part).toEqual(expected.toSorted());
    }
  });
});
