import { getSmsReply as contract } from '../../shared/contracts/sms.ts';
import { replyView } from '../../shared/domain/inbound/sms-reply.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readReply } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => readReply(table, actor.organizationId, params.id).then(orNotFound('There is no such reply.')),
  (reply, { unmasked }) => replyView(reply, unmasked),
);
