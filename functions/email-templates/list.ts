import { listEmailTemplates as contract } from '../../shared/contracts/email-templates.ts';
import { templateSummaryView } from '../../shared/domain/email/template-views.ts';
import { templatePorts } from '../../shared/runtime/compose/email-templates.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query: { q, limit, skip } }) => {
  const { items, total } = await templatePorts.store.page(actor.organizationId, q, { limit, skip });
  return respond(200, { items: items.map(templateSummaryView), total });
});
