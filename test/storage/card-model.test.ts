import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeCard, deleteCard } from '../../shared/domain/cards/cards.ts';
import { importCards } from '../../shared/domain/cards/import.ts';
import { closeCard, moveCard, reopenCard } from '../../shared/domain/cards/moves.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { archivePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { addStage, changeStage, deleteStage } from '../../shared/domain/pipelines/stages.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { newShardWrites, sumOfShards } from '../../shared/storage/crm/company-counts.ts';
import { Crash, crashingTable } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  copiesIn,
  countedNow,
  isCopied,
  portsOver,
  recounted,
  startSales,
  waitAsInvocations,
  waitNoMore,
} from './cards-kit.ts';

const world = await use(startWorld('test'));
beforeAll(waitAsInvocations);
afterAll(waitNoMore);
const SEED = Number(process.env.SEED ?? 20_261_126);
const random = (seed: number) => {
  let state = seed >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

describe(`counts (seed ${SEED})`, () => {
  test('equal a plain recount after any operations, ended by crashes between any two calls', async () => {
    const pick = random(SEED);
    const sales = await startSales(world.table, () => world.now);
    const { caller, pipeline, table } = sales;
    const companies = [newId('company'), newId('company')];
    for (const companyId of companies) await table.transact(newShardWrites(caller.organizationId, companyId));
    const ids = async () => (await recountedCards()).map(({ id }) => id);
    const recountedCards = async () => {
      const { pipeline: now } = await countedNow(sales);
      return (await Promise.all(now.stages.map(({ id }) => copiesIn(table, id)))).flat();
    };
    const act = async (over: Table): Promise<unknown> => {
      world.now += 1_000;
      const { cards, pipelines } = portsOver(over, () => world.now);
      const all = await ids();
      const id = all[pick(Math.max(1, all.length))];
      const { pipeline: now } = await countedNow(sales);
      const stage = now.stages[pick(now.stages.length)];
      if (!stage) throw new Error('A pipeline has stages.');
      const params = { id: pipeline.id, stageId: stage.id };
      const fields = { valor: pick(1_000), moeda: pick(2) ? 'BRL' : 'USD', empresaId: companies[pick(3)] };
      const reason = { motivoPerda: 'Preço' };
      const row = { pipelineId: pipeline.id, titulo: 'Novo', estagioId: stage.id, ...fields, ...reason };
      if (!id || all.length < 8) return importCards(cards, caller, [{ create: row }, { create: { ...row, valor: 1 } }]);
      const acts = [
        () => moveCard(cards, caller, id, { estagioId: stage.id, ...reason }),
        () => moveCard(cards, caller, id, { estagioId: stage.id, antesDe: all[pick(all.length)], ...reason }),
        () => changeCard(cards, caller, id, fields),
        () => changeCard(cards, caller, id, { valor: null, empresaId: null }),
        () => closeCard(cards, caller, id, 'ganho'),
        () => closeCard(cards, caller, id, 'perdido', 'Preço'),
        () => reopenCard(cards, caller, id, undefined),
        () =>
          importCards(cards, caller, [{ create: row }, { update: { id, ...fields, estagioId: stage.id, ...reason } }]),
        () => deleteCard({ ...cards, enqueueCleanUp: () => {} }, caller, id),
        () => addStage(pipelines, caller, pipeline.id, { nome: 'Mais' }),
        () => deleteStage(pipelines, caller, params),
        () =>
          changeStage(pipelines, caller, params, { tipo: pick(2) ? 'ganho' : 'aberto', tempoMaximoDias: 1 + pick(9) }),
        () => archivePipeline(pipelines, caller, pipeline.id, pick(4) === 0),
      ];
      return acts[pick(acts.length)]?.();
    };
    for (let step = 0; step < 300; step++) {
      const calls = pick(3) === 0 ? pick(8) : Number.POSITIVE_INFINITY;
      await act(crashingTable(table, calls)).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      if (step % 10 !== 0) continue;
      const { pipeline: now, counts } = await countedNow(sales);
      expect(counts, `step ${step}`).toEqual(await recounted(table, now));
    }
    const cards = await recountedCards();
    expect(await Promise.all(cards.map((card) => isCopied(table, card)))).toEqual(cards.map(() => true));
    for (const companyId of companies) {
      const own = cards.filter((card) => card.companyId === companyId);
      const open = own.filter(({ status }) => status === 'aberto');
      const rows = await table.queryAll({ partition: KEYS.company(companyId).pk, consistent: true });
      expect(sumOfShards(rows)).toMatchObject({
        cards: own.length,
        openCards: open.length,
        openCents: open.reduce((sum, { cents = 0 }) => sum + cents, 0),
        wonCards: own.filter(({ status }) => status === 'ganho').length,
      });
    }
  }, 180_000);
});
