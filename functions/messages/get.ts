import { getMessage as contract } from '../../shared/contracts/messages.ts';
import { storedView } from '../../shared/domain/tracking/views.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readStored } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    readStored(table, actor.organizationId, params.id).then(orNotFound('There is no such message.')),
  (message, { unmasked }) => storedView(message, unmasked),
);
