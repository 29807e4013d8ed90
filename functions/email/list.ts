import { listEmails as contract } from '../../shared/contracts/email.ts';
import { listEmails } from '../../shared/domain/channels/email/list.ts';
import { emailView } from '../../shared/domain/channels/email/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listPorts } from '../../shared/wiring/messages/lists.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => listEmails(listPorts, actor, query),
  itemsAs(emailView),
);
