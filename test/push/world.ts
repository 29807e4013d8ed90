import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import type { Id } from '../../shared/domain/ids.ts';
import { createApp, type PushApp } from '../../shared/domain/push/app.ts';
import { type PushRequest, sendPush } from '../../shared/domain/push/create.ts';
import { registered } from '../../shared/domain/push/device.ts';
import type { DevicePorts } from '../../shared/domain/push/devices.ts';
import { drivePush } from '../../shared/domain/push/drive.ts';
import type { CreatePushPorts, SendPushPorts } from '../../shared/domain/push/ports.ts';
import { sandboxTransport } from '../../shared/domain/push/sandbox.ts';
import { sendPushChunk } from '../../shared/domain/push/send-chunk.ts';
import type { PushAnswer, PushDispatch, PushPlatform, PushTransport } from '../../shared/domain/push/transport.ts';
import type { Vault } from '../../shared/domain/secrets.ts';
import type { DueHint } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readLedger, readWallet } from '../../shared/storage/ledger.ts';
import { pushApps } from '../../shared/storage/push-apps.ts';
import { audienceSource } from '../../shared/storage/push-audience.ts';
import { deniedContacts, hasContact } from '../../shared/storage/push-consent.ts';
import { pushDeviceRow, pushDevices, readPushDevices, retirePushDevices } from '../../shared/storage/push-devices.ts';
import { pushMaker } from '../../shared/storage/push-make.ts';
import { pushReader } from '../../shared/storage/push-reads.ts';
import { pushSender } from '../../shared/storage/push-send.ts';
import { startWorld, type World } from '../support/world.ts';

/** Seals nothing: the stage's vault has tests of its own. */
const vault = async () =>
  ({
    seal: (_: string, __: string, text: string) => text,
    open: (_: string, __: string, sealed: string) => sealed,
  }) as unknown as Vault;

/** A transport that answers as it is told, and remembers whom it was asked to reach. */
export class ScriptedTransport implements PushTransport {
  readonly sent: PushDispatch[] = [];
  /** Answers a dispatch; the sandbox's answer where it says nothing. */
  script: (dispatch: PushDispatch, nth: number) => PushAnswer | undefined | Promise<PushAnswer | undefined> = () =>
    undefined;

  async send(dispatch: PushDispatch): Promise<PushAnswer> {
    this.sent.push(dispatch);
    return (await this.script(dispatch, this.sent.length - 1)) ?? sandboxTransport.send(dispatch);
  }
  close() {}
}

/** Push over a world: the real rules over the real storage; clock, transport and faults are the test's. */
export const pushWorld = (world: World) => {
  const { table } = world;
  const hints: (DueHint & { readonly at: number })[] = [];
  const transport = new ScriptedTransport();
  const apps = pushApps(table, vault);
  const clock = () => world.now;
  const quiet = { until: 0 };
  const hintMessage = (id: string, at: number) => void hints.push({ kind: 'send_push', ...KEYS.pushMessage(id), at });
  const shared = { clock, leavesAt: async (_: string, at: number) => Math.max(at, quiet.until), hintMessage };
  const create: CreatePushPorts = {
    ...shared,
    prices: async () => world.prices,
    audiences: audienceSource(table, apps),
    maker: pushMaker(table, () => {}),
    tallies: pushReader(table),
    balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
    noteDepleted: async () => {},
  };
  const send: SendPushPorts = {
    ...shared,
    sender: pushSender(table, () => {}),
    transport: async () => transport,
    credentials: (organizationId) => apps.credentials(organizationId),
    devices: (organizationId, ids) => readPushDevices(table, organizationId, ids),
    deniedContacts: (organizationId, ids) => deniedContacts(table, organizationId, ids),
    retire: (organizationId, ids, at) => retirePushDevices(table, organizationId, ids, at),
    hintChunk: ({ messageId, shard, number }, at) =>
      void hints.push({ kind: 'send_push', ...KEYS.pushChunk(messageId, shard, number), at }),
    observe: () => {},
  };

  const work = (hint: DueHint): Promise<void> => {
    const [, id = ''] = hint.pk.split('#');
    const [, shard, number] = hint.sk.split('#');
    return number === undefined ? drivePush(send, id) : sendPushChunk(send, id, Number(shard), Number(number));
  };

  /** Works through all that is due, with what it hints in turn, moving time on to what is due later. */
  const drain = async (): Promise<void> => {
    for (let hint = hints.shift(); hint; hint = hints.shift()) {
      world.now = Math.max(world.now, hint.at);
      await work(hint);
    }
  };

  /** What a lost hint, or a sender that ended, is found again by. */
  const lookAgain = async (id: string): Promise<void> => {
    world.now += 120_000;
    hints.push({ kind: 'send_push', ...KEYS.pushMessage(id), at: world.now });
    await drain();
  };

  /** Platforms of devices that left all sends, as the KPI hears of them. */
  const left: PushPlatform[] = [];
  const devicePorts: DevicePorts = {
    clock,
    apps,
    devices: pushDevices(table, vault),
    hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
    leftSends: (platform) => void left.push(platform),
  };

  /** Registers devices whose tokens end as told, of these platforms in turn, straight in the table. */
  const devices = async (
    actor: Actor,
    app: PushApp,
    endings: readonly string[],
    platforms: readonly PushPlatform[] = ['ios'],
  ): Promise<string[]> => {
    const rows = endings.map((ending, at) => {
      const token = `device-${String(at).padStart(6, '0')}-${ending}`;
      const registration = { appId: app.id, token, platform: platforms[at % platforms.length] ?? 'ios' };
      return pushDeviceRow(registered(actor, undefined, registration, world.now));
    });
    for (let from = 0; from < rows.length; from += 100)
      await table.transact(rows.slice(from, from + 100).map((put) => ({ put })));
    return rows.map(({ id }) => id);
  };

  const app = async (actor: Actor): Promise<PushApp> => {
    const made = await createApp({ clock, apps }, actor, { name: 'Loja' });
    if ('details' in made) throw new Error('the app was refused');
    return made;
  };

  const request: PushRequest = { title: 'Oi', body: 'Oi', platforms: ['ios'] };
  const post = (actor: Actor, key: string, over: Partial<PushRequest> = {}) =>
    sendPush(create, actor, key, { ...request, ...over });

  /** Every device row of a message, whichever attempt wrote it. */
  const dispatchesOf = async (id: string) => {
    const message = await send.sender.message(id);
    const chunks = message ? await send.sender.chunks(message) : [];
    return (await Promise.all(chunks.map((chunk) => send.sender.dispatches(chunk)))).flat();
  };

  /** That a wallet's books agree: balance is the sum of its lines, and nothing is held once all is quiet. */
  const checkBooks = async (actor: Actor, spent: number, opening: number): Promise<void> => {
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
    hints,
    quiet,
    apps,
    post,
    work,
    drain,
    lookAgain,
    devices,
    devicePorts,
    left,
    app,
    organization,
    dispatchesOf,
    checkBooks,
  };
};
export type PushWorld = ReturnType<typeof pushWorld>;

/** So many devices that a push service accepts. */
export const reachable = (count: number): string[] => Array.from({ length: count }, () => '0005');

export const messageIdOf = (answer: unknown): Id<'message'> => {
  const { id } = answer as { readonly id?: Id<'message'> };
  if (!id) throw new Error(`the send was refused: ${JSON.stringify(answer)}`);
  return id;
};

/** Gives the tests of a file a sandbox world of their own, and its pushes; before each, nothing is planned, hinted or sent as yet. */
export const withPush = (give: (world: World, push: PushWorld) => void): void => {
  let world: World;
  let push: PushWorld;
  beforeAll(async () => {
    world = await startWorld('test');
    push = pushWorld(world);
    give(world, push);
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    world.proxy.plan(undefined);
    push.hints.length = 0;
    push.left.length = 0;
    push.transport.sent.length = 0;
    push.transport.script = () => undefined;
    push.quiet.until = 0;
  });
};
