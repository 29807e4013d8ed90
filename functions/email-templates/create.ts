import { createEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/channels/email/template-views.ts';
import { createTemplate } from '../../shared/domain/channels/email/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templateSavePorts } from '../../shared/wiring/email/save-templates.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createTemplate(templateSavePorts, actor, body),
  templateView,
);
