import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Card } from '../../shared/domain/cards/card.ts';
import { type CardUpdate, importCards } from '../../shared/domain/cards/import.ts';
import { moveCard } from '../../shared/domain/cards/moves.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { batched } from '../../shared/domain/core/batched.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { deleteStage } from '../../shared/domain/pipelines/stages.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf } from '../support/companies.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { copiesIn, countedNow, recounted, type Sales, startSales, waitAsInvocations, waitNoMore } from './cards-kit.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);
beforeAll(waitAsInvocations);
afterAll(waitNoMore);

const start = async (many: number) => {
  const sales = await startSales(world.table, () => world.now);
  const rows = Array.from({ length: many }, (_, at) => ({
    create: { pipelineId: sales.pipeline.id, titulo: `Negócio ${at}`, valor: 10 },
  }));
  expect(await importCards(sales.ports.cards, sales.caller, rows)).toEqual({
    criadas: many,
    atualizadas: 0,
    erros: [],
  });
  return { sales, cards: await copiesIn(world.table, sales.stage(0).id) };
};
const update = (sales: Sales, rows: readonly CardUpdate[]) =>
  importCards(
    sales.ports.cards,
    sales.caller,
    rows.map((row) => ({ update: row })),
  );
const historyOf = async (id: Id<'card'>): Promise<unknown[]> => {
  const { pk: partition, sk: prefix } = KEYS.cardHistory(id, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  return (await world.table.queryAll({ partition, sort, consistent: true })).map(({ act }) => act).sort();
};
const expectCounted = async (sales: Sales) => {
  const { pipeline, counts } = await countedNow(sales);
  expect(counts).toEqual(await recounted(world.table, pipeline));
};

describe('an import of changes of cards', () => {
  test('moves 500 cards in less than a call of the table for every five, in the order of its rows', async () => {
    const { sales, cards } = await start(500);
    const rows = cards.toReversed().map(({ id }) => ({ id, estagioId: sales.stage(1).id }));
    const calls = await world.proxy.callsOf(async () =>
      expect(await update(sales, rows)).toEqual({ criadas: 0, atualizadas: 500, erros: [] }),
    );
    expect(Object.values(calls).reduce((sum, count) => sum + count, 0)).toBeLessThan(100);
    expect((await copiesIn(world.table, sales.stage(1).id)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    await expectCounted(sales);
    // They have no subscriber.
    const events = await world.table.getMany(await overdue(world.table, 'publish_event', world.now + 1_000, 10_000));
    expect(events.filter((row) => row?.org === sales.caller.organizationId)).toEqual([]);
  });

  test('writes nothing for a row that leaves its card as it is', async () => {
    const { sales, cards } = await start(2);
    const rows = cards.map(({ id, title: titulo }) => ({ id, titulo }));
    const calls = await world.proxy.callsOf(async () =>
      expect(await update(sales, rows)).toMatchObject({ atualizadas: 2, erros: [] }),
    );
    expect(calls.TransactWriteItems).toBeUndefined();
    expect(await copiesIn(world.table, sales.stage(0).id)).toEqual(cards);
  });

  test('puts new cards and those that are there already into a stage in the order of the rows', async () => {
    const { sales, cards } = await start(2);
    const [one, other] = cards as [Card, Card];
    const { id: estagioId } = sales.stage(1);
    const create = (titulo: string) => ({ create: { pipelineId: sales.pipeline.id, titulo, estagioId } });
    const rows = [
      { update: { id: other.id, estagioId } },
      create('N1'),
      { update: { id: one.id, estagioId } },
      create('N2'),
    ];
    await importCards(sales.ports.cards, sales.caller, rows);
    const titles = (await copiesIn(world.table, estagioId)).map(({ title }) => title);
    expect(titles).toEqual([other.title, 'N1', one.title, 'N2']);
  });

  test('takes cards of several pipelines each through its own', async () => {
    const { sales, cards } = await start(3);
    const other = await startSales(world.table, () => world.now, undefined, sales.caller.organizationId);
    const theirs = [await other.create(), await other.create()];
    const rows = [
      ...cards.map(({ id }) => ({ id, estagioId: sales.stage(1).id })),
      ...theirs.map(({ id }) => ({ id, estagioId: other.stage(2).id })),
    ];
    expect(await update(sales, rows)).toEqual({ criadas: 0, atualizadas: 5, erros: [] });
    expect((await copiesIn(world.table, sales.stage(1).id)).length).toBe(3);
    expect((await copiesIn(world.table, other.stage(2).id)).map(({ id }) => id)).toEqual(theirs.map(({ id }) => id));
  });

  test('stores the good rows of a transaction that others do not pass, and those of one card one after another', async () => {
    const { sales, cards } = await start(30);
    const [first, second, third] = cards as [Card, Card, Card];
    const rows: CardUpdate[] = cards.map(({ id }) => ({ id, estagioId: sales.stage(2).id, titulo: 'B' }));
    rows[1] = { id: second.id, empresaId: newId('company') };
    rows[2] = { id: third.id, estagioId: newId('stage') };
    rows.push({ id: first.id, titulo: 'C', estagioId: sales.stage(3).id }, { id: newId('card'), titulo: 'D' });
    const { atualizadas, erros } = await update(sales, rows);
    expect(atualizadas).toBe(29);
    expect(erros.map(({ linha, mensagem }) => [linha, mensagem.split(' ')[0]])).toEqual([
      [2, 'empresaId'],
      [3, 'estagioId'],
      [32, 'There'],
    ]);
    expect(await sales.ports.cards.store.read(sales.caller.organizationId, first.id)).toMatchObject({ title: 'C' });
    expect(await historyOf(first.id)).toEqual(['criado', 'movido', 'movido']);
    expect((await copiesIn(world.table, sales.stage(2).id)).length).toBe(27);
    await expectCounted(sales);
  });

  test('fits into transactions whatever its rows change: contact, company, pipeline count and status with events together', async () => {
    const actor = await world.organization();
    const sales = await startSales(world.table, () => world.now, undefined, actor.organizationId);
    await takeEvents(world.table, 'test', actor.organizationId);
    const links = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => ({
        empresaId: accepted(await createCompany(kit.ports, actor, { nome: `E${at}` })).company.id,
        contatoId: (await kit.contact(actor)).id,
      })),
    );
    const create = links.map((link) => ({ create: { pipelineId: sales.pipeline.id, titulo: 'A', ...link } }));
    // All of one row of the counts, so that as many as possible share a transaction.
    for (let turn = 0; turn < 4; turn++) await importCards(sales.ports.cards, sales.caller, create);
    const cards = await copiesIn(world.table, sales.stage(0).id);
    const rows = cards.map(({ id }, at) => ({ id, ...links[(at + 7) % links.length], estagioId: sales.stage(4).id }));
    expect(await update(sales, rows)).toEqual({ criadas: 0, atualizadas: 160, erros: [] });
    await expectCounted(sales);
  });

  test('with lost responses counts each row once, and writes its history once', async () => {
    const { sales, cards } = await start(40);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { every: 2, last: 12 }));
    const rows = cards.map(({ id }) => ({ id, estagioId: sales.stage(1).id }));
    const outcome = await update(sales, rows);
    world.proxy.plan(undefined);
    expect(outcome).toEqual({ criadas: 0, atualizadas: 40, erros: [] });
    expect(await Promise.all(cards.map(({ id }) => historyOf(id)))).toEqual(cards.map(() => ['criado', 'movido']));
    await expectCounted(sales);
  });

  test('loses no card under 60 concurrent moves of the same cards and the deletion of a stage', async () => {
    const { sales, cards } = await start(60);
    const rows = cards.map(({ id }, at) => ({ id, titulo: 'X', estagioId: sales.stage(at % 2 === 0 ? 1 : 2).id }));
    const [outcome, ...moves] = await Promise.all([
      update(sales, rows),
      ...cards.map(({ id }) => moveCard(sales.ports.cards, sales.caller, id, { estagioId: sales.stage(3).id })),
      deleteStage(sales.ports.pipelines, sales.caller, { id: sales.pipeline.id, stageId: sales.stage(2).id }),
    ]);
    expect(outcome.atualizadas + outcome.erros.length).toBe(60);
    expect(moves.slice(0, -1).filter(isRefusal)).toEqual([]);
    const now = await sales.ports.cards.store.readMany(
      sales.caller.organizationId,
      cards.map(({ id }) => id),
    );
    expect(now).not.toContain(undefined);
    expect(now.filter((card) => card?.title === 'X')).toHaveLength(outcome.atualizadas);
    await expectCounted(sales);
  });
});

describe('batched calls', () => {
  test('are one call for those of one turn, each with its own answer, and fail together', async () => {
    const requested: (readonly number[])[] = [];
    const double = batched(async (items: readonly number[]) => {
      requested.push(items);
      if (items.includes(0)) throw new Error('none');
      return items.map((item) => item * 2);
    });
    expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
    expect(await double(4)).toBe(8);
    const failed = await Promise.allSettled([double(5), double(0)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(requested).toEqual([[1, 2, 3], [4], [5, 0]]);
  });
});
