import { describe, expect, test } from 'vitest';
import type { Card } from '../../shared/domain/cards/card.ts';
import { checkRequired, entered, withCheck, withStatus } from '../../shared/domain/cards/rules.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Pipeline, Stage } from '../../shared/domain/pipelines/pipeline.ts';
import { newStages } from '../../shared/domain/pipelines/stages.ts';

const NOW = 1_700_000_000_000;
const DAY = 24 * 3_600_000;
const stages = newStages([
  { nome: 'Aberto', tempoMaximoDias: 2 },
  { nome: 'Ganho', tipo: 'ganho' },
  { nome: 'Perdido', tipo: 'perdido' },
]).stages as [Stage, Stage, Stage];
const [open, won, lost] = stages;
const card = (fields: Partial<Card> = {}): Card => ({
  id: newId('card'),
  organizationId: newId('organization'),
  env: 'test',
  pipelineId: newId('pipeline'),
  stageId: open.id,
  stageKey: open.key,
  title: 'Renovação',
  currency: 'BRL',
  status: 'aberto',
  attributes: {},
  order: 'a0',
  stalled: false,
  stageSince: NOW,
  createdAt: NOW,
  updatedAt: NOW,
  version: 1,
  ...fields,
});
const pipelineOf = ({ organizationId, pipelineId: id }: Card): Pipeline => ({
  id,
  organizationId,
  env: 'test',
  name: 'Vendas',
  type: 'vendas',
  archived: false,
  ...newStages([{ nome: 'Aberto' }]),
  stages,
  createdAt: NOW,
  updatedAt: NOW,
  version: 1,
});
const into = (before: Card, stage: Stage, now: number, reason?: string) =>
  entered(before, { pipeline: pipelineOf(before), stage, order: 'a1' }, now, reason);

describe('a field that a stage requires', () => {
  const missing = (fields: Partial<Card>, ...requiredFields: string[]) =>
    checkRequired(card(fields), { ...open, requiredFields })?.details.errors?.map(({ path }) => path) ?? [];
  test('is missing where it is absent, null, or an empty text or list; 0 and false are values', () => {
    for (const value of [undefined, null, '', []] as never[])
      expect(missing({ attributes: { origem: value } }, 'atributos.origem')).toEqual(['atributos.origem']);
    for (const value of [0, false, 'feira', ['a']])
      expect(missing({ attributes: { origem: value } }, 'atributos.origem')).toEqual([]);
    expect(missing({ cents: 0 }, 'valor', 'dataPrevista')).toEqual(['dataPrevista']);
  });
});

describe('the status of a card', () => {
  test('keeps when it was won or lost while it stays so, and forgets it once it does not', () => {
    const first = into(card(), won, NOW + 1);
    expect(first).toMatchObject({ status: 'ganho', wonAt: NOW + 1, openStageId: open.id });
    expect(into(first, won, NOW + 2)).toMatchObject({ wonAt: NOW + 1, openStageId: open.id, stageSince: NOW + 2 });
    const second = into(card(), lost, NOW + 1, 'Preço');
    expect(second).toMatchObject({ status: 'perdido', lostAt: NOW + 1, lossReason: 'Preço' });
    expect(into(second, lost, NOW + 2)).toMatchObject({ lostAt: NOW + 1, lossReason: 'Preço' });
    const opened = into(second, open, NOW + 3);
    expect([opened.status, opened.lostAt, opened.lossReason, opened.openStageId]).toEqual([
      'aberto',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('ends that it is stalled, and so does another stage', () => {
    const stalled = card({ stalled: true });
    expect(withStatus(stalled, 'ganho', NOW).stalled).toBe(false);
    expect(withStatus(stalled, 'aberto', NOW).stalled).toBe(true);
    expect(into(stalled, { ...open, id: newId('stage') }, NOW).stalled).toBe(false);
  });
});

describe("the time of a card's stalled check", () => {
  test('is its limit, or an earlier time that is already set', () => {
    const limit = NOW + 2 * DAY;
    expect(withCheck(card(), open).checkAt).toBe(limit);
    expect(withCheck(card({ checkAt: limit + 1 }), open).checkAt).toBe(limit);
    expect(withCheck(card({ checkAt: limit - 1 }), open).checkAt).toBe(limit - 1);
    expect(withCheck(card({ status: 'ganho' }), open).checkAt).toBeUndefined();
    expect(withCheck(card(), { ...open, maxDays: undefined }).checkAt).toBeUndefined();
  });
});
