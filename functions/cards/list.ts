import { listCards as contract } from '../../shared/contracts/cards.ts';
import { listCards } from '../../shared/domain/cards/list.ts';
import { cardView } from '../../shared/domain/cards/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cardPorts } from '../../shared/wiring/pipelines/cards.ts';

export const handler = operation(
  contract,
  ({ actor, query: { estagioId, responsavelId, contatoId, empresaId, pipelineId, status, limit, skip } }) =>
    listCards(
      cardPorts,
      actor,
      {
        pipelineId,
        stageId: estagioId,
        status,
        responsibleId: responsavelId,
        contactId: contatoId,
        companyId: empresaId,
      },
      { limit, skip },
    ),
  itemsAs(cardView),
);
