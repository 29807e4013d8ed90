import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCards } from '../../shared/domain/cards/import.ts';
import { closeCard, moveCard } from '../../shared/domain/cards/moves.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { deletePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { addStage, changeStage, deleteStage } from '../../shared/domain/pipelines/stages.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  copiesIn,
  countedNow,
  done,
  isCopied,
  recounted,
  type Sales,
  startSales,
  waitAsInvocations,
  waitNoMore,
} from './cards-kit.ts';

const world = await use(startWorld('test'));
beforeAll(waitAsInvocations);
afterAll(waitNoMore);
const start = (stages?: Parameters<typeof startSales>[2]) => startSales(world.table, () => world.now, stages);
const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));
/** Every card is in one stage, as its row says, and counted there. */
const expectConsistent = async (sales: Sales, cards: number): Promise<void> => {
  const { pipeline, counts } = await countedNow(sales);
  expect(counts).toEqual(await recounted(world.table, pipeline));
  expect(counts.cards).toBe(cards);
  const copies = (await Promise.all(pipeline.stages.map(({ id }) => copiesIn(world.table, id)))).flat();
  expect(new Set(copies.map(({ id }) => id)).size).toBe(cards);
  expect(await Promise.all(copies.map((card) => isCopied(world.table, card)))).toEqual(copies.map(() => true));
};

describe('concurrently', () => {
  test('200 moves in one stage keep one total order and lose no card', async () => {
    const sales = await start();
    const cartoes = Array.from({ length: 100 }, (_, at) => ({
      create: { pipelineId: sales.pipeline.id, titulo: String(at) },
    }));
    await importCards(sales.ports.cards, sales.caller, cartoes);
    const cards = await copiesIn(world.table, sales.stage(0).id);
    const anyOf = (at: number) => cards[(at * 7_919) % cards.length];
    const answers = await times(200, async (at) => {
      const [card, beside] = [anyOf(at), anyOf(at + 13)];
      if (!card || !beside) throw new Error('There is no such card.');
      const place = at % 3 === 0 ? {} : at % 3 === 1 ? { antesDe: beside.id } : { depoisDe: beside.id };
      return moveCard(sales.ports.cards, sales.caller, card.id, { estagioId: sales.stage(0).id, ...place });
    });
    expect(answers.filter(isRefusal)).toEqual([]);
    await expectConsistent(sales, 100);
    const orders = (await copiesIn(world.table, sales.stage(0).id)).map(({ order, id }) => `${order}#${id}`);
    expect(orders).toEqual(orders.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test('200 wins of one card are one win and 199 conflicts', async () => {
    const sales = await start();
    const card = await sales.create({ valor: 10 });
    const answers = await times(200, () => closeCard(sales.ports.cards, sales.caller, card.id, 'ganho'));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
    expect(answers.filter(isRefusal).map(({ name }) => name)).toEqual(Array.from({ length: 199 }, () => 'CONFLICT'));
    await expectConsistent(sales, 1);
    expect((await countedNow(sales)).counts).toMatchObject({ won: 1, lost: 0 });
  });

  test('100 creations in one stage are all there, each in a place of its own', async () => {
    const sales = await start();
    await times(100, (at) => sales.create({ valor: at }));
    await expectConsistent(sales, 100);
  });

  test('of cards that move into a stage and its deletion one side wins: no card is in a stage that is gone', async () => {
    for (let round = 0; round < 10; round++) {
      const sales = await start();
      const cards = await times(6, () => sales.create());
      const target = sales.stage(1);
      const params = { id: sales.pipeline.id, stageId: target.id };
      const moves = cards.map(
        ({ id }) =>
          () =>
            moveCard(sales.ports.cards, sales.caller, id, { estagioId: target.id }),
      );
      const remove = () => deleteStage(sales.ports.pipelines, sales.caller, params);
      const work = [...moves.slice(0, round % 6), remove, ...moves.slice(round % 6)];
      const answers = await Promise.all(work.map((one) => one()));
      const [removed] = answers.splice(round % 6, 1);
      const isGone = removed === undefined;
      const inside = await copiesIn(world.table, target.id);
      expect(inside.length).toBe(answers.filter((answer) => !isRefusal(answer)).length);
      expect(isGone ? inside.length : 6).toBe(isGone ? 0 : 6);
      await expectConsistent(sales, 6);
    }
  });

  test('a stage never becomes a won one under the cards that move into it', async () => {
    for (let round = 0; round < 10; round++) {
      const sales = await start([{ nome: 'Um' }, { nome: 'Dois' }]);
      const [card, target] = [await sales.create(), sales.stage(1)];
      const params = { id: sales.pipeline.id, stageId: target.id };
      const retype = () => changeStage(sales.ports.pipelines, sales.caller, params, { tipo: 'ganho' });
      const move = () => moveCard(sales.ports.cards, sales.caller, card.id, { estagioId: target.id });
      await Promise.all(round % 2 ? [retype(), move()] : [move(), retype()]);
      const { pipeline } = await countedNow(sales);
      const [inside] = await copiesIn(world.table, target.id);
      expect(inside?.status).toBe(pipeline.stages[1]?.type);
      await expectConsistent(sales, 1);
    }
  });

  test('a pipeline that is deleted leaves no card that was created meanwhile', async () => {
    const sales = await start();
    const creations = times(5, () =>
      sales.create().then(
        () => 1,
        () => 0,
      ),
    );
    const removed = await deletePipeline(sales.ports.pipelines, sales.caller, sales.pipeline.id);
    const created = (await creations).filter(Boolean).length;
    const left = await copiesIn(world.table, sales.stage(0).id);
    expect(left).toHaveLength(created);
    expect(removed === undefined ? created : 0).toBe(0);
  });

  test('stages that are added concurrently are all there', async () => {
    const sales = await start();
    await times(8, (at) => done(addStage(sales.ports.pipelines, sales.caller, sales.pipeline.id, { nome: `E${at}` })));
    expect((await countedNow(sales)).pipeline.stages).toHaveLength(14);
  });
});
