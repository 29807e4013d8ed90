import { describe, expect, test } from 'vitest';
import { changeCompany, createCompany, deleteCompany } from '../../shared/domain/companies/companies.ts';
import { replaceDefinitions } from '../../shared/domain/companies/definitions.ts';
import type { NewCompany } from '../../shared/domain/companies/fields.ts';
import { type CompanyImportPorts, importCompanies } from '../../shared/domain/companies/import.ts';
import { listCompanies } from '../../shared/domain/companies/list.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { mergeDirectory } from '../../shared/storage/companies/directory-merge.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf, companyProcess, validCnpj } from '../support/companies.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);

const run = (actor: Actor, rows: readonly NewCompany[], ports: CompanyImportPorts = kit.importPorts) =>
  importCompanies(ports, actor, { empresas: rows.map((valid) => ({ valid })) });
const all = async (actor: Actor) =>
  (await listCompanies(kit.source, actor.organizationId, { q: '' }, { skip: 0, limit: 1_000 })).items.map(
    ({ company }) => company,
  );
const namesOf = async (actor: Actor) => (await all(actor)).map(({ nome }) => nome);
const countOf = ({ organizationId }: Actor) => readCount(world.table, organizationId, 'companies');
const create = async (actor: Actor, body: NewCompany) => accepted(await createCompany(kit.ports, actor, body)).company;

describe('rows of one import', () => {
  test('match each other: one CNPJ or one name twice is one company', async () => {
    const actor = await world.organization();
    const cnpj = validCnpj(21);
    const rows = [
      { nome: 'A', cnpj },
      { nome: 'A2', cnpj: cnpj.toLowerCase(), segmento: 'S' },
      { nome: 'B' },
      { nome: 'B', endereco: 'Rua' },
      { nome: 'A2', site: 'https://a.example.com' },
    ];
    expect(await run(actor, rows)).toEqual({ criadas: 2, atualizadas: 3, erros: [] });
    expect(await all(actor)).toMatchObject([
      { nome: 'A2', cnpj, segmento: 'S', site: 'https://a.example.com', version: 1 },
      { nome: 'B', endereco: 'Rua' },
    ]);
    const before = await all(actor);
    expect(await run(actor, rows)).toEqual({ criadas: 0, atualizadas: 5, erros: [] });
    expect(await all(actor)).toEqual(before);
  });

  test('find no company by a name that it lost in a row before', async () => {
    const actor = await world.organization();
    const cnpj = validCnpj(22);
    await create(actor, { nome: 'Velha', cnpj });
    const rows = [{ nome: 'Nova', cnpj }, { nome: 'Velha' }, { nome: 'Nova', segmento: 'X' }];
    expect(await run(actor, rows)).toEqual({ criadas: 1, atualizadas: 2, erros: [] });
    expect((await all(actor)).map(({ nome, segmento }) => [nome, segmento])).toEqual([
      ['Nova', 'X'],
      ['Velha', undefined],
    ]);
  });

  test('go by names letter for letter, and never guess', async () => {
    const actor = await world.organization();
    await create(actor, { nome: 'Dupla' });
    await create(actor, { nome: 'Dupla', cnpj: validCnpj(23) });
    await create(actor, { nome: 'ACME' });
    const result = await run(actor, [{ nome: 'Dupla' }, { nome: 'Acme' }, { nome: 'ACME', segmento: 'X' }]);
    expect(result).toMatchObject({ criadas: 1, atualizadas: 1, erros: [{ linha: 1 }] });
    expect((await namesOf(actor)).sort()).toEqual(['ACME', 'Acme', 'Dupla', 'Dupla']);
  });

  test('replace attributes only where they carry them, and are checked by the definitions', async () => {
    const actor = await world.organization();
    const cnpj = validCnpj(24);
    await create(actor, { nome: 'A', cnpj, atributos: { x: 1, y: 2 } });
    accepted(await replaceDefinitions(kit.ports, actor, [{ key: 'x', type: 'number', required: true }]));
    await run(actor, [{ nome: 'A', cnpj, segmento: 'S' }]);
    expect((await all(actor))[0]?.atributos).toEqual({ x: 1, y: 2 });
    await run(actor, [{ nome: 'A', cnpj, atributos: { x: 3 } }]);
    expect((await all(actor))[0]?.atributos).toEqual({ x: 3 });
    const { criadas, erros } = await run(actor, [{ nome: 'A', cnpj, atributos: { x: 'y' } }, { nome: 'B' }]);
    expect({ criadas, erros: erros.map(({ mensagem }) => mensagem) }).toEqual({
      criadas: 0,
      erros: ['atributos.x must be a number', 'atributos.x is required'],
    });
  });

  test('that name a suspended account or a contact of another organization are reported by their fields; the others are stored', async () => {
    const actor = await world.organization();
    const responsavelId = await kit.account(actor, 'active');
    const contact = await kit.contact(actor);
    const rows = [
      { nome: 'A', responsavelId, contatoPrincipalId: contact.id },
      { nome: 'B', responsavelId: await kit.account(actor, 'suspended') },
      { nome: 'C', contatoPrincipalId: (await kit.contact(await world.organization())).id },
      { nome: 'D', contatoPrincipalId: contact.id },
    ];
    const result = await run(actor, rows);
    expect(result).toMatchObject({ criadas: 2, erros: [{ linha: 2 }, { linha: 3 }] });
    expect(result.erros.map(({ mensagem }) => mensagem.split(' ')[0])).toEqual(['responsavelId', 'contatoPrincipalId']);
    await kit.suspend(responsavelId);
    expect(await run(actor, rows.slice(0, 1))).toEqual({ criadas: 0, atualizadas: 1, erros: [] });
  });
});

describe('concurrent imports', () => {
  test('of the same rows, 20 of them, create each company once', { timeout: 180_000 }, async () => {
    const actor = await world.organization();
    const rows = Array.from({ length: 30 }, (_, at) =>
      at % 2 === 0 ? { nome: `Loja ${at}` } : { nome: `Loja ${at}`, cnpj: validCnpj(100 + at) },
    );
    const processes = Array.from({ length: 20 }, () => companyProcess(world.table, () => world.now));
    const results = await Promise.all(processes.map(({ importPorts }) => run(actor, rows, importPorts)));
    for (const { criadas, atualizadas, erros } of results)
      expect({ reported: criadas + atualizadas, erros }).toEqual({ reported: 30, erros: [] });
    expect(results.reduce((sum, { criadas }) => sum + criadas, 0)).toBe(30);
    expect(await countOf(actor)).toBe(30);
    expect(new Set(await namesOf(actor)).size).toBe(30);
  });

  test('create a name again once its company was deleted or called otherwise', async () => {
    const actor = await world.organization();
    for (const forget of ['delete', 'rename'] as const) {
      await run(actor, [{ nome: 'Fênix' }]);
      const company = (await all(actor)).find(({ nome }) => nome === 'Fênix');
      if (!company) throw new Error('not found');
      if (forget === 'delete') await deleteCompany(kit.ports, actor, company.id);
      else accepted(await changeCompany(kit.ports, actor, company.id, { nome: 'Outra' }));
      expect(await run(actor, [{ nome: 'Fênix' }])).toMatchObject({ criadas: 1, atualizadas: 0 });
    }
  });
});

describe('an import', () => {
  const rows = [
    ...Array.from({ length: 24 }, (_, at) => ({ nome: `Sem ${at}` })),
    ...Array.from({ length: 24 }, (_, at) => ({ nome: `Com ${at}`, cnpj: validCnpj(200 + at) })),
  ];

  test('that crashed before any of its calls is ended by its repeat, which creates nothing twice', {
    timeout: 180_000,
  }, async () => {
    const actor = await world.organization();
    const crashes = await crashEverywhere(world.table, (crashing) =>
      run(actor, rows, companyProcess(crashing, () => world.now).importPorts),
    );
    expect(crashes).toBeGreaterThan(5);
    expect(await countOf(actor)).toBe(rows.length);
    expect(new Set(await namesOf(actor)).size).toBe(rows.length);
    await mergeDirectory(world.table, actor.organizationId);
    expect(await run(actor, rows)).toEqual({ criadas: 0, atualizadas: rows.length, erros: [] });
  });

  test('with lost responses reports what it created, and creates it once', { timeout: 180_000 }, async () => {
    const actor = await world.organization();
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2 }));
    const result = await run(actor, rows);
    world.proxy.plan(undefined);
    expect(result).toEqual({ criadas: rows.length, atualizadas: 0, erros: [] });
    expect(await countOf(actor)).toBe(rows.length);
  });

  test('with a lost response applies no row twice, although a later row renamed the company that the first one named', async () => {
    const actor = await world.organization();
    const cnpj = validCnpj(23);
    await create(actor, { nome: 'Velha', cnpj });
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const renaming = [{ nome: 'Velha', segmento: 'X' }, { nome: 'Nova', cnpj }, { nome: 'Outra' }];
    expect(await run(actor, renaming)).toEqual({ criadas: 1, atualizadas: 2, erros: [] });
    world.proxy.plan(undefined);
    expect((await all(actor)).map(({ nome, segmento }) => [nome, segmento])).toEqual([
      ['Nova', 'X'],
      ['Outra', undefined],
    ]);
  });

  test('with a lost response keeps what somebody else changed of a company that it created', async () => {
    const actor = await world.organization();
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const { load } = kit.importPorts.store;
    let reads = 0;
    const meeting: CompanyImportPorts['store']['load'] = async (...asked) => {
      const [made] = reads++ === 1 ? await all(actor) : [];
      if (made) accepted(await changeCompany(kit.ports, actor, made.id, { segmento: 'Y' }));
      return load(...asked);
    };
    const ports = { ...kit.importPorts, store: { ...kit.importPorts.store, load: meeting } };
    expect(await run(actor, [{ nome: 'A', segmento: 'X' }], ports)).toEqual({ criadas: 1, atualizadas: 0, erros: [] });
    world.proxy.plan(undefined);
    expect(await all(actor)).toMatchObject([{ nome: 'A', segmento: 'Y', version: 2 }]);
  });

  test('applies its rows again to a company that somebody else changed after it was read', async () => {
    const actor = await world.organization();
    const { id } = await create(actor, { nome: 'A' });
    const { load } = kit.importPorts.store;
    let reads = 0;
    const meeting: CompanyImportPorts['store']['load'] = async (...asked) => {
      const known = await load(...asked);
      if (reads++ === 0) accepted(await changeCompany(kit.ports, actor, id, { endereco: 'Rua' }));
      return known;
    };
    const ports = { ...kit.importPorts, store: { ...kit.importPorts.store, load: meeting } };
    expect(await run(actor, [{ nome: 'A', segmento: 'X' }], ports)).toEqual({ criadas: 0, atualizadas: 1, erros: [] });
    expect(await all(actor)).toMatchObject([{ nome: 'A', segmento: 'X', endereco: 'Rua', version: 3 }]);
  });

  test('of 500 rows takes a bounded number of round trips', { timeout: 180_000 }, async () => {
    const actor = await world.organization(1, false);
    const many = Array.from({ length: 500 }, (_, at) => ({ nome: `Loja ${at}`, cnpj: validCnpj(1_000 + at) }));
    const made = await world.proxy.callsOf(async () =>
      expect(await run(actor, many)).toEqual({ criadas: 500, atualizadas: 0, erros: [] }),
    );
    // 46, and a few that met others on the counter's rows.
    expect(made.TransactWriteItems).toBeLessThanOrEqual(60);
    expect(made.BatchGetItem).toBeLessThanOrEqual(10);
    expect(Object.keys(made).filter((action) => /^(?:Put|Update|Delete)/.test(action))).toEqual([]);
  });
});
