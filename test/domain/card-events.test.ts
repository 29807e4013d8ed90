import { expect, test } from 'vitest';
import type { Card, CardCaller } from '../../shared/domain/cards/card.ts';
import { newCard } from '../../shared/domain/cards/cards.ts';
import { eventsOf } from '../../shared/domain/cards/records.ts';
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
const told = (before: Card | undefined, after: Card) =>
  eventsOf(before, after, NOW).map(({ type, createdAt }) => [type, createdAt - NOW]);

test('a card that is won or lost where it is created or moved to is so 1 ms after that', () => {
  expect(told(undefined, created(0))).toEqual([['card.created', 0]]);
  for (const [at, type] of [
    [1, 'card.won'],
    [2, 'card.lost'],
  ] as const) {
    expect(told(undefined, created(at))).toEqual([
      ['card.created', 0],
      [type, 1],
    ]);
    const open = created(0);
    expect(told(open, entered(open, targetOf(at), NOW, 'Preço'))).toEqual([
      ['card.moved', 0],
      [type, 1],
    ]);
    const here: Card = { ...open, status: at === 1 ? 'ganho' : 'perdido' };
    expect(told(open, here)).toEqual([[type, 0]]);
  }
});
