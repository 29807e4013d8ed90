import { loseCard as contract } from '../../shared/contracts/cards.ts';
import { closeCard } from '../../shared/domain/cards/moves.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => closeCard(cardPorts, actor, params.id, 'perdido', body.motivoPerda),
  cardView,
);
