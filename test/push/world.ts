import { beforeEach, expect } from 'vitest';
import { createApp, type PushApp } from '../../shared/domain/channels/push/app.ts';
import { afterRegistration, type PushDevice } from '../../shared/domain/channels/push/device.ts';
import type { DevicePorts } from '../../shared/domain/channels/push/devices.ts';
import { sandboxTransport } from '../../shared/domain/channels/push/sandbox.ts';
import type {
  PushAnswer,
  PushDispatch,
  PushPlatform,
  PushTransport,
} from '../../shared/domain/channels/push/transport.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Vault } from '../../shared/domain/core/secrets.ts';
import type { PushRequest } from '../../shared/domain/push-messages/audience-message.ts';
import { sendPush } from '../../shared/domain/push-messages/create.ts';
import { driveClaimed, drivePush } from '../../shared/domain/push-messages/drive.ts';
import type { CreatePushPorts, SendPushPorts } from '../../shared/domain/push-messages/ports.ts';
import { sendPushChunk } from '../../shared/domain/push-messages/send-chunk.ts';
import { type SendQueuedPorts, sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS, MESSAGE_SORT_KEY } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { pushApps } from '../../shared/storage/push/apps.ts';
import { audienceSource } from '../../shared/storage/push/audience.ts';
import { deniedContacts, hasContact } from '../../shared/storage/push/contacts.ts';
import { pushCreationStore } from '../../shared/storage/push/create.ts';
import { pushDeviceRows, pushDevices, readPushDevices, retirePushDevices } from '../../shared/storage/push/devices.ts';
import { pushSendStore } from '../../shared/storage/push/send.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld, type World } from '../support/world.ts';
import { sendQueuedPortsOf } from '../support/world-queued.ts';

/** Seals nothing: the stage's vault has tests of its own. */
const vault = async () =>
  ({
    seal: (_: string, __: string, text: string) => text,
    open: (_: string, __: string, sealed: string) => sealed,
  }) as unknown as Vault;

/** Writes registered devices to the table. */
export const putDevices = async (table: Table, devices: readonly PushDevice[]): Promise<void> => {
  for (let from = 0; from < devices.length; from += 100)
    await table.transact(devices.slice(from, from + 100).map((device) => ({ put: pushDeviceRows.write(device) })));
};

/** A transport that answers by a script, and records its dispatches. */
export class ScriptedTransport implements PushTransport {
  readonly sent: PushDispatch[] = [];
  /** The answer to the nth dispatch; undefined for the sandbox's answer. */
  script: (dispatch: PushDispatch, nth: number) => PushAnswer | undefined | Promise<PushAnswer | undefined> = () =>
    undefined;

  async send(dispatch: PushDispatch): Promise<PushAnswer> {
    this.sent.push(dispatch);
    return (await this.script(dispatch, this.sent.length - 1)) ?? sandboxTransport.send(dispatch);
  }
  close() {}
}

/** Push in a test world: the real rules over the real storage, with the test's clock, transport and faults. */
export const pushWorld = (world: World) => {
  const { table } = world;
  const workItems: (WorkItem & { readonly at: number })[] = [];
  const transport = new ScriptedTransport();
  const apps = pushApps(table, vault);
  const clock = () => world.now;
  const quiet = { until: 0 };
  const enqueueSend = ({ id }: { readonly id: Id<'message'> }, at: number) =>
    void workItems.push({ kind: 'send_message', ...KEYS.message(id), at });
  const earliestSendAt = async (_: unknown, at: number) => Math.max(at, quiet.until);
  const create: CreatePushPorts = {
    clock,
    earliestSendAt,
    enqueueSend,
    recipientHashOf: world.ports.recipientHashOf,
    sendDeadlineMs: world.ports.sendDeadlineMs,
    prices: async () => world.prices,
    audiences: audienceSource(table, apps, async () => undefined),
    creation: pushCreationStore(table, () => {}),
    balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
    noteDepleted: async () => {},
  };
  const send: SendPushPorts = {
    clock,
    sender: pushSendStore(table, () => {}),
    transport: async () => transport,
    credentials: (organizationId) => apps.credentials(organizationId),
    devices: (organizationId, ids) => readPushDevices(table, organizationId, ids),
    deniedContacts: (organizationId, ids) => deniedContacts(table, organizationId, ids),
    retire: (organizationId, ids, at) => retirePushDevices(table, organizationId, ids, at),
    enqueueChunk: (_, { messageId, shard, number }, at) =>
      void workItems.push({ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number), at }),
    observe: () => {},
  };

  const queued: SendQueuedPorts = {
    ...sendQueuedPortsOf(world),
    enqueueSend,
    earliestSendAt,
    fanOut: { provider: 'push_services', start: (message) => driveClaimed(send, message) },
  };
  const work = (item: WorkItem): Promise<void> => {
    if (item.kind === 'send_message') return sendQueued(queued, PARSE_KEY.message(item));
    if (item.sk === MESSAGE_SORT_KEY) return drivePush(send, PARSE_KEY.message(item));
    const { messageId, shard, chunk } = PARSE_KEY.pushChunk(item);
    return sendPushChunk(send, messageId, shard, chunk);
  };

  /** Does all queued work, including the work that it queues, moving the clock to what is due later. */
  const drain = async (): Promise<void> => {
    for (let item = workItems.shift(); item; item = workItems.shift()) {
      world.now = Math.max(world.now, item.at);
      await work(item);
    }
  };

  /** The dispatcher's work: finds a message whose work item was lost or whose sender ended. */
  const rescheduleDrain = async (id: Id<'message'>): Promise<void> => {
    world.now += 120_000;
    const at = world.now;
    for (const kind of ['send_message', 'send_push'] as const) workItems.push({ kind, ...KEYS.message(id), at });
    await drain();
  };

  /** Platforms of devices that opted out, as the metric counts them. */
  const optOuts: PushPlatform[] = [];
  const devicePorts: DevicePorts = {
    clock,
    apps,
    devices: pushDevices(table, vault),
    webPush: { allowLoopbackHttp: false, hosts: [] },
    hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
    onOptOut: (platform) => void optOuts.push(platform),
  };

  /** Writes devices whose tokens have these endings, of these platforms in turn. */
  const devices = async (
    actor: Actor,
    app: PushApp,
    endings: readonly string[],
    platforms: readonly PushPlatform[] = ['ios'],
  ): Promise<Id<'pushToken'>[]> => {
    const all = endings.map((ending, at) => {
      const token = `device-${String(at).padStart(6, '0')}-${ending}`;
      const registration = { appId: app.id, token, platform: platforms[at % platforms.length] ?? 'ios' };
      return afterRegistration(actor, undefined, registration, world.now);
    });
    await putDevices(table, all);
    return all.map(({ id }) => id);
  };

  const app = async (actor: Actor): Promise<PushApp> =>
    accepted(await createApp({ clock, apps }, actor, { name: 'Loja' }));

  const request: PushRequest = { title: 'Oi', body: 'Oi', platforms: ['ios'] };
  const post = (actor: Actor, key: string, over: Partial<PushRequest> = {}) =>
    sendPush(create, actor, key, { ...request, ...over });

  /** Every dispatch row of a message, whichever attempt wrote it. */
  const dispatchesOf = async (id: Id<'message'>) => {
    const message = await send.sender.message(id);
    const chunks = message ? await send.sender.chunks(message) : [];
    return (await Promise.all(chunks.map((chunk) => send.sender.dispatches(chunk)))).flat();
  };

  /** The wallet's balance is the sum of its ledger, and nothing is held once all work is done. */
  const checkLedger = async (actor: Actor, spent: number, opening: number): Promise<void> => {
    const wallet = await readWallet(table, actor.organizationId);
    const { lines } = await readLedger(table, actor.organizationId, 1_000);
    expect(lines.reduce((sum, { coins }) => sum + coins, 0)).toBe(wallet?.balance);
    expect({ balance: wallet?.balance, held: wallet?.held }).toEqual({ balance: opening - spent, held: 0 });
  };

  const organization = async (coins: number, endings: readonly string[]) => {
    const actor = await world.organization(coins);
    const own = await app(actor);
    return { actor, app: own, ids: await devices(actor, own, endings) };
  };
  return {
    create,
    send,
    transport,
    workItems,
    quiet,
    apps,
    post,
    work,
    drain,
    rescheduleDrain,
    devices,
    devicePorts,
    optOuts,
    app,
    organization,
    dispatchesOf,
    checkLedger,
  };
};
export type PushWorld = ReturnType<typeof pushWorld>;

/** Token endings of devices that a push service accepts. */
export const reachable = (count: number): string[] => Array.from({ length: count }, () => '0005');

export const messageIdOf = (answer: unknown): Id<'message'> => {
  const { id } = answer as { readonly id?: Id<'message'> };
  if (!id) throw new Error(`the send was refused: ${JSON.stringify(answer)}`);
  return id;
};

/** A test world with push, for the tests of a file; before each, no fault is planned and nothing queued or sent. */
export const usePush = async () => {
  const world = await use(startWorld('test'));
  const push = pushWorld(world);
  beforeEach(() => {
    world.proxy.plan(undefined);
    push.workItems.length = 0;
    push.optOuts.length = 0;
    push.transport.sent.length = 0;
    push.transport.script = () => undefined;
    push.quiet.until = 0;
  });
  return { world, push };
};
