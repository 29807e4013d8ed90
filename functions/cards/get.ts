import { getCard as contract } from '../../shared/contracts/cards.ts';
import { getCard } from '../../shared/domain/cards/cards.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(contract, ({ actor, params }) => getCard(cardPorts, actor, params.id), cardView);
