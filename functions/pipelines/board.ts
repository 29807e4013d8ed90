import { readBoard as contract } from '../../shared/contracts/boards.ts';
import { readBoard } from '../../shared/domain/cards/board.ts';
import { boardView } from '../../shared/domain/cards/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { stageCursors } from '../../shared/wiring/pipelines/boards.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(
  contract,
  ({ actor, params, query }) => readBoard(cardPorts, actor, params.id, query.limit),
  async (board, { actor, params }) => boardView(board, await stageCursors(actor, params.id)),
);
