import { listStageCards as contract } from '../../shared/contracts/boards.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { stagePage } from '../../shared/wiring/pipelines/boards.ts';

export const handler = operation(
  contract,
  ({ actor, params, query }) => stagePage(actor, params, query),
  itemsAs(cardView),
);
