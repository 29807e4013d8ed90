import type { DevicePorts } from '../../domain/channels/push/devices.ts';
import type { PushChunk } from '../../domain/channels/push/dispatch.ts';
import { type PushMessage, pushMessageView } from '../../domain/channels/push/message.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { CreatePushPorts } from '../../domain/push-messages/ports.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { audienceSource } from '../../storage/push/audience.ts';
import { hasContact } from '../../storage/push/contacts.ts';
import { pushCreationStore } from '../../storage/push/create.ts';
import { pushDevices } from '../../storage/push/devices.ts';
import { pushStatsReader } from '../../storage/push/reads.ts';
import { readWallet } from '../../storage/wallet/ledger.ts';
import { noteDepleted } from '../../storage/wallet/wallet.ts';
import { earliestSendAt } from '../access/settings.ts';
import { clock, publishWork, table, vault } from '../process/aws.ts';
import { measure } from '../process/observe.ts';
import { prices } from '../wallet/quote.ts';

const secondsUntil = (at: number) => Math.max(0, (at - clock()) / 1000);

/** Enqueues a push message for a time (ms). Best effort. */
export const enqueuePush = (messageId: Id<'message'>, at: number): void =>
  publishWork([{ kind: 'send_push', ...KEYS.pushMessage(messageId) }], secondsUntil(at));

/** Enqueues a chunk of a push message for a time (ms). Best effort. */
export const enqueueChunk = ({ messageId, shard, number }: PushChunk, at: number): void =>
  publishWork([{ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number) }], secondsUntil(at));

/** The earliest time (ms) at which the organization may send a push message. */
export const earliestPushAt = (organizationId: Id<'organization'>, at: number): Promise<number> =>
  earliestSendAt(organizationId, 'push', at);

const apps = pushApps(table, vault);

export const devicePorts: DevicePorts = {
  clock,
  apps,
  devices: pushDevices(table, vault),
  hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
  onOptOut: (platform) => measure({ platform }, { PushOptOuts: 1 }),
};

const stats = pushStatsReader(table);

export const createPushPorts: CreatePushPorts = {
  clock,
  earliestSendAt: earliestPushAt,
  prices: async () => (await prices()).table,
  audiences: audienceSource(table, apps),
  creation: pushCreationStore(table, (workItems) => publishWork(workItems)),
  stats,
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
  noteDepleted: async (organizationId, env) => {
    const event = await noteDepleted(table, { organizationId, env, now: clock() });
    if (event) publishWork([eventWorkItem(event.id)]);
  },
  enqueuePush,
};

/** Push messages on the wire, with their delivery counts (docs/spec/push.md#push-message-shape). */
export const pushViews = async (messages: readonly PushMessage[]) => {
  const read = await stats.statsOf(messages);
  return messages.flatMap((message, at) => {
    const found = read[at];
    return found ? [pushMessageView(message, found.tally, found.opens)] : [];
  });
};
