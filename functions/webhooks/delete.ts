import { deleteWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(contract, ({ actor, params }) => revokeSubscription(webhookPorts, actor, params.id));
