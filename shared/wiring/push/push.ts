import type { DevicePorts } from '../../domain/channels/push/devices.ts';
import { type PushMessage, pushMessageView } from '../../domain/channels/push/message.ts';
import { priorityOf } from '../../domain/core/priority.ts';
import type { QueuedMessage } from '../../domain/message/message.ts';
import { type MembershipPorts, membershipOf } from '../../domain/push-messages/membership.ts';
import type { CreatePushPorts, SendPushPorts } from '../../domain/push-messages/ports.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readMembers } from '../../storage/lists/stored-lists.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { audienceSource } from '../../storage/push/audience.ts';
import { hasContact } from '../../storage/push/contacts.ts';
import { pushCreationStore } from '../../storage/push/create.ts';
import { pushDevices } from '../../storage/push/devices.ts';
import { pushStatsReader } from '../../storage/push/reads.ts';
import { earliestSendAt } from '../access/settings.ts';
import { clock, publishWork, publishWorkAt, settings, table, vaults } from '../process/aws.ts';
import { measure } from '../process/observe.ts';
import { segmentPorts } from '../segments/segments.ts';
import { messageWorkItem } from '../sending/message-work-item.ts';
import { balance, noteDepleted } from '../wallet/funds.ts';
import { quotePorts } from '../wallet/quote.ts';

/** Enqueues a queued message for a time (ms). Best effort. */
const enqueueSend = (message: QueuedMessage, at: number): void =>
  publishWorkAt([messageWorkItem('send_message', message)], at);

/** Enqueues a chunk of a push message for a time (ms). Best effort. */
export const enqueueChunk: SendPushPorts['enqueueChunk'] = (message, { messageId, shard, number }, at) => {
  // A push to an audience is many messages, so it must not delay critical ones.
  const priority = message.devices === undefined ? undefined : priorityOf(message.record);
  const owner = message.organizationId;
  publishWorkAt([{ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number), owner, priority }], at);
};

const apps = pushApps(table, vaults.push);

export const devicePorts: DevicePorts = {
  clock,
  apps,
  devices: pushDevices(table, vaults.push),
  webPush: { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK, hosts: settings.WEB_PUSH_HOSTS },
  hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
  onOptOut: (platform) => measure({ platform }, { PushOptOuts: 1 }),
};

const stats = pushStatsReader(table);
const membershipPorts: MembershipPorts = {
  segments: segmentPorts,
  membersOf: (organizationId, listId) => readMembers(table, organizationId, listId),
};

export const createPushPorts: CreatePushPorts = {
  clock,
  earliestSendAt: (organizationId, at) => earliestSendAt(organizationId, 'push', at),
  recipientHashOf: async (organizationId, kind, to) => (await vaults.recipients()).blindIndex(organizationId, kind, to),
  sendDeadlineMs: settings.SEND_DEADLINE_SECONDS * 1000,
  prices: quotePorts.prices,
  audiences: audienceSource(table, apps, (tenant, id) => membershipOf(membershipPorts, tenant, id)),
  creation: pushCreationStore(table, (workItems) => publishWork(workItems)),
  stats,
  balance,
  noteDepleted,
  enqueueSend,
};

/** Push messages on the wire, with their delivery counts (docs/spec/push.md#push-message-shape). */
export const pushViews = async (messages: readonly PushMessage[], unmasked: boolean) => {
  const read = await stats.statsOf(messages);
  return messages.flatMap((message, at) => {
    const found = read[at];
    return found ? [pushMessageView(message, found.tally, found.opens, unmasked)] : [];
  });
};
