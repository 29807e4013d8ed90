import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Engine, startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import type { SmsSendPorts } from '../../shared/domain/api/send-sms.ts';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor, Environment } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { SCOPES } from '../../shared/domain/core/scopes.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Dispatch, Provider, ProviderAnswer, StatusAnswer } from '../../shared/domain/message/provider-port.ts';
import { sandboxProvider } from '../../shared/domain/message/sandbox.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import type { PriceTable } from '../../shared/domain/pricing/prices.ts';
import type { Candidates } from '../../shared/domain/sending/ports.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { receiptStore } from '../../shared/storage/messages/receipts.ts';
import { readVolume, volumeReader } from '../../shared/storage/wallet/volumes.ts';
import { creditWallet, noteDepleted } from '../../shared/storage/wallet/wallet.ts';
import { proofOn } from './channel-plans-told.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { idNamed } from './ids.ts';

process.env.AWS_REGION ??= 'sa-east-1';
process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';

/** The part of the SDK's handler of requests that its own types leave out. */
interface Waits {
  updateHttpClientConfig(name: string, ms: number): void;
}

/** Seals nothing: the stage's vault has tests of its own. */
export const PLAIN = {
  seal: async (_: string, __: string, text: string) => text,
  open: async (_: string, __: string, sealed: string) => sealed,
};

/** A provider that answers as it is told, and remembers what it accepted. */
export class ScriptedProvider implements Provider<unknown> {
  readonly name = 'infobip' as const;
  readonly dispatched: Dispatch<unknown>[] = [];
  readonly accepted = new Set<string>();
  /** What the next sends are answered; accepted when it runs dry. */
  script: (ProviderAnswer | ((dispatch: Dispatch<unknown>) => Promise<ProviderAnswer> | ProviderAnswer))[] = [];
  /** Turns the inquiry off, as for a provider that has none. */
  askable = true;

  async send(dispatch: Dispatch<unknown>): Promise<ProviderAnswer> {
    this.dispatched.push(dispatch);
    const next = this.script.shift();
    const answer: ProviderAnswer =
      typeof next === 'function'
        ? await next(dispatch)
        : (next ?? { kind: 'accepted', providerMessageId: `p-${dispatch.messageId}` });
    if (answer.kind === 'accepted') this.accepted.add(dispatch.messageId);
    return answer;
  }

  async queryStatus(messageId: Id<'message'>): Promise<StatusAnswer> {
    if (!this.askable) return { kind: 'undecided', detail: 'not askable' };
    return this.accepted.has(messageId)
      ? { kind: 'accepted', providerMessageId: `p-${messageId}` }
      : { kind: 'not_found' };
  }

  readCallback = async () => ({ kind: 'forged' as const, detail: 'scripted' });
}

/** The provider as it is on a channel: without an inquiry where the channel's own have none. */
const asOn = (channel: Channel, provider: ScriptedProvider): Provider<unknown> => {
  if (proofOn(channel) === 'inquiry') return provider;
  const { name, readCallback } = provider;
  return { name, readCallback, send: (dispatch) => provider.send(dispatch) };
};

/** A stage in one process: the real rules over the real storage and engine; clock, provider and faults are the test's. */
export interface World {
  readonly table: Table;
  readonly live: Table;
  readonly ports: SmsSendPorts & ReturnType<typeof receiptStore>;
  readonly provider: ScriptedProvider;
  readonly proxy: FaultProxy;
  readonly workItems: WorkItem[];
  /** ms; moves only as the test moves it. */
  now: number;
  prices: PriceTable;
  smsPerSecond: number | undefined;
  candidates: () => Candidates;
  actor(organizationId?: Id<'organization'>): Actor;
  organization(coins: number): Promise<Actor>;
  close(): Promise<void>;
}

export const startWorld = async (env: Environment): Promise<World> => {
  const engine: Engine = await startDynoxide();
  const proxy = await startFaultProxy(engine.endpoint);
  const direct = new DynamoDBClient({ endpoint: engine.endpoint });
  await Promise.all(['live', 'test'].map((stage) => ensureTable(direct, stage)));
  const client = tableClient(proxy.endpoint);
  proxy.shortcut(client);
  // The client's own time-outs have tests of their own; here they would tell how busy the machine is.
  const { requestHandler } = client.config as unknown as { requestHandler: Waits };
  for (const wait of ['connectionTimeout', 'requestTimeout']) requestHandler.updateHttpClientConfig(wait, 60_000);
  const table = new Table(client, env);
  const live = new Table(client, 'live');
  const provider = new ScriptedProvider();
  const workItems: WorkItem[] = [];
  const volumes = volumeReader(
    (organizationId, month) => readVolume(live, organizationId, 'sms', month),
    () => world.now,
  );
  const world: World = {
    table,
    live,
    provider,
    proxy,
    workItems,
    now: Date.parse('2026-03-10T12:00:00Z'),
    prices: DEFAULT_PRICES,
    smsPerSecond: undefined,
    candidates: () => ({ kind: 'ready', providers: [env === 'test' ? sandboxProvider(channelOf('sms')) : provider] }),
    actor: (organizationId = newId('organization')) => ({
      organizationId,
      env,
      credentialId: idNamed('apiKey', 'test'),
      kind: 'key',
      scopes: new Set(SCOPES),
    }),
    async organization(coins) {
      const actor = world.actor();
      await creditWallet(table, {
        organizationId: actor.organizationId,
        env,
        coins,
        description: 'Opening credit',
        now: world.now,
      });
      return actor;
    },
    ports: {
      clock: () => world.now,
      messageStore: messageStore(table, (published) => void workItems.push(...published), PLAIN),
      routing: {
        candidates: async () => world.candidates(),
        provider: async (channel, name) =>
          name === 'sandbox_provider' ? sandboxProvider(channelOf(channel)) : asOn(channel, provider),
        report: async () => {},
      },
      prices: async () => world.prices,
      volume: async (organizationId, of, month, holdsUntil) =>
        of === 'live' ? volumes.guess(organizationId, month) : volumes.sure(organizationId, month, holdsUntil),
      learnVolume: volumes.learn,
      perSecond: async () => world.smsPerSecond,
      idempotencyRecord: (organizationId, key, now) => readIdempotencyRecord(table, organizationId, key, now),
      recipientHashOf: async (organizationId, _, to) =>
        createHash('sha256').update(`${organizationId} ${to}`).digest('base64url'),
      globalRecipientHash: async (phone) => createHash('sha256').update(phone).digest('base64url'),
      enqueueSandboxReport: (messageId) =>
        void workItems.push({ kind: 'sandbox_outcome', pk: `MSG#${messageId}`, sk: 'MSG' }),
      enqueueRecovery: (messageId) => void workItems.push({ kind: 'recover_send', pk: `MSG#${messageId}`, sk: 'MSG' }),
      noteDepleted: async (organizationId, of) =>
        void (await noteDepleted(table, { organizationId, env: of, now: world.now })),
      sendDeadlineMs: 30_000,
      publicUrl: 'https://messaging.example',
      observe: { sent() {}, provider() {}, resolved() {} },
      ...receiptStore(table),
    },
    async close() {
      client.destroy();
      direct.destroy();
      await proxy.close();
      await engine.stop();
    },
  };
  return world;
};
