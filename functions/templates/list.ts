import { listTemplates as contract } from '../../shared/contracts/templates.ts';
import { templateView } from '../../shared/domain/channels/whatsapp/templates/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, ...filter } }) =>
    templatePorts.templates.page(actor.organizationId, filter, { limit, skip }),
  itemsAs(templateView),
);
