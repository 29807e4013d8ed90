import type { QueuedMessage } from '../../domain/message/message.ts';
import type { CreatePushPorts } from '../../domain/push-messages/ports.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { audienceSource } from '../../storage/push/audience.ts';
import { pushCreationStore } from '../../storage/push/create.ts';
import { earliestSendAt } from '../access/settings.ts';
import { clock, publishWork, publishWorkAt, settings, table, vaults } from '../process/aws.ts';
import { messageWorkItem } from '../sending/message-work-item.ts';
import { balance, noteDepleted } from '../wallet/funds.ts';
import { quotePorts } from '../wallet/quote.ts';

/** Enqueues a queued message for a time (ms). Best effort. */
const enqueueSend = (message: QueuedMessage, at: number): void =>
  publishWorkAt([messageWorkItem('send_message', message)], at);

export const createPushPorts: CreatePushPorts = {
  clock,
  earliestSendAt: (organizationId, at) => earliestSendAt(organizationId, 'push', at),
  recipientHashOf: async (organizationId, kind, to) => (await vaults.recipients()).blindIndex(organizationId, kind, to),
  sendDeadlineMs: settings.SEND_DEADLINE_SECONDS * 1000,
  prices: quotePorts.prices,
  audiences: audienceSource(table, pushApps(table, vaults.push), async (tenant, id) =>
    (await import('./membership.ts')).membership(tenant, id),
  ),
  creation: pushCreationStore(table, (workItems) => publishWork(workItems)),
  balance,
  noteDepleted,
  enqueueSend,
};
