import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCountingProxy } from '../../bench/counting-proxy.ts';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { createActivity } from '../../shared/domain/activities/activities.ts';
import type { ActivityFields } from '../../shared/domain/activities/fields.ts';
import { createCard, deleteCard } from '../../shared/domain/cards/cards.ts';
import { importCards } from '../../shared/domain/cards/import.ts';
import { listCards } from '../../shared/domain/cards/list.ts';
import { changeCompany, createCompany, deleteCompany } from '../../shared/domain/companies/companies.ts';
import { importCompanies } from '../../shared/domain/companies/import.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createPipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { newStages } from '../../shared/domain/pipelines/stages.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { clearMark, companyMark, readChangedCompanies } from '../../shared/storage/companies/changed-companies.ts';
import { mergeDirectory } from '../../shared/storage/companies/directory-merge.ts';
import { bucketOf, countBucket, writeBucket } from '../../shared/storage/companies/directory-rows.ts';
import { tombstoneWrite } from '../../shared/storage/crm/tombstones.ts';
import { DIRECTORY_BUCKETS } from '../../shared/storage/table-indexes.ts';
import { type Crm, crmOver, newCaller } from '../crm/stage.ts';
import { accepted } from '../support/accepted.ts';
import '../support/aws-environment.ts';
import { idNamed } from '../support/ids.ts';
import { patient } from '../support/patient-client.ts';
import { cell, tableUnder } from './cost-page.ts';

/** The units in docs/crm.md are measured here, by the capacity that the engine reports. */
let meter: Awaited<ReturnType<typeof startCountingProxy>>;
let stop: (() => Promise<void>) | undefined;
let crm: Crm;
let actor: Actor;
const now = Date.parse('2026-03-02T12:00:00Z');

interface Units {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly trips: number;
}
const unitsOf = async (work: () => Promise<unknown>): Promise<Units> => {
  meter.reset();
  await work();
  const { writeUnits, readUnits, trips } = meter.taken();
  return { writeUnits, readUnits, trips };
};
/** The least of some runs: one change in sixteen is due, which takes a unit more. */
const leastOf = async (runs: number, work: () => Promise<unknown>): Promise<Units> => {
  const all: Units[] = [];
  for (let run = 0; run < runs; run++) all.push(await unitsOf(work));
  return all.reduce((least, next) => (next.writeUnits < least.writeUnits ? next : least));
};
/** Many depend on how many of 500 marks are due, or on what names pack into: hundreds of units and tens of trips are said. */
const about = (measured: Readonly<Record<string, Units>>): Readonly<Record<string, Units>> => {
  const rounded = (count: number, to: number) => (count > to ? Math.round(count / to) * to : count);
  return Object.fromEntries(
    Object.entries(measured).map(([name, { writeUnits, readUnits, trips }]) => [
      name,
      { writeUnits: rounded(writeUnits, 100), readUnits: rounded(readUnits, 100), trips: rounded(trips, 10) },
    ]),
  );
};
const stated = (heading: string): Readonly<Record<string, Units>> =>
  Object.fromEntries(
    tableUnder(heading, 'crm.md').map((row) => [
      row[0],
      { writeUnits: cell(row, 1), readUnits: cell(row, 2), trips: cell(row, 3) },
    ]),
  );

beforeAll(async () => {
  const engine = await startDynoxide();
  meter = await startCountingProxy(engine.endpoint);
  await ensureTable(tableClient(engine.endpoint), 'live');
  const table = new Table(patient(tableClient(meter.endpoint)), 'live');
  crm = crmOver(table, () => now);
  actor = await newCaller(table, newId('organization'));
  stop = async () => {
    await meter.close();
    await engine.stop();
  };
}, 180_000);
afterAll(() => stop?.());

const person = async () => accepted(await createContact(crm.contacts, actor, { phone: '+5511987654321' }));
const company = async (nome = 'Padaria') => accepted(await createCompany(crm.companies.ports, actor, { nome })).company;
const act = (fields: Partial<ActivityFields> = {}) =>
  createActivity(crm.activities, actor, { tipo: 'tarefa', titulo: 'Ligar', ...fields });
const sales = async () =>
  accepted(
    await createPipeline(crm.pipelines, actor, { name: 'Vendas', type: 'vendas', stages: newStages(undefined) }),
  );
/** Ids that are spread like random ones, and are the same in every run: the packing of buckets depends on them. */
const idOfNth = (nth: number) =>
  idNamed(
    'company',
    createHash('sha256')
      .update(String(nth))
      .digest('base64')
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, 21),
  );

describe('the units in docs/crm.md', () => {
  test('of links', async () => {
    const { id: contatoId } = await person();
    const { id: empresaId } = await company();
    const pipeline = await sales();
    const card = async () =>
      accepted(await createCard(crm.cards, actor, { pipelineId: pipeline.id, titulo: 'Negócio' }));
    const { id: cardId } = await card();
    const cardsOf = async (fields: { contatoId?: Id<'contact'> } = {}) => {
      const pipelineId = (await sales()).id;
      const create = { pipelineId, titulo: 'Negócio', ...fields };
      await importCards(crm.cards, actor, Array(10).fill({ create }));
      return () => listCards(crm.cards, actor, { pipelineId }, { skip: 0, limit: 10 });
    };
    const [plain, linked] = [await cardsOf(), await cardsOf({ contatoId })];
    const { id: gone } = await card();
    const measured: Record<string, Units> = {
      'Create an activity without links': await unitsOf(() => act()),
      'One linked to a contact': await unitsOf(() => act({ contatoId })),
      'One linked to a card': await unitsOf(() => act({ cardId })),
      'One linked to a company': await unitsOf(() => act({ empresaId })),
      'List 10 cards without links': await unitsOf(plain),
      '10 cards with links': await unitsOf(linked),
      'Delete a card, which leaves a tombstone': await unitsOf(() => deleteCard(crm.deletingCards, actor, gone)),
    };
    for (let at = 0; at < 800; at += 100)
      await crm.table.transact(
        Array.from({ length: 100 }, () =>
          tombstoneWrite({ organizationId: actor.organizationId, id: newId('card'), at: now }),
        ),
      );
    measured['10 cards with links, beside 800 tombstones'] = await unitsOf(linked);
    expect(stated('Links')).toEqual(measured);
  }, 180_000);

  test('of companies and their directory', async () => {
    const { companies, table } = crm;
    const own = await newCaller(table, newId('organization'));
    const create = (nome: string, atributos?: Record<string, string>) =>
      createCompany(companies.ports, own, { nome, ...(atributos ? { atributos } : {}) });
    let turn = 0;
    const measured: Record<string, Units> = {
      'Create a company': await leastOf(6, () => create(`A${turn++}`)),
      'The same with attributes': await leastOf(6, () => create(`A${turn++}`, { ramo: 'x' })),
    };
    const ids: Id<'company'>[] = [];
    for (let at = 0; at < 6; at++) ids.push(accepted(await create('Padaria')).company.id);
    const [id] = ids as [Id<'company'>];
    measured['Change its name'] = await leastOf(6, () =>
      changeCompany(companies.ports, own, id, { nome: `B${turn++}` }),
    );
    // One change in 16 is due, which takes a unit more, as clearing a due mark does.
    for (const mark of await readChangedCompanies(table, own.organizationId)) await clearMark(table, mark);
    measured['Delete it'] = await leastOf(6, () => deleteCompany(companies.ports, own, ids.pop() as Id<'company'>));
    const valid = Array.from({ length: 500 }, (_, at) => ({ valid: { nome: `Loja ${at}` } }));
    measured['Import 500 new companies without CNPJs, about'] = await unitsOf(() =>
      importCompanies(companies.importPorts, own, { empresas: valid }),
    );
    expect(stated('What companies cost')).toEqual(about(measured));
  }, 180_000);

  test('of a directory of 100,000 companies', async () => {
    const { table } = crm;
    const own = await newCaller(table, newId('organization'));
    const entries = Array.from({ length: 100_000 }, (_, at) => ({
      id: idOfNth(at),
      foldedName: `padaria sao joao ${(at * 7_919) % 100_000}`,
    }));
    for (const [bucket, of] of Map.groupBy(entries, ({ id }) => bucketOf(id))) {
      await writeBucket(table, undefined, { organizationId: own.organizationId, bucket, entries: of, version: 1 });
      await countBucket(table, own.organizationId, bucket);
    }
    const { directory } = crmOver(table, () => now).companies;
    const find = () => directory.find(own.organizationId, { part: 'nada' });
    const measured: Record<string, Units> = {
      'First search of a process': await unitsOf(find),
      'Search of a process that has it cached': await unitsOf(find),
    };
    const { organizationId } = own;
    // Due in any case, as a change that triggers a merge is: clearing one that is not due takes a unit less.
    await table.write(companyMark({ organizationId, id: idOfNth(1) }, now, true));
    measured['The same with one changed company'] = await unitsOf(find);
    measured['Merge of one changed company'] = await unitsOf(() => mergeDirectory(table, own.organizationId));
    expect(new Set(entries.map(({ id }) => bucketOf(id))).size).toBe(DIRECTORY_BUCKETS);
    expect(stated('The directory')).toEqual(about(measured));
  }, 180_000);
});
