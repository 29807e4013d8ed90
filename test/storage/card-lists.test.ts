import { describe, expect, test } from 'vitest';
import type { CardFilter } from '../../shared/domain/cards/card.ts';
import { listCards } from '../../shared/domain/cards/list.ts';
import { closeCard, moveCard } from '../../shared/domain/cards/moves.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { newShardWrites } from '../../shared/storage/crm/company-counts.ts';
import { tombstoneWrite } from '../../shared/storage/crm/tombstones.ts';
import { use } from '../support/use.ts';
import { done, startSales } from './cards-kit.ts';
import { mergeStage } from './contact-merge-stage.ts';

const stage = await use(mergeStage());
const { table } = stage.world;
const NOTHING = { titles: [], total: 0 };
let phones = 88_870_000;
const person = () => stage.create({ phone: `+55119${++phones}`, optIn: { status: 'unknown' } });

/** Cards `a`, `b` and `c` of one contact and one company in the first stage, and lists of them. */
const begin = async () => {
  const { organizationId } = stage.actor;
  const sales = await startSales(table, () => stage.world.now, undefined, organizationId);
  const [contact, companyId] = [await person(), newId('company')];
  await table.transact(newShardWrites(organizationId, companyId));
  const links = { contatoId: contact.id, empresaId: companyId };
  for (const titulo of ['a', 'b', 'c']) {
    stage.world.now += 1_000;
    await sales.create({ titulo, ...links });
  }
  const list = async (filter: CardFilter, skip = 0, limit = 50) => {
    const { items, total } = await listCards(sales.ports.cards, sales.caller, filter, { skip, limit });
    return { titles: items.map(({ title }) => title), total };
  };
  return { sales, contact, companyId, list };
};

describe('a list of cards', () => {
  test('by a company that was just deleted finds none, though its cards still name it', async () => {
    const { sales, contact, companyId, list } = await begin();
    expect(await list({ companyId })).toEqual({ titles: ['c', 'b', 'a'], total: 3 });
    await table.transact([
      tombstoneWrite({ organizationId: sales.caller.organizationId, id: companyId, at: stage.world.now }),
    ]);
    expect(await list({ companyId })).toEqual(NOTHING);
    expect(await list({ companyId, status: 'aberto' })).toEqual(NOTHING);
    expect(await list({ companyId, contactId: contact.id })).toEqual(NOTHING);
    expect(await list({ companyId, stageId: sales.stage(0).id })).toEqual(NOTHING);
    expect(await list({ contactId: contact.id })).toMatchObject({ total: 3 });
  });

  test('by a contact that was just deleted or merged into another finds none', async () => {
    for (const end of ['deleted', 'merged'] as const) {
      const { contact, companyId, list } = await begin();
      expect(await list({ contactId: contact.id })).toMatchObject({ total: 3 });
      if (end === 'deleted') await deleteContact(stage.erasing, stage.actor, contact.id);
      else await stage.merge(await person(), contact);
      expect(await list({ contactId: contact.id })).toEqual(NOTHING);
      expect(await list({ contactId: contact.id, companyId })).toEqual(NOTHING);
      expect(await list({ companyId })).toMatchObject({ total: 3 });
    }
  });

  test('of a pipeline counts those of each status', async () => {
    const { sales, list } = await begin();
    const [a, b] = (await sales.ports.cards.store.inStage(sales.stage(0).id, undefined, 2)).cards;
    const { cards } = sales.ports;
    await done(closeCard(cards, sales.caller, a?.id ?? newId('card'), 'ganho'));
    await done(closeCard(cards, sales.caller, b?.id ?? newId('card'), 'perdido', 'Preço'));
    const { id: pipelineId } = sales.pipeline;
    expect(await list({ pipelineId })).toEqual({ titles: ['c', 'b', 'a'], total: 3 });
    expect(await list({ pipelineId, status: 'aberto' })).toEqual({ titles: ['c'], total: 1 });
    expect(await list({ pipelineId, status: 'ganho' })).toEqual({ titles: ['a'], total: 1 });
    expect(await list({ pipelineId, status: 'perdido' })).toEqual({ titles: ['b'], total: 1 });
  });

  test('of a stage is in the order of the board, whatever else filters it', async () => {
    const { sales, contact, companyId, list } = await begin();
    const { id: stageId } = sales.stage(0);
    const { items } = await listCards(sales.ports.cards, sales.caller, { stageId }, { skip: 0, limit: 50 });
    const [a, , c] = items;
    if (!a || !c) throw new Error('There are no such cards.');
    await moveCard(sales.ports.cards, sales.caller, c.id, { estagioId: stageId, antesDe: a.id });
    for (const filter of [{}, { contactId: contact.id }, { companyId }, { contactId: contact.id, companyId }]) {
      expect(await list({ stageId, ...filter })).toEqual({ titles: ['c', 'a', 'b'], total: 3 });
      expect(await list({ stageId, ...filter }, 1, 1)).toEqual({ titles: ['a'], total: 3 });
    }
  });
});
