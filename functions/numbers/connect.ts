import { connectNumber as contract } from '../../shared/contracts/numbers.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { connectWithTemplates } from '../../shared/domain/channels/whatsapp/templates/import.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => connectWithTemplates(templatePorts, actor, body),
  numberView,
);
