import { getSms as contract } from '../../shared/contracts/sms.ts';
import { smsView } from '../../shared/domain/channels/sms/views.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readMessageOf } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    readMessageOf(table, actor.organizationId, 'sms', params.id).then(orNotFound('There is no such SMS.')),
  (message, { unmasked }) => smsView(message, unmasked),
);
