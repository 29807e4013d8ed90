import { createCard as contract } from '../../shared/contracts/cards.ts';
import { createCard } from '../../shared/domain/cards/cards.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(contract, ({ actor, body }) => createCard(cardPorts, actor, body), cardView);
