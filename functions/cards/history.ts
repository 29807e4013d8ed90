import { cardHistory as contract } from '../../shared/contracts/cards.ts';
import { findCard } from '../../shared/domain/cards/place.ts';
import { entryView } from '../../shared/domain/cards/views.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { cardPorts, historyOf } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const card = await findCard(cardPorts, actor, params.id);
    return isRefusal(card) ? card : historyOf(card, await cursorRequest(contract, actor, { ...query, ...params }));
  },
  itemsAs(entryView),
);
