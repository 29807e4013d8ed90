import { contactCards as contract } from '../../shared/contracts/cards.ts';
import { listCardsOf } from '../../shared/domain/cards/list.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(
  contract,
  ({ actor, params, query }) => listCardsOf(cardPorts, actor, { contactId: params.id }, query),
  itemsAs(cardView),
);
