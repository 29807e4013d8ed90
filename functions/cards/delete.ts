import { deleteCard as contract } from '../../shared/contracts/cards.ts';
import { deleteCard } from '../../shared/domain/cards/cards.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { deletionPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(contract, ({ actor, params }) => deleteCard(deletionPorts, actor, params.id));
