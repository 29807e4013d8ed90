import { submitTemplate as contract } from '../../shared/contracts/templates.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { templateView } from '../../shared/domain/channels/whatsapp/templates/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => submitTemplate(templatePorts, actor, params.id),
  templateView,
);
