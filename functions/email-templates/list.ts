import { listEmailTemplates as contract } from '../../shared/contracts/email-templates.ts';
import { templateSummaryView } from '../../shared/domain/channels/email/template-views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/email/templates.ts';

export const handler = operation(
  contract,
  ({ actor, query: { q, limit, skip } }) => templatePorts.store.page(actor.organizationId, q, { limit, skip }),
  itemsAs(templateSummaryView),
);
