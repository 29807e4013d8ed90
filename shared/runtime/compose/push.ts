import type { DevicePorts } from '../../domain/push/devices.ts';
import type { PushChunk } from '../../domain/push/dispatch.ts';
import { type PushMessage, pushMessageView } from '../../domain/push/message.ts';
import type { CreatePushPorts } from '../../domain/push/ports.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { readWallet } from '../../storage/ledger.ts';
import { eventHint } from '../../storage/outbox.ts';
import { pushApps } from '../../storage/push-apps.ts';
import { audienceSource } from '../../storage/push-audience.ts';
import { hasContact } from '../../storage/push-consent.ts';
import { pushDevices } from '../../storage/push-devices.ts';
import { pushMaker } from '../../storage/push-make.ts';
import { pushReader } from '../../storage/push-reads.ts';
import { noteDepleted } from '../../storage/wallet.ts';
import { measure } from '../observe.ts';
import { clock, publishDue, table, vault } from './platform.ts';
import { prices } from './quote.ts';
import { leavesAt } from './settings.ts';

const secondsUntil = (at: number) => Math.max(0, (at - clock()) / 1000);

/** Hands a push message to its queue at a moment (ms); may be lost. */
export const hintMessage = (messageId: string, at: number): void =>
  publishDue([{ kind: 'send_push', ...KEYS.pushMessage(messageId) }], secondsUntil(at));

/** Hands a chunk of a push message to its queue at a moment (ms); may be lost. */
export const hintChunk = ({ messageId, shard, number }: PushChunk, at: number): void =>
  publishDue([{ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number) }], secondsUntil(at));

/** When a push message of the organization may leave, in ms. */
export const pushLeavesAt = (organizationId: string, at: number): Promise<number> =>
  leavesAt(organizationId, 'push', at);

const apps = pushApps(table, vault);

/** What apps and devices need, over this stage's table. */
export const devicePorts: DevicePorts = {
  clock,
  apps,
  devices: pushDevices(table, vault),
  hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
  leftSends: (platform) => measure({ platform }, { PushOptOuts: 1 }),
};

const tallies = pushReader(table);

/** What making push messages needs, over this stage's table and queues. */
export const createPushPorts: CreatePushPorts = {
  clock,
  leavesAt: pushLeavesAt,
  prices: async () => (await prices()).table,
  audiences: audienceSource(table, apps),
  maker: pushMaker(table, (hints) => publishDue(hints)),
  tallies,
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
  noteDepleted: async (organizationId, env) => {
    const event = await noteDepleted(table, { organizationId, env, now: clock() });
    if (event) publishDue([eventHint(event.id)]);
  },
  hintMessage,
};

/** Push messages as the interface shows them, with where their devices stand. */
export const pushViews = async (messages: readonly PushMessage[]) => {
  const standings = await tallies.standings(messages);
  return messages.flatMap((message, at) => {
    const standing = standings[at];
    return standing ? [pushMessageView(message, standing.tally, standing.opens)] : [];
  });
};
