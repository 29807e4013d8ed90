import { createHash } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type SmsSendPorts, sendSms } from '../../shared/domain/api/send-sms.ts';
import { mayBeWithdrawn } from '../../shared/domain/bulk/escrow.ts';
import { channelOf } from '../../shared/domain/channels/registry.ts';
import type { SmsRequest } from '../../shared/domain/channels/sms/request.ts';
import type { Actor, Environment } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { SCOPES } from '../../shared/domain/core/scopes.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Dispatch, Provider, ProviderAnswer, StatusAnswer } from '../../shared/domain/message/provider-port.ts';
import { sandboxProvider } from '../../shared/domain/message/sandbox.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import type { PriceTable } from '../../shared/domain/pricing/prices.ts';
import type { Destinations } from '../../shared/domain/sending/destination-settings.ts';
import type { Candidates } from '../../shared/domain/sending/ports.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readBatch } from '../../shared/storage/bulk/batches.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { readHolds } from '../../shared/storage/messages/destination-holds.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { receiptStore } from '../../shared/storage/messages/receipts.ts';
import type { ListReading } from '../../shared/storage/messages/totals/filtered-total.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { chooseDebitLane } from '../../shared/storage/wallet/debit.ts';
import { readVolume, volumeReader } from '../../shared/storage/wallet/volumes.ts';
import { creditWallet, noteDepleted } from '../../shared/storage/wallet/wallet.ts';
import './aws-environment.ts';
import { proofOn } from './channel-answers.ts';
import { idNamed } from './ids.ts';
import { takeEvents } from './takers.ts';
import { areInMemory, startTables, type TableFaults, tablesInMemory, type WorldOptions } from './world-tables.ts';

/** Seals nothing: the stage's vault has tests of its own. */
export const PLAIN = {
  seal: async (_: string, __: string, text: string) => text,
  open: async (_: string, __: string, sealed: string) => sealed,
};

const acceptance = (messageId: string): ProviderAnswer => ({ kind: 'accepted', providerMessageId: `p-${messageId}` });

/** A provider that answers by its script, and remembers what it accepted. */
export class ScriptedProvider implements Provider<unknown> {
  readonly name = 'infobip' as const;
  readonly dispatched: Dispatch<unknown>[] = [];
  readonly accepted = new Set<string>();
  /** The answers to the next sends; after them it accepts. */
  script: (ProviderAnswer | ((dispatch: Dispatch<unknown>) => Promise<ProviderAnswer> | ProviderAnswer))[] = [];
  /** False answers every status query with 'undecided', as of a provider that has none. */
  hasStatusQuery = true;

  async send(dispatch: Dispatch<unknown>): Promise<ProviderAnswer> {
    this.dispatched.push(dispatch);
    const next = this.script.shift();
    const answer = typeof next === 'function' ? await next(dispatch) : (next ?? acceptance(dispatch.messageId));
    if (answer.kind === 'accepted') this.accepted.add(dispatch.messageId);
    return answer;
  }

  async queryStatus(messageId: Id<'message'>): Promise<StatusAnswer> {
    if (!this.hasStatusQuery) return { kind: 'undecided', detail: 'no status query' };
    return this.accepted.has(messageId)
      ? { kind: 'accepted', providerMessageId: `p-${messageId}` }
      : { kind: 'not_found' };
  }

  /** Holds the answer to the next send back until the returned function is called; then accepts. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.script = [({ messageId }) => promise.then(() => acceptance(messageId))];
    return resolve;
  }
}

/** The provider as it is on a channel: without a status query where the channel's own have none. */
const asOn = (channel: Channel, provider: ScriptedProvider): Provider<unknown> => {
  if (proofOn(channel) === 'status_query') return provider;
  return { name: provider.name, send: (dispatch) => provider.send(dispatch) };
};

/** A stage in one process: the real rules over the real storage and engine; clock, provider and faults are the test's. */
export interface World {
  readonly table: Table;
  /** Where lists are read: the table, by the world's clock. */
  readonly reading: ListReading;
  /** The engine without the proxy. */
  readonly dynamodb: DynamoDBClient;
  readonly live: Table;
  readonly ports: SmsSendPorts & ReturnType<typeof receiptStore>;
  readonly provider: ScriptedProvider;
  readonly proxy: TableFaults;
  readonly workItems: WorkItem[];
  /** ms; moves only as the test moves it. */
  now: number;
  prices: PriceTable;
  destinations: Destinations | undefined;
  smsPerSecond: number | undefined;
  candidates: () => Candidates;
  actor(organizationId?: Id<'organization'>): Actor;
  /** A new organization with these coins; by default it subscribes to events of every type. */
  organization(coins?: number, takesEvents?: boolean): Promise<Actor>;
  /** Sends an SMS; what is not given is alike in all of them, except the key. */
  sms(actor: Actor, key?: string, fields?: Partial<SmsRequest>): ReturnType<typeof sendSms>;
  /** These events, without those that were never stored. */
  events(ids: readonly Id<'event'>[]): Promise<DomainEvent[]>;
  /** Takes all work items, and reads the events that are among them. */
  raised(): Promise<DomainEvent[]>;
  /** Drops faults, scripts, work items and what was sent, and lets a minute pass. */
  reset(): void;
  close(): Promise<void>;
}

export const startWorld = async (env: Environment, options: WorldOptions = {}): Promise<World> => {
  const { table, live, dynamodb, proxy, close } = areInMemory(options)
    ? tablesInMemory(env, options)
    : await startTables(env, options);
  const provider = new ScriptedProvider();
  const workItems: WorkItem[] = [];
  const volumes = volumeReader(
    (organizationId, month) => readVolume(live, organizationId, 'sms', month),
    () => world.now,
  );
  const candidates: World['candidates'] = () => ({
    kind: 'ready',
    providers: [env === 'test' ? sandboxProvider(channelOf('sms')) : provider],
  });
  const world: World = {
    table,
    reading: { table, clock: () => world.now, rowsExpire: options.archiveAfterDays !== undefined },
    dynamodb,
    live,
    provider,
    proxy,
    workItems,
    now: Date.parse('2026-03-10T12:00:00Z'),
    prices: DEFAULT_PRICES,
    destinations: undefined,
    smsPerSecond: undefined,
    candidates,
    actor: (organizationId = newId('organization')) => ({
      organizationId,
      env,
      credentialId: idNamed('apiKey', 'test'),
      kind: 'key',
      scopes: new Set(SCOPES),
    }),
    async organization(coins = 1_000_000, takesEvents = true) {
      const actor = world.actor();
      const { organizationId } = actor;
      await table.write(organizationWrite({ id: organizationId, name: 'Loja Azul', createdAt: world.now }));
      if (takesEvents) await takeEvents(table, env, organizationId);
      await creditWallet(table, { organizationId, env, coins, description: 'Opening credit', now: world.now });
      return actor;
    },
    sms: (actor, key = newId('request'), fields = {}) =>
      sendSms(world.ports, actor, key, { to: '+5511987654321', body: 'Oi', route: 'premium', ...fields }),
    async events(ids) {
      const found = await Promise.all(ids.map((id) => outbox(table).read(id)));
      return found.flatMap((read) => read?.event ?? []);
    },
    raised: () =>
      world.events(workItems.splice(0).flatMap((item) => (item.kind === 'publish_event' ? PARSE_KEY.event(item) : []))),
    reset() {
      proxy.plan(undefined);
      workItems.length = 0;
      provider.script = [];
      provider.hasStatusQuery = true;
      provider.dispatched.length = 0;
      provider.accepted.clear();
      Object.assign(world, {
        smsPerSecond: undefined,
        prices: DEFAULT_PRICES,
        destinations: undefined,
        candidates,
        now: world.now + 60_000,
      });
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
      destinations: async () => world.destinations,
      heldUntil: async (organizationId, prefix) => {
        const until = (await readHolds(table, organizationId)).get(prefix);
        return until !== undefined && until > world.now ? until : undefined;
      },
      volume: async (organizationId, of, month, range) =>
        of === 'live' ? volumes.guess(organizationId, month) : volumes.sure(organizationId, month, range),
      debitLane: ({ organizationId }, of) => chooseDebitLane(table, organizationId, of),
      learnVolume: volumes.learn,
      perSecond: async () => world.smsPerSecond,
      mayUseSender: async () => true,
      ownsSender: async () => true,
      defaultSender: async () => undefined,
      idempotencyRecord: (organizationId, key, now) => readIdempotencyRecord(table, organizationId, key, now),
      mayBeWithdrawn: (message) => mayBeWithdrawn({ readBatch: (id) => readBatch(table, id) }, message),
      recipientHashOf: async (organizationId, _, to) =>
        createHash('sha256').update(`${organizationId} ${to}`).digest('base64url'),
      globalRecipientHash: async (phone) => createHash('sha256').update(phone).digest('base64url'),
      enqueueSandboxReport: ({ id }) => void workItems.push({ kind: 'sandbox_outcome', ...KEYS.message(id) }),
      enqueueRecovery: ({ id }) => void workItems.push({ kind: 'recover_send', ...KEYS.message(id) }),
      noteDepleted: async (organizationId, of) =>
        void (await noteDepleted(table, { organizationId, env: of, now: world.now })),
      sendDeadlineMs: 30_000,
      publicUrl: 'https://messaging.example',
      observe: { sent() {}, provider() {}, resolved() {} },
      ...receiptStore(table),
    },
    close,
  };
  return world;
};
