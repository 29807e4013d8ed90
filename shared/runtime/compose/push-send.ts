import { drivePush } from '../../domain/push/drive.ts';
import type { SendPushPorts } from '../../domain/push/ports.ts';
import { sendPushChunk } from '../../domain/push/send-chunk.ts';
import type { DueHint } from '../../queues/queues.ts';
import { deniedContacts } from '../../storage/push-consent.ts';
import { readPushDevices, retirePushDevices } from '../../storage/push-devices.ts';
import { pushSender } from '../../storage/push-send.ts';
import { measure } from '../observe.ts';
import { clock, publishDue, table } from './platform.ts';
import { devicePorts, hintChunk, hintMessage, pushLeavesAt } from './push.ts';
import { pushTransport } from './push-transport.ts';

/** What sending push messages needs, over this stage's table, queues and push services. */
export const sendPushPorts: SendPushPorts = {
  clock,
  leavesAt: pushLeavesAt,
  sender: pushSender(table, (hints) => publishDue(hints)),
  transport: pushTransport,
  credentials: (organizationId) => devicePorts.apps.credentials(organizationId),
  devices: (organizationId, ids) => readPushDevices(table, organizationId, ids),
  deniedContacts: (organizationId, ids) => deniedContacts(table, organizationId, ids),
  retire: (organizationId, ids, at) => retirePushDevices(table, organizationId, ids, at),
  hintMessage,
  hintChunk,
  observe: (platform, outcome, ms) => measure({ provider: `push_${platform}`, outcome }, { ProviderLatency: ms }),
};

/** The message, and the shard and number of the chunk, that a row's key names. */
const namedBy = ({ pk, sk }: DueHint) => {
  const [, messageId = ''] = pk.split('#');
  const [, shard, number] = sk.split('#');
  return { messageId, shard, number };
};

/** Works on a push message or on one of its chunks. Repeats and any order change nothing. */
export const pushWork = (hint: DueHint): Promise<void> => {
  const { messageId, shard, number } = namedBy(hint);
  return number === undefined
    ? drivePush(sendPushPorts, messageId)
    : sendPushChunk(sendPushPorts, messageId, Number(shard), Number(number));
};
