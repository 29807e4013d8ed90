import { getEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/channels/email/template-views.ts';
import { findTemplate } from '../../shared/domain/channels/email/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/email/templates.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findTemplate(templatePorts, actor, params.id),
  templateView,
);
