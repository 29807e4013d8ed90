import { createTemplate as contract } from '../../shared/contracts/templates.ts';
import { createTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import { templateView } from '../../shared/domain/channels/whatsapp/templates/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createTemplate(templatePorts, actor, body),
  templateView,
);
