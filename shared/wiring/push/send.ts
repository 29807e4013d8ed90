import type { MessageRecord } from '../../domain/message/message.ts';
import { driveClaimed, drivePush } from '../../domain/push-messages/drive.ts';
import type { SendPushPorts } from '../../domain/push-messages/ports.ts';
import { sendPushChunk } from '../../domain/push-messages/send-chunk.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { MESSAGE_SORT_KEY } from '../../storage/access-patterns.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { deniedContacts } from '../../storage/push/contacts.ts';
import { readPushDevices, retirePushDevices } from '../../storage/push/devices.ts';
import { pushSendStore } from '../../storage/push/send.ts';
import { clock, publishWork, table } from '../process/aws.ts';
import { measure } from '../process/observe.ts';
import { devicePorts, enqueueChunk } from './push.ts';
import { pushTransport } from './transport.ts';

export const sendPushPorts: SendPushPorts = {
  clock,
  sender: pushSendStore(table, (workItems) => publishWork(workItems)),
  transport: pushTransport,
  credentials: (organizationId) => devicePorts.apps.credentials(organizationId),
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
