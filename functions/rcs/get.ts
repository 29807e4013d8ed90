import { getRcs as contract } from '../../shared/contracts/rcs.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { rcsView } from '../../shared/domain/rcs/views.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readMessage(table, actor.organizationId, params.id);
  if (message?.channel !== 'rcs') return refuse('NOT_FOUND', 'There is no such RCS message.');
  return respond(200, rcsView(message, actor.scopes.has('pii:full')));
});
