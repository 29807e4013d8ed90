import { getRcs as contract } from '../../shared/contracts/rcs.ts';
import { rcsView } from '../../shared/domain/channels/rcs/views.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readMessageOf } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    readMessageOf(table, actor.organizationId, 'rcs', params.id).then(orNotFound('There is no such RCS message.')),
  (message, { unmasked }) => rcsView(message, unmasked),
);
