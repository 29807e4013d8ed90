import type { CancelAndForcePorts } from '../../shared/domain/api/cancel-and-force.ts';
import type { SendEmailPorts } from '../../shared/domain/api/send-email.ts';
import { isUndecided } from '../../shared/domain/bulk/escrow.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { SubmitPorts } from '../../shared/domain/sending/accept.ts';
import type { AdvanceFallbackPorts } from '../../shared/domain/sending/advance-fallback.ts';
import { type Planner, planSend } from '../../shared/domain/sending/plan.ts';
import type { SendQueuedPorts } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchStore } from '../../shared/storage/bulk/batches.ts';
import { consentFault } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { fallbackStore } from '../../shared/storage/messages/fallbacks.ts';
import { forceSend } from '../../shared/storage/messages/force.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { queuedStore } from '../../shared/storage/messages/queued.ts';
import { readWallet } from '../../shared/storage/wallet/ledger.ts';
import { PLAIN, type World } from './world.ts';

/** What an e-mail needs besides: a sender, and no saved templates. */
export const emailPortsOf = (world: World): SendEmailPorts => ({
  ...world.ports,
  renderEmailTemplate: async () => undefined,
  emailSender: async () => 'ola@loja.example',
  unsubscribeUrl: async () => 'https://messaging.example/u/token',
});

/** What the planners of all channels need over the world, where nothing is saved. */
export const planPortsOf = (world: World): PlanPorts =>
  ({
    ...emailPortsOf(world),
    templates: { named: async () => [], read: async () => undefined },
    // Everybody has just written: windows have tests of their own.
    senderOf: async () => ({ lastInboundAt: world.now - 1 }),
  }) as object as PlanPorts;

/** The real plans of every channel, over the world; `over`: what a test says otherwise. */
export const plannerOf =
  (world: World, over: Partial<PlanPorts> = {}): Planner =>
  (tenant, request) =>
    planSend({ prices: world.ports.prices, channels: { ...planPortsOf(world), ...over } }, tenant, request);

/** Hands work to the world's queue, which its test works off. */
export const enqueue = (world: World, kind: 'fallback' | 'send_message', id: Id<'message'>): void =>
  void world.workItems.push({ kind, ...(kind === 'fallback' ? KEYS.fallback(id) : KEYS.message(id)) });

const workItemsOf = (world: World) => ({
  enqueueSend: (id: Id<'message'>) => enqueue(world, 'send_message', id),
  enqueueFallback: (id: Id<'message'>) => enqueue(world, 'fallback', id),
});

/** What stands against a send before it is reserved. */
export const standingOf = ({ table, ports }: World): Pick<SubmitPorts, 'consentFault' | 'balance'> => ({
  consentFault: ({ organizationId }, plan) =>
    consentFault(table, organizationId, plan, (kind, to) => ports.recipientHashOf(organizationId, kind, to)),
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
});

/** What accepting a message that leaves by itself needs. */
export const submitPortsOf = (world: World): SubmitPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  plan: plannerOf(world),
  ...standingOf(world),
  recipientOf: async () => undefined,
});

/** What sending it needs. */
export const sendQueuedPortsOf = (world: World): SendQueuedPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  ...queuedStore(world.table, PLAIN),
  earliestSendAt: async (_, now) => now,
});

/** What operators' acts on a queued message need. */
export const cancelAndForcePortsOf = (world: World): CancelAndForcePorts => ({
  ...workItemsOf(world),
  clock: world.ports.clock,
  messageStore: world.ports.messageStore,
  readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
  forceSend: (message, at, decision) => forceSend(world.table, message, at, decision),
  isUndecided: (message) =>
    isUndecided(
      batchStore(world.table, PLAIN, () => {}),
      message,
    ),
});

/** What going on with its fallback needs; its steps are planned by `plan`. */
export const advanceFallbackPortsOf = (world: World, plan: Planner = plannerOf(world)): AdvanceFallbackPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  ...fallbackStore(world.table, PLAIN),
  plan,
});
