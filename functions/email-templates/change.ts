import { changeEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { templateView } from '../../shared/domain/channels/email/template-views.ts';
import { changeTemplate } from '../../shared/domain/channels/email/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templateSavePorts } from '../../shared/wiring/email/save-templates.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeTemplate(templateSavePorts, actor, params.id, body),
  templateView,
);
