import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeCard, createCard, deleteCard } from '../../shared/domain/cards/cards.ts';
import { closeCard, moveCard, reopenCard } from '../../shared/domain/cards/moves.ts';
import { createCompany, deleteCompany } from '../../shared/domain/companies/companies.ts';
import { archivePipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf } from '../support/companies.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { copiesIn, done, type Sales, startSales, waitAsInvocations, waitNoMore } from './cards-kit.ts';

const world = await use(startWorld('test'));
beforeAll(waitAsInvocations);
afterAll(waitNoMore);
const kit = companiesOf(world);
const DAY = 24 * 3_600_000;
const start = (stages?: Parameters<typeof startSales>[2]) => startSales(world.table, () => world.now, stages);
const move = (sales: Sales, id: Parameters<typeof moveCard>[2], to: Parameters<typeof moveCard>[3]) =>
  done(moveCard(sales.ports.cards, sales.caller, id, to));

describe('a move', () => {
  test('to where the card is already changes nothing', async () => {
    const sales = await start();
    const [first, second, third] = [await sales.create(), await sales.create(), await sales.create()];
    const { id: estagioId } = sales.stage(0);
    expect(await move(sales, third.id, { estagioId })).toEqual(third);
    expect(await move(sales, second.id, { estagioId, depoisDe: first.id })).toEqual(second);
    expect(await move(sales, second.id, { estagioId, antesDe: third.id })).toEqual(second);
    expect(await move(sales, first.id, { estagioId, antesDe: second.id })).toEqual(first);
    expect((await copiesIn(world.table, estagioId)).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });

  test('within its stage adds nothing to the history, and is refused in an archived pipeline', async () => {
    const sales = await start();
    const [first, second] = [await sales.create(), await sales.create()];
    const { id: estagioId } = sales.stage(0);
    await move(sales, first.id, { estagioId, depoisDe: second.id });
    const { pk: partition, sk: prefix } = KEYS.cardHistory(first.id, '');
    const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
    expect((await world.table.queryAll({ partition, sort })).map(({ act }) => act)).toEqual(['criado']);
    await done(archivePipeline(sales.ports.pipelines, sales.caller, sales.pipeline.id, true));
    expect(await moveCard(sales.ports.cards, sales.caller, second.id, { estagioId })).toMatchObject({
      name: 'CONFLICT',
      details: { meta: { code: 'PIPELINE_ARQUIVADO' } },
    });
  });
});

describe('a card of a company that was just deleted', () => {
  test('moves and changes as any other, and names it no more once it is shown', async () => {
    const actor = await world.organization();
    const sales = await startSales(world.table, () => world.now, undefined, actor.organizationId);
    const { id: empresaId } = accepted(await createCompany(kit.ports, actor, { nome: 'Padaria' })).company;
    const card = await sales.create({ empresaId, valor: 10 });
    expect(await deleteCompany(kit.ports, actor, empresaId)).toBeUndefined();
    const moved = await move(sales, card.id, { estagioId: sales.stage(1).id });
    expect(moved).toMatchObject({ stageId: sales.stage(1).id, companyId: undefined });
    const won = await done(closeCard(sales.ports.cards, sales.caller, card.id, 'ganho'));
    expect(won).toMatchObject({ status: 'ganho', companyId: undefined });
  });
});

describe('a deleted card', () => {
  test('leaves a tombstone whose work is due immediately', async () => {
    const sales = await start();
    const { id } = await sales.create();
    const ports = { ...sales.ports.cards, enqueueCleanUp: () => {} };
    expect(await deleteCard(ports, sales.caller, id)).toBeUndefined();
    const tombstone = await world.table.get(KEYS.tombstone(sales.caller.organizationId, id));
    expect(tombstone).toMatchObject({ id, dueAt: world.now });
    expect(await copiesIn(world.table, sales.stage(0).id)).toEqual([]);
  });
});

describe('a card that is won where it is, for want of a stage of that type', () => {
  test('is in its stage since it was opened again, and its limit counts from then', async () => {
    const sales = await start([{ nome: 'Único', tempoMaximoDias: 3 }]);
    const card = await sales.create();
    world.now += DAY;
    const won = await done(closeCard(sales.ports.cards, sales.caller, card.id, 'ganho'));
    expect(won).toMatchObject({
      status: 'ganho',
      stageId: card.stageId,
      stageSince: card.stageSince,
      wonAt: world.now,
    });
    world.now += 5 * DAY;
    const opened = await done(reopenCard(sales.ports.cards, sales.caller, card.id, undefined));
    expect(opened).toMatchObject({ status: 'aberto', stageId: card.stageId, stageSince: world.now, stalled: false });
    expect(opened.wonAt).toBeUndefined();
  });
});

describe('a creation', () => {
  test('whose answer was lost, of a card that another caller changed before it was repeated, is that one card', async () => {
    const sales = await start();
    let transactions = 0;
    world.proxy.plan(({ action }) => {
      if (action !== 'TransactWriteItems') return undefined;
      transactions++;
      return [FAULTS.loseAnswer, { kind: 'delay' as const, ms: 1_500 }][transactions - 1];
    });
    const input = { pipelineId: sales.pipeline.id, titulo: 'Renovação' };
    const making = done(createCard(sales.ports.cards, sales.caller, input));
    const stored = await vi.waitFor(async () => {
      const [card] = await copiesIn(world.table, sales.stage(0).id);
      return card ?? expect.fail('a card');
    }, PATIENCE);
    await vi.waitFor(() => expect(transactions).toBe(2), PATIENCE);
    await done(changeCard(sales.ports.cards, sales.caller, stored.id, { titulo: 'Outro' }));
    const made = await making;
    world.proxy.plan(undefined);
    expect(made).toMatchObject({ id: stored.id, title: 'Outro', version: 2 });
    expect(await copiesIn(world.table, sales.stage(0).id)).toHaveLength(1);
  });
});
