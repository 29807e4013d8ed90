import { listSms as contract } from '../../shared/contracts/sms.ts';
import { listSms } from '../../shared/domain/channels/sms/list.ts';
import { smsView } from '../../shared/domain/channels/sms/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listPorts } from '../../shared/wiring/messages/lists.ts';

export const handler = operation(contract, ({ actor, query }) => listSms(listPorts, actor, query), itemsAs(smsView));
