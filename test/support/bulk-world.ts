import { cancel, force } from '../../shared/domain/api/cancel-and-force.ts';
import { type ResendPorts, resend } from '../../shared/domain/api/resend.ts';
import type { BatchRefusal, BulkMode, BulkSent } from '../../shared/domain/bulk/accept.ts';
import { checkEscrow } from '../../shared/domain/bulk/escrow.ts';
import type { BatchStore, BulkEntry, BulkPorts, ChunkPorts } from '../../shared/domain/bulk/ports.ts';
import { type BulkResendPorts, bulkResend } from '../../shared/domain/bulk/resend.ts';
import { type BulkRequest, sendBulk } from '../../shared/domain/bulk/send.ts';
import { sendChunk } from '../../shared/domain/bulk/send-chunk.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, refuse } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { applySandboxReport } from '../../shared/domain/sending/apply-receipt.ts';
import type { AutomatedSend } from '../../shared/domain/sending/automated.ts';
import { type Planner, pricePlan } from '../../shared/domain/sending/plan.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchKeys } from '../../shared/storage/bulk/batch-keys.ts';
import { batchStore } from '../../shared/storage/bulk/batches.ts';
import { consentFaults } from '../../shared/storage/bulk/consent-faults.ts';
import { consentFaultOf } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { readIdempotencyRecords } from '../../shared/storage/messages/idempotency.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { queuedStore } from '../../shared/storage/messages/queued.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from './accepted.ts';
import { overdueOf } from './index-entries.ts';
import { checkMoney, messagesOf } from './money.ts';
import { use } from './use.ts';
import { PLAIN, startWorld, type World } from './world.ts';
import { fanOutOf } from './world-push.ts';
import { cancelAndForcePortsOf, eligibilityPortsOf } from './world-queued.ts';

/** A recipient in quiet hours: its messages are sent a day after they were accepted, unless forced. */
export const SLEEPER = '+5511987650777';
export const NIGHT_MS = 24 * 3600_000;

/** How time passes until nothing is left to do, in ms: answers come soon, the last checks of old escrows late. */
const QUIET_MS = [...Array<number>(8).fill(35_000), 610_000, 610_000];

/** The work that is found by when it is due. */
const DISPATCHED = ['send_chunk', 'close_escrow', 'send_message', 'recover_send', 'sandbox_outcome'] as const;

/** The fields of a bulk message that matter here. */
export interface BulkFields {
  readonly text?: string;
  readonly idempotencyKey?: string;
  readonly to?: string;
  /** ISO 8601. */
  readonly scheduledAt?: string;
  readonly maxCoins?: number;
  readonly fallback?: readonly 'rcs'[];
  readonly contactId?: Id<'contact'>;
  /** Of a campaign or a journey. */
  readonly automated?: AutomatedSend;
}

/** Bulk sends over a world: the real rules over the real storage, with SMS alone as their channel. */
export const bulkWorld = (world: World) => {
  const { table, workItems, ports } = world;
  const publish = (published: readonly WorkItem[]) => void workItems.push(...published);
  const store = batchStore(table, PLAIN, publish);
  const plan: Planner = async (tenant, { to, text = '', labels, contactId, trackLinks }) => {
    const request = { to, body: text, route: 'premium', trackLinks, ...(contactId ? { contactId } : {}) } as const;
    const made = await pricePlan(ports, tenant, request, await planSms(ports, tenant, request));
    return isRefusal(made) ? made : { plan: { ...made.plan, labels } };
  };
  const enqueueSend = ({ id }: { readonly id: Id<'message'> }) =>
    publish([{ kind: 'send_message', ...KEYS.message(id) }]);
  const enqueueChunk: BulkPorts['enqueueChunk'] = ({ batchId, chunk }, at) => {
    // This queue has no delays: what is due later is found by the due index.
    if (at <= world.now) publish([{ kind: 'send_chunk', ...KEYS.batchChunk(batchId, chunk) }]);
  };
  const bulk: BulkPorts = {
    ...ports,
    ...eligibilityPortsOf(world),
    store,
    batchKeys: batchKeys(table),
    plan,
    enqueueSend,
    enqueueFallback: () => {},
    enqueueChunk,
    recipientOf: async () => undefined,
    contactAt: async () => undefined,
    contractRefusal: () => refuse('VALIDATION_ERROR', 'The message violates the contract.'),
    idempotencyRecords: (organizationId, keys, now) => readIdempotencyRecords(table, organizationId, keys, now),
    consentFaults: ({ organizationId }, plans) => consentFaults(table, organizationId, plans),
  };
  const resendPorts: ResendPorts = {
    ...bulk,
    readMessage: (organizationId, id) => readMessage(table, organizationId, id),
    isUndecided: cancelAndForcePortsOf(world).isUndecided,
  };
  const chunks: ChunkPorts = {
    ...ports,
    ...queuedStore(table, PLAIN),
    store,
    enqueueSend,
    enqueueChunk,
    maySendAs: async () => true,
    consentNow: (message, requiresConsent) => consentFaultOf(table, message, requiresConsent),
    fanOut: fanOutOf(world),
    earliestSendAt: async ({ to, createdAt }, now) => (to === SLEEPER ? Math.max(now, createdAt + NIGHT_MS) : now),
  };

  const send = (
    actor: Actor,
    messages: readonly BulkFields[],
    mode: BulkMode = 'permissive',
    over: Partial<BatchStore> = {},
    ports: Partial<BulkPorts> = {},
    rest: Pick<BulkRequest, 'frequency' | 'callerKey'> = {},
  ): Promise<BulkSent | BatchRefusal> => {
    const entries = messages.map(({ automated, ...fields }): BulkEntry => {
      const valid = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi', ...fields };
      return automated ? { valid, automated } : { valid };
    });
    return sendBulk({ ...bulk, ...ports, store: { ...store, ...over } }, actor, {
      messages: entries,
      mode,
      ...rest,
    });
  };

  const workOn = async (item: WorkItem): Promise<void> => {
    const { kind } = item;
    if (kind === 'send_chunk' || kind === 'close_escrow') {
      const { batchId, chunk } = PARSE_KEY.batchChunk(item);
      await (kind === 'send_chunk' ? sendChunk(chunks, batchId, chunk) : checkEscrow(chunks, batchId, chunk));
    } else if (kind === 'send_message') await sendQueued(chunks, PARSE_KEY.message(item));
    else if (kind === 'recover_send') await recoverSend(ports, PARSE_KEY.message(item));
    else if (kind === 'sandbox_outcome') await applySandboxReport(ports, PARSE_KEY.message(item));
  };

  /** Works through the work items until there are none; what fails is found again by the due index. */
  const work = async (order: (pending: WorkItem[]) => WorkItem[] = (pending) => pending): Promise<void> => {
    while (workItems.length > 0) for (const item of order(workItems.splice(0))) await workOn(item).catch(() => {});
  };

  /** Enqueues what is overdue, as the dispatcher does, and works through it. */
  const dispatch = async (): Promise<void> => {
    workItems.push(...(await overdueOf(table, DISPATCHED, world.now, 10_000)));
    await work();
  };

  /** Lets time pass until nothing is left to do. */
  const settle = async (): Promise<void> => {
    await work();
    for (const ms of QUIET_MS) {
      world.now += ms;
      await dispatch();
    }
  };
  /** Acts of callers and operators on one message of a batch. */
  const one = {
    cancel: (actor: Actor, id: Id<'message'>) => cancel(cancelAndForcePortsOf(world), actor, id),
    force: (actor: Actor, id: Id<'message'>) => force(cancelAndForcePortsOf(world), actor, id),
    resend: (actor: Actor, id: Id<'message'>, over: Partial<BulkPorts> = {}) =>
      resend({ ...resendPorts, ...over }, actor, id, {}, undefined),
  };
  /** Bulk resends; their filter selects what `find` answers. */
  const bulkResendPorts: BulkResendPorts = {
    ...resendPorts,
    store,
    batchKeys: batchKeys(table),
    find: async () => [],
  };
  /** Resends messages as one batch. */
  const resendAll = async (actor: Actor, ids: readonly Id<'message'>[]) =>
    accepted(await bulkResend(bulkResendPorts, actor, { items: ids.map((id) => ({ id })) }, undefined));

  /** Checks the money; `quiet`: nothing is under way. */
  const money = ({ organizationId }: Actor, quiet = true) => checkMoney(table, organizationId, { quiet });
  const messages = ({ organizationId }: Actor) => messagesOf(table, organizationId);
  /** The transactions that write the wallet while this work is done. */
  const walletWrites = async ({ organizationId }: Actor, writing: () => Promise<void>): Promise<number> => {
    let written = 0;
    const wallet = KEYS.wallet(organizationId).pk;
    world.proxy.plan(({ action, body }) => {
      if (action === 'TransactWriteItems' && body.includes(wallet)) written++;
      return undefined;
    });
    await writing();
    world.proxy.plan(undefined);
    return written;
  };
  /** Throws unless exactly so many messages reached the provider, each once, and exactly those are charged. */
  const sentOnce = async (actor: Actor, count: number): Promise<void> => {
    const ledger = await money(actor);
    const dispatched = world.provider.dispatched.map(({ messageId }) => messageId);
    if (new Set(dispatched).size !== dispatched.length) throw new Error('a message reached the provider twice');
    const charged = ledger.messages.filter(({ hold }) => hold === 'captured').length;
    if (dispatched.length !== count || charged !== count)
      throw new Error(`${dispatched.length} messages were sent and ${charged} charged, not ${count}`);
  };
  const checks = { money, messages, walletWrites, sentOnce };
  return {
    store,
    chunks,
    ports: bulk,
    bulkResendPorts,
    send,
    one,
    resendAll,
    workOn,
    work,
    dispatch,
    settle,
    ...checks,
  };
};

/** Messages to send, alike or each with fields of its own. */
export const many = (count: number, fields: (at: number) => BulkFields = () => ({})): BulkFields[] =>
  Array.from({ length: count }, (_, at) => fields(at));
/** Messages with an idempotency key each. */
export const keyed = (count: number): BulkFields[] => many(count, (at) => ({ idempotencyKey: `order-${at}` }));

/** A live world for the tests of a file, and its bulk sends. */
export const useBulk = async () => {
  const world = await use(startWorld('live'));
  return { world, bulk: bulkWorld(world) };
};
