import { importCards as contract } from '../../shared/contracts/cards.ts';
import { importCards } from '../../shared/domain/cards/import.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const { erros, ...counts } = await importCards(cardPorts, actor, body.cartoes);
  return { ...counts, erros: [...erros] };
});
