import { listSmsReplies as contract } from '../../shared/contracts/sms.ts';
import { isoWindow } from '../../shared/domain/core/time.ts';
import { replyView } from '../../shared/domain/inbound/sms-reply.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listReplyPage } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, from, to, inReplyTo } }) =>
    listReplyPage(table, actor.organizationId, { inReplyTo, ...isoWindow(from, to) }, { limit, skip }),
  itemsAs(replyView),
);
