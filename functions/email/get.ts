import { getEmail as contract } from '../../shared/contracts/email.ts';
import { emailView } from '../../shared/domain/channels/email/views.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readMessageOf } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    readMessageOf(table, actor.organizationId, 'email', params.id).then(orNotFound('There is no such e-mail.')),
  (message, { unmasked }) => emailView(message, unmasked),
);
