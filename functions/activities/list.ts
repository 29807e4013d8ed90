import { listActivities as contract } from '../../shared/contracts/activities.ts';
import { listActivities } from '../../shared/domain/activities/activities.ts';
import { activityView } from '../../shared/domain/activities/views.ts';
import { isoWindow } from '../../shared/domain/core/time.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { activityPorts } from '../../shared/wiring/activities/activities.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, cardId, contatoId, empresaId, responsavelId, concluida, tipo, de, ate } }) =>
    listActivities(
      activityPorts,
      actor,
      {
        cardId,
        contactId: contatoId,
        companyId: empresaId,
        responsibleId: responsavelId,
        type: tipo,
        ...(concluida === undefined ? {} : { isCompleted: concluida === 'true' }),
        ...isoWindow(de, ate),
      },
      { limit, skip },
    ),
  itemsAs(activityView),
);
