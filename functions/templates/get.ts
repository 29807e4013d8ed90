import { getTemplate as contract } from '../../shared/contracts/templates.ts';
import { findTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import { templateView } from '../../shared/domain/channels/whatsapp/templates/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findTemplate(templatePorts, actor, params.id),
  templateView,
);
