import { syncNumber as contract } from '../../shared/contracts/numbers.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { syncWithTemplates } from '../../shared/domain/channels/whatsapp/templates/import.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => syncWithTemplates(templatePorts, actor, params.numberId),
  numberView,
);
