import { describe, expect, test } from 'vitest';
import type { Card, CardCaller } from '../../shared/domain/cards/card.ts';
import { newCard } from '../../shared/domain/cards/cards.ts';
import { changeOf, eventsOf, silentChange, stalledChange } from '../../shared/domain/cards/records.ts';
import { entered } from '../../shared/domain/cards/rules.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Pipeline } from '../../shared/domain/pipelines/pipeline.ts';
import { newStages } from '../../shared/domain/pipelines/stages.ts';

const NOW = 1_700_000_000_000;
const caller: CardCaller = { organizationId: newId('organization'), env: 'test', credentialId: newId('apiKey') };
const pipeline: Pipeline = {
  id: newId('pipeline'),
  organizationId: caller.organizationId,
  env: caller.env,
  name: 'Vendas',
  type: 'vendas',
  archived: false,
  ...newStages([{ nome: 'Um' }, { nome: 'Ganho', tipo: 'ganho' }, { nome: 'Perdido', tipo: 'perdido' }]),
  createdAt: NOW,
  updatedAt: NOW,
  version: 1,
};
const targetOf = (at: number) => {
  const stage = pipeline.stages[at];
  if (!stage) throw new Error(`There is no stage ${at}.`);
  return { pipeline, stage, order: 'a0' };
};
const created = (at: number): Card =>
  newCard(
    caller,
    newId('card'),
    { pipelineId: pipeline.id, titulo: 'Renovação', motivoPerda: 'Preço' },
    targetOf(at),
    NOW,
  );
const reported = (before: Card | undefined, after: Card) =>
  eventsOf(before, after, NOW).map(({ type, createdAt }) => [type, createdAt - NOW]);

test('a card that is won or lost on creation or by a move raises that event 1 ms later', () => {
  expect(reported(undefined, created(0))).toEqual([['card.created', 0]]);
  for (const [at, type] of [
    [1, 'card.won'],
    [2, 'card.lost'],
  ] as const) {
    expect(reported(undefined, created(at))).toEqual([
      ['card.created', 0],
      [type, 1],
    ]);
    const open = created(0);
    expect(reported(open, entered(open, targetOf(at), NOW, 'Preço'))).toEqual([
      ['card.moved', 0],
      [type, 1],
    ]);
    const here: Card = { ...open, status: at === 1 ? 'ganho' : 'perdido' };
    expect(reported(open, here)).toEqual([[type, 0]]);
  }
});

/** Texts of people, none of which an event may have. */
const SECRET = 'Segredo de Ana';
const links = { contactId: newId('contact'), companyId: newId('company'), responsibleId: newId('account') };
const full = (at = 0, more: Partial<Card> = {}): Card => ({
  ...created(at),
  ...links,
  title: SECRET,
  cents: 1_250_050,
  currency: 'USD',
  expectedOn: '2026-06-30',
  attributes: { nota: SECRET },
  stageSince: NOW,
  ...more,
});
const stageId = (at: number) => targetOf(at).stage.id;
const sent = (before: Card | undefined, after: Card) => {
  const { events } = changeOf(caller, before, after, NOW);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  return events.map(({ type, organizationId, env, data }) => ({ type, organizationId, env, data }));
};
const tenant = { organizationId: caller.organizationId, env: caller.env };
const common = (card: Card, at: number, status: Card['status']) => ({
  cardId: card.id,
  pipelineId: pipeline.id,
  estagioId: stageId(at),
  contatoId: links.contactId,
  empresaId: links.companyId,
  status,
});

describe('the data of the events of cards', () => {
  test('of card.created are ids and the status, without what the card does not have', () => {
    const card = full();
    expect(sent(undefined, card)).toEqual([{ type: 'card.created', ...tenant, data: common(card, 0, 'aberto') }]);
    const bare = created(0);
    const data = { cardId: bare.id, pipelineId: pipeline.id, estagioId: stageId(0), status: 'aberto' };
    expect(sent(undefined, bare)).toEqual([{ type: 'card.created', ...tenant, data }]);
  });

  test('of card.moved have the stage that it left as well', () => {
    const card = full();
    const other = { ...full(1, { id: card.id }), status: 'aberto' as const };
    const data = { ...common(card, 1, 'aberto'), estagioAnteriorId: stageId(0) };
    expect(sent(card, other)).toEqual([{ type: 'card.moved', ...tenant, data }]);
  });

  test('of card.won and card.lost include the value, without the loss reason', () => {
    const worth = { valor: 12_500.5, moeda: 'USD' };
    for (const [at, type, status] of [
      [1, 'card.won', 'ganho'],
      [2, 'card.lost', 'perdido'],
    ] as const) {
      const card = full();
      const after = entered(card, targetOf(at), NOW, SECRET);
      const data = common(card, at, status);
      expect(sent(card, after)).toEqual([
        { type: 'card.moved', ...tenant, data: { ...data, estagioAnteriorId: stageId(0) } },
        { type, ...tenant, data: { ...data, ...worth } },
      ]);
      const { cents: _, ...free } = after;
      expect(sent(card, free)[1]).toEqual({ type, ...tenant, data: { ...data, moeda: 'USD' } });
    }
  });

  test('of card.stalled include since when it has been in its stage, and the limit of days', () => {
    const card = full(0, { stageSince: NOW - 9 * 24 * 3_600_000 });
    const { events } = stalledChange(card, { ...card, stalled: true }, 7, NOW);
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'card.stalled',
        data: { ...common(card, 0, 'aberto'), estagioDesde: '2023-11-05T22:13:20.000Z', tempoMaximoDias: 7 },
      },
    ]);
  });

  test('are none if only fields or the position change, a card is reopened in place, or a link is cleared', () => {
    const card = full();
    expect(sent(card, { ...card, title: 'Outro', cents: 1 })).toEqual([]);
    expect(sent(card, { ...card, order: 'a1' })).toEqual([]);
    expect(sent({ ...card, status: 'ganho' }, card)).toEqual([]);
    expect(silentChange(card, { ...card, contactId: undefined }).events).toEqual([]);
  });
});
