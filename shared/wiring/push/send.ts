import { priorityOf } from '../../domain/core/priority.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { driveClaimed, drivePush } from '../../domain/push-messages/drive.ts';
import type { SendPushPorts } from '../../domain/push-messages/ports.ts';
import { sendPushChunk } from '../../domain/push-messages/send-chunk.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS, MESSAGE_SORT_KEY } from '../../storage/access-patterns.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { deniedContacts } from '../../storage/push/contacts.ts';
import { readPushDevices, retirePushDevices } from '../../storage/push/devices.ts';
import { pushSendStore } from '../../storage/push/send.ts';
import { clock, publishWork, publishWorkAt, table, vaults } from '../process/aws.ts';
import { measure } from '../process/observe.ts';
import { pushTransport } from './transport.ts';

/** Enqueues a chunk of a push message for a time (ms). Best effort. */
const enqueueChunk: SendPushPorts['enqueueChunk'] = (message, { messageId, shard, number }, at) => {
  // A push to an audience is many messages, so it must not delay critical ones.
  const priority = message.devices === undefined ? undefined : priorityOf(message.record);
  const owner = message.organizationId;
  publishWorkAt([{ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number), owner, priority }], at);
};

const apps = pushApps(table, vaults.push);

export const sendPushPorts: SendPushPorts = {
  clock,
  sender: pushSendStore(table, (workItems) => publishWork(workItems)),
  transport: pushTransport,
  credentials: (organizationId) => apps.credentials(organizationId),
  devices: (organizationId, ids) => readPushDevices(table, organizationId, ids),
  deniedContacts: (organizationId, ids) => deniedContacts(table, organizationId, ids),
  retire: (organizationId, ids, at) => retirePushDevices(table, organizationId, ids, at),
  enqueueChunk,
  observe: (platform, outcome, ms) => measure({ provider: `push_${platform}`, outcome }, { ProviderLatency: ms }),
};

/** Sends to the devices of a claimed message. */
export const startPush = (message: MessageRecord): Promise<void> => driveClaimed(sendPushPorts, message);

/** Processes a work item of a push message in progress, or of one of its chunks. Safe under repeats and reordering. */
export const processPushItem = async (item: WorkItem): Promise<void> => {
  if (item.sk === MESSAGE_SORT_KEY) return drivePush(sendPushPorts, PARSE_KEY.message(item));
  const { messageId, shard, chunk } = PARSE_KEY.pushChunk(item);
  return sendPushChunk(sendPushPorts, messageId, shard, chunk);
};
