import type { PushPlanPorts } from '../../shared/domain/channels/push/content.ts';
import { afterRegistration, type PushDevice } from '../../shared/domain/channels/push/device.ts';
import type { PushChunk } from '../../shared/domain/channels/push/dispatch.ts';
import type { PushTransport } from '../../shared/domain/channels/push/transport.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { driveClaimed } from '../../shared/domain/push-messages/drive.ts';
import type { SendPushPorts } from '../../shared/domain/push-messages/ports.ts';
import { sendPushChunk } from '../../shared/domain/push-messages/send-chunk.ts';
import type { SendQueuedPorts } from '../../shared/domain/sending/send-queued.ts';
import { pushSendStore } from '../../shared/storage/push/send.ts';
import type { World } from './world.ts';

const APP = parseId('pushApp', `app_${'0'.repeat(21)}`);

/** Every recipient is the token of one device; registration and persons have tests of their own. */
const deviceOf = ({ actor, now }: World, organizationId: Id<'organization'>, token: string): PushDevice =>
  afterRegistration(actor(organizationId), undefined, { appId: APP, token, platform: 'ios' }, now);

export const pushPlanPortsOf = (world: World): PushPlanPorts => ({
  devicesOf: async (organizationId, to) => [deviceOf(world, organizationId, to)],
  deniedContacts: async () => new Set(),
});

/** The world's provider as the push service of a message's devices. */
const transportOf = ({ provider }: World, messageId: Id<'message'>, to: string): PushTransport => ({
  send: () => provider.send({ messageId, to, route: 'simple', content: {}, callbackUrl: '' }),
  close() {},
});

/** Sends to the devices of a message at once: each of its chunks as soon as it is due. */
const fanOut = async (world: World, message: MessageRecord): Promise<void> => {
  const due: PushChunk[] = [];
  const { id: messageId } = message;
  const device = deviceOf(world, message.organizationId, message.to);
  const ports: SendPushPorts = {
    clock: () => world.now,
    sender: pushSendStore(world.table, (published) => void world.workItems.push(...published)),
    transport: async () => transportOf(world, messageId, message.to),
    credentials: async () => new Map([[APP, {}]]),
    devices: async () => new Map([[device.id, device]]),
    deniedContacts: async () => new Set(),
    retire: async () => {},
    enqueueChunk: (_, chunk, at) => void (at <= world.now && due.push(chunk)),
    observe: () => {},
  };
  await driveClaimed(ports, message);
  for (let chunk = due.shift(); chunk; chunk = due.shift())
    await sendPushChunk(ports, messageId, chunk.shard, chunk.number);
};

export const fanOutOf = (world: World): SendQueuedPorts['fanOut'] => ({
  provider: 'push_services',
  start: (message) => fanOut(world, message),
});
