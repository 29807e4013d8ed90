import { describe, expect, test } from 'vitest';
import { changeCompany, createCompany, findCompany } from '../../shared/domain/companies/companies.ts';
import type { AttributeDefinition, CompanyPorts, DefinitionStore } from '../../shared/domain/companies/company.ts';
import { readDefinitions, replaceDefinitions } from '../../shared/domain/companies/definitions.ts';
import { importCompanies } from '../../shared/domain/companies/import.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { pause } from '../../shared/domain/core/pause.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { attributeWrites } from '../../shared/storage/companies/attribute-writes.ts';
import { ATTRIBUTE_WRITE_SHARDS } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf, companyProcess } from '../support/companies.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);
const RG: AttributeDefinition = { key: 'rg', type: 'string', required: false };
const IN_USE = { name: 'CONFLICT', details: { meta: { code: 'PROPRIEDADE_SENSIVEL_EM_USO' } } };

const define = (actor: Actor, defs: readonly AttributeDefinition[], ports: CompanyPorts = kit.ports) =>
  replaceDefinitions(ports, actor, defs);
const attributesOf = async (actor: Actor, id: Id<'company'>) =>
  accepted(await findCompany(kit.ports, actor, id)).company.atributos;
const created = async (actor: Actor, atributos = {}) =>
  accepted(await createCompany(kit.ports, actor, { nome: 'Padaria', atributos })).company;
/** The ports of a process in which something else happens once, after a step of the definitions' store and before the next one. */
const interrupted = (
  step: 'attributeWrites' | 'heldAmong' | 'read',
  meanwhile: () => Promise<unknown>,
): CompanyPorts => {
  const { definitions } = kit.ports;
  let isDone = false;
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    if (!isDone) {
      isDone = true;
      await meanwhile();
    }
    return value;
  };
  const stepped: DefinitionStore = {
    ...definitions,
    [step]: (...args: never[]) => after((definitions[step] as (...given: never[]) => Promise<unknown>)(...args)),
  };
  return { ...kit.ports, definitions: stepped };
};

describe('a sensitive property', () => {
  test.each(['read', 'attributeWrites', 'heldAmong'] as const)(
    'is not removed where a company came to have a value of it after step %s',
    async (step) => {
      const actor = await world.organization();
      const { id } = await created(actor);
      accepted(await define(actor, [RG]));
      const ports = interrupted(step, async () =>
        accepted(await changeCompany(kit.ports, actor, id, { atributos: { rg: '12' } })),
      );
      expect(await define(actor, [], ports)).toMatchObject(IN_USE);
      expect(await readDefinitions(kit.ports, actor)).toEqual([RG]);
      accepted(await changeCompany(kit.ports, actor, id, { atributos: { rg: null } }));
      expect(accepted(await define(actor, []))).toEqual([]);
    },
  );

  test('is not removed where an import or a creation gave a company a value of it during the check', async () => {
    for (const write of [
      (actor: Actor) =>
        importCompanies(kit.importPorts, actor, { empresas: [{ valid: { nome: 'A', atributos: { rg: '1' } } }] }),
      (actor: Actor) => created(actor, { rg: '1' }),
    ]) {
      const actor = await world.organization();
      accepted(await define(actor, [RG]));
      const ports = interrupted('heldAmong', () => write(actor));
      expect(await define(actor, [{ ...RG, label: 'Outro' }], ports)).toMatchObject(IN_USE);
    }
  });

  test('is removed though companies change meanwhile that come to have no attributes', async () => {
    const actor = await world.organization();
    const { id } = await created(actor, { ramo: 'x' });
    accepted(await define(actor, [RG]));
    let checks = 0;
    const ports = interrupted('heldAmong', async () => {
      accepted(await createCompany(kit.ports, actor, { nome: 'Outra' }));
      accepted(await changeCompany(kit.ports, actor, id, { nome: 'Nova' }));
      accepted(await changeCompany(kit.ports, actor, id, { atributos: {} }));
    });
    const { heldAmong } = ports.definitions;
    const counted = {
      ...ports.definitions,
      heldAmong: (...args: Parameters<typeof heldAmong>) => heldAmong(...args).finally(() => checks++),
    };
    accepted(await define(actor, [], { ...ports, definitions: counted }));
    expect(checks).toBe(1);
  });

  test('is not deleted if the companies cannot all be checked in 5 s: 503, and nothing changes', async () => {
    const actor = await world.organization();
    await created(actor, { rg: '12' });
    accepted(await define(actor, [RG]));
    const { definitions } = kit.ports;
    let requested = 0;
    const hurried = (ms: number): CompanyPorts => ({
      ...kit.ports,
      definitions: {
        ...definitions,
        heldAmong(organizationId, keys, withinMs) {
          requested = withinMs;
          return definitions.heldAmong(organizationId, keys, ms);
        },
      },
    });
    // The companies are read after the marks of those that changed, in a call of its own.
    world.proxy.plan(({ action, body }) =>
      action === 'BatchGetItem' && body.includes('atributos') ? { kind: 'delay', ms: 60_000 } : undefined,
    );
    expect(await define(actor, [], hurried(200))).toMatchObject({
      name: 'SERVICE_UNAVAILABLE',
      details: { retryAfterSeconds: 5 },
    });
    expect(requested).toBe(5_000);
    world.proxy.plan(undefined);
    expect(await readDefinitions(kit.ports, actor)).toEqual([RG]);
    expect(await define(actor, [], hurried(60_000))).toMatchObject(IN_USE);
  });
});

describe('definitions that change while a company is written', () => {
  const NUMBER: AttributeDefinition = { key: 'x', type: 'number', required: false };
  const change = (actor: Actor) => interrupted('read', async () => accepted(await define(actor, [NUMBER])));

  test('apply to what is committed after them', async () => {
    const actor = await world.organization();
    const { id } = await created(actor);
    const refused = { name: 'VALIDATION_ERROR', details: { errors: [{ path: 'atributos.x' }] } };
    expect(await createCompany(change(actor), actor, { nome: 'A', atributos: { x: 'y' } })).toMatchObject(refused);
    accepted(await define(actor, []));
    expect(await changeCompany(change(actor), actor, id, { atributos: { x: 'y' } })).toMatchObject(refused);
    expect(await attributesOf(actor, id)).toEqual({});
    expect(accepted(await createCompany(change(actor), actor, { nome: 'B', atributos: { x: 1 } }))).toMatchObject({
      company: { atributos: { x: 1 } },
    });
  });

  test('apply to the rows of an import that are stored after them', async () => {
    const actor = await world.organization();
    const { importPorts } = kit;
    let isDone = false;
    const store = {
      ...importPorts.store,
      async load(...args: Parameters<typeof importPorts.store.load>) {
        const known = await importPorts.store.load(...args);
        if (!isDone) accepted(await define(actor, [NUMBER]));
        isDone = true;
        return known;
      },
    };
    const rows = [{ nome: 'A', atributos: { x: 'y' } }, { nome: 'B', atributos: { x: 1 } }, { nome: 'C' }];
    const result = await importCompanies({ ...importPorts, store }, actor, {
      empresas: rows.map((valid) => ({ valid })),
    });
    expect(result).toEqual({
      criadas: 2,
      atualizadas: 0,
      erros: [{ linha: 1, mensagem: 'atributos.x must be a number' }],
    });
  });

  test('allow writes while no version is stored, and refuse them as stale once one is', async () => {
    const actor = await world.organization();
    accepted(await define(actor, [NUMBER]));
    // As definitions were stored before their version was put on the shards.
    for (let shard = 0; shard < ATTRIBUTE_WRITE_SHARDS; shard++)
      await world.table.write({ delete: KEYS.companyAttributeWrites(actor.organizationId, shard) });
    const company = await created(actor, { x: 2 });
    expect(company.atributos).toEqual({ x: 2 });
    accepted(await define(actor, []));
    const [stale] = attributeWrites([{ after: company }], 1);
    if (!stale) throw new Error('a company with attributes is counted');
    expect(await world.table.transact([stale])).toMatchObject({ ok: false, reasons: [{ conditionFailed: true }] });
  });

  test('leave no value of a removed property, despite concurrent writes and definitions of many processes', {
    timeout: 180_000,
  }, async () => {
    const actor = await world.organization();
    const companies = await Promise.all(Array.from({ length: 6 }, () => created(actor)));
    accepted(await define(actor, [RG]));
    const remove = async ({ ports }: ReturnType<typeof companyProcess>) => {
      while (isRefusal(await define(actor, [], ports))) await pause(5);
    };
    /** Writes values of the property until it is gone, which a write that was checked before must not be later than. */
    const write = async ({ ports }: ReturnType<typeof companyProcess>, at: number) => {
      const change: CompanyPorts['store']['change'] = async (before, after, event, definitions) => {
        if (definitions !== 1) throw new Removed();
        return ports.store.change(before, after, event, definitions);
      };
      const id = companies[at % companies.length]?.id ?? newId('company');
      for (let turn = 0; turn < 8; turn++) {
        const atributos = turn % 2 === 0 ? { rg: `${at} ${turn}` } : {};
        accepted(await changeCompany({ ...ports, store: { ...ports.store, change } }, actor, id, { atributos }));
      }
    };
    class Removed extends Error {}
    const writers = Array.from({ length: 12 }, (_, at) =>
      write(
        companyProcess(world.table, () => world.now),
        at,
      ).catch((error: unknown) => {
        if (!(error instanceof Removed)) throw error;
      }),
    );
    const removers = Array.from({ length: 2 }, () => remove(companyProcess(world.table, () => world.now)));
    await Promise.all([...writers, ...removers]);
    expect(await readDefinitions(kit.ports, actor)).toEqual([]);
    const left = await Promise.all(companies.map(({ id }) => attributesOf(actor, id)));
    expect(left.filter((atributos) => atributos?.rg)).toEqual([]);
  });
});
