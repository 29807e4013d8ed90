import { getSms as contract } from '../../shared/contracts/sms.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { smsView } from '../../shared/domain/sms/views.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readMessage(table, actor.organizationId, params.id);
  if (message?.channel !== 'sms') return refuse('NOT_FOUND', 'There is no such SMS.');
  return respond(200, smsView(message, actor.scopes.has('pii:full')));
});
