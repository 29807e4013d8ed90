import { expect, test } from 'vitest';
import type { Card } from '../../shared/domain/cards/card.ts';
import { changeCard, createCard, getCard } from '../../shared/domain/cards/cards.ts';
import { importCards } from '../../shared/domain/cards/import.ts';
import { closeCard, moveCard, reopenCard } from '../../shared/domain/cards/moves.ts';
import { createCompany, deleteCompany } from '../../shared/domain/companies/companies.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createPipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { deleteStage, newStages } from '../../shared/domain/pipelines/stages.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { PIPELINE_SHARDS } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { crmOver } from './stage.ts';

const world = await use(startWorld('test'));
const crm = crmOver(world.table, () => world.now);

interface Own {
  readonly actor: Actor;
  readonly card: Card;
  readonly stageId: Id<'stage'>;
}
/** A pipeline whose second stage requires a company, and a card with a deleted one. */
const unlinked = async (before: (own: Own) => Promise<void> = async () => {}) => {
  const actor = await world.organization(1, false);
  const stages = newStages([{ nome: 'Novo' }, { nome: 'Proposta', camposObrigatorios: ['empresaId'] }]);
  const pipeline = accepted(await createPipeline(crm.pipelines, actor, { name: 'Vendas', type: 'vendas', stages }));
  const { company } = accepted(await createCompany(crm.companies.ports, actor, { nome: 'Padaria' }));
  const body = { pipelineId: pipeline.id, titulo: 'Renovação', empresaId: company.id };
  const card = accepted(await createCard(crm.cards, actor, body));
  const own = { actor, card, company, stageId: pipeline.stages[1]?.id as Id<'stage'> };
  await before(own);
  await deleteCompany(crm.companies.ports, actor, company.id);
  return own;
};

test('a card whose company was deleted lacks it for a stage that requires one, before any worker cleared the link', async () => {
  const { actor, card, stageId } = await unlinked();
  expect(await moveCard(crm.cards, actor, card.id, { estagioId: stageId })).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { errors: [{ path: 'empresaId' }] },
  });
});

test('a won card that is reopened in place lacks its deleted company as well', async () => {
  const { actor, card, stageId } = await unlinked(async (own) => {
    accepted(await moveCard(crm.cards, own.actor, own.card.id, { estagioId: own.stageId }));
    accepted(await closeCard(crm.cards, own.actor, own.card.id, 'ganho'));
  });
  expect(accepted(await getCard(crm.cards, actor, card.id))).toMatchObject({ stageId, status: 'ganho' });
  expect(await reopenCard(crm.cards, actor, card.id, undefined)).toMatchObject({
    details: { errors: [{ path: 'empresaId' }] },
  });
});

test('a card whose contact was deleted lacks it when moved, won or imported into a stage that requires one', async () => {
  const actor = await world.organization(1, false);
  const asking = { camposObrigatorios: ['contatoId'] };
  const stages = newStages([
    { nome: 'Novo' },
    { nome: 'Proposta', ...asking },
    { nome: 'Ganho', tipo: 'ganho', ...asking },
  ]);
  const pipeline = accepted(await createPipeline(crm.pipelines, actor, { name: 'Vendas', type: 'vendas', stages }));
  const contact = accepted(await createContact(crm.contacts, actor, { phone: '+5511986200001' }));
  const body = { pipelineId: pipeline.id, titulo: 'Renovação', contatoId: contact.id };
  const { id } = accepted(await createCard(crm.cards, actor, body));
  const estagioId = pipeline.stages[1]?.id as Id<'stage'>;
  await deleteContact(crm.deletingContacts, actor, contact.id);
  expect((await crm.cards.store.find(id))?.contactId).toBe(contact.id);
  const refused = { name: 'VALIDATION_ERROR', details: { errors: [{ path: 'contatoId' }] } };
  expect(await moveCard(crm.cards, actor, id, { estagioId })).toMatchObject(refused);
  expect(await closeCard(crm.cards, actor, id, 'ganho')).toMatchObject(refused);
  const erros = [{ linha: 1, mensagem: 'contatoId is required to enter this stage' }];
  expect(await importCards(crm.cards, actor, [{ update: { id, estagioId } }])).toMatchObject({ atualizadas: 0, erros });
});

test('a card does not name again the deleted company that it named', async () => {
  const { actor, card, company } = await unlinked();
  const refused = { details: { meta: { code: 'VINCULO_INVALIDO' }, errors: [{ path: 'empresaId' }] } };
  expect(await changeCard(crm.cards, actor, card.id, { empresaId: company.id })).toMatchObject(refused);
  const row = { update: { id: card.id, empresaId: company.id, titulo: 'Outro' } };
  expect(await importCards(crm.cards, actor, [row])).toMatchObject({ atualizadas: 0, erros: [{ linha: 1 }] });
});

test("an import row can't give a loss reason to a card that is not lost, like a change", async () => {
  const actor = await world.organization(1, false);
  const { id: pipelineId } = accepted(
    await createPipeline(crm.pipelines, actor, { name: 'Vendas', type: 'vendas', stages: newStages() }),
  );
  const card = accepted(await createCard(crm.cards, actor, { pipelineId, titulo: 'Renovação' }));
  const row = { update: { id: card.id, motivoPerda: 'preço' } };
  const { atualizadas, erros } = await importCards(crm.cards, actor, [row]);
  expect([atualizadas, erros]).toEqual([0, [{ linha: 1, mensagem: expect.stringContaining('motivoPerda') }]]);
  expect(accepted(await getCard(crm.cards, actor, card.id)).lossReason).toBeUndefined();
});

test('a deleted stage leaves no count of its cards and values in any shard', async () => {
  const actor = await world.organization(1, false);
  const stages = newStages([{ nome: 'Novo' }, { nome: 'Proposta' }]);
  const pipeline = accepted(await createPipeline(crm.pipelines, actor, { name: 'Vendas', type: 'vendas', stages }));
  const [first, second] = pipeline.stages;
  const countsOfSecond = async () => {
    const rows = await world.table.queryAll({ partition: KEYS.pipeline(pipeline.id).pk, consistent: true });
    const shards = rows.filter(({ sk }) => sk !== KEYS.pipeline(pipeline.id).sk);
    expect(shards).toHaveLength(PIPELINE_SHARDS);
    return shards.map((row) => Object.keys(row).filter((name) => name.split('_')[1] === second?.key).length);
  };
  const body = { pipelineId: pipeline.id, titulo: 'Renovação', estagioId: second?.id, valor: 10 };
  // Fewer than shards: some have values to lose, some have none.
  const ids: Id<'card'>[] = [];
  for (let nth = 0; nth < 3; nth++) ids.push(accepted(await createCard(crm.cards, actor, body)).id);
  expect(new Set(await countsOfSecond())).toEqual(new Set([1, 3]));
  for (const id of ids) accepted(await moveCard(crm.cards, actor, id, { estagioId: first?.id as Id<'stage'> }));
  accepted(await deleteStage(crm.pipelines, actor, { id: pipeline.id, stageId: second?.id as Id<'stage'> }));
  expect(await countsOfSecond()).toEqual(Array(PIPELINE_SHARDS).fill(0));
});
