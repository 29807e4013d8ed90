import type { CancelAndForcePorts } from '../../shared/domain/api/cancel-and-force.ts';
import type { SendEmailPorts } from '../../shared/domain/api/send-email.ts';
import { isUndecided } from '../../shared/domain/bulk/escrow.ts';
import type { PlanPorts } from '../../shared/domain/channels/registry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { AnswerPorts, SubmitPorts } from '../../shared/domain/sending/accept.ts';
import type { AdvanceFallbackPorts } from '../../shared/domain/sending/advance-fallback.ts';
import { type Planner, planSend } from '../../shared/domain/sending/plan.ts';
import type { SendQueuedPorts } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchStore } from '../../shared/storage/bulk/batches.ts';
import { heirOf } from '../../shared/storage/contacts/heirs.ts';
import { consentFault, consentFaultOf } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { fallbackStore } from '../../shared/storage/messages/fallbacks.ts';
import { forceSend } from '../../shared/storage/messages/force.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { queuedStore } from '../../shared/storage/messages/queued.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { PLAIN, type World } from './world.ts';
import { fanOutOf, pushPlanPortsOf } from './world-push.ts';

/** Ports of e-mail sends: with a sender, without saved templates. */
export const emailPortsOf = (world: World): SendEmailPorts => ({
  ...world.ports,
  renderEmailTemplate: async () => undefined,
  emailSender: async () => 'ola@loja.example',
  unsubscribeUrl: async () => 'https://messaging.example/u/token',
  isSuppressed: async () => false,
});

/** Ports of the planners of all channels, where nothing is saved. */
export const planPortsOf = (world: World): PlanPorts =>
  ({
    ...emailPortsOf(world),
    templates: { named: async () => [], read: async () => undefined },
    ...pushPlanPortsOf(world),
    findMedia: async () => undefined,
    // Every recipient has just written: windows have tests of their own.
    senderOf: async () => ({ lastInboundAt: world.now - 1 }),
  }) as object as PlanPorts;

/** The real planner of every channel; `over`: the ports that a test replaces. */
export const plannerOf =
  (world: World, over: Partial<PlanPorts> = {}): Planner =>
  (tenant, request) =>
    planSend({ ...world.ports, channels: { ...planPortsOf(world), ...over } }, tenant, request);

/** Puts work into the world's queue, which the test works off. */
export const enqueue = (world: World, kind: 'fallback' | 'send_message', id: Id<'message'>): void =>
  void world.workItems.push({ kind, ...(kind === 'fallback' ? KEYS.fallback(id) : KEYS.message(id)) });

const workItemsOf = (world: World) => ({
  enqueueSend: ({ id }: { readonly id: Id<'message'> }) => enqueue(world, 'send_message', id),
  enqueueFallback: ({ id }: { readonly id: Id<'message'> }) => enqueue(world, 'fallback', id),
});

/** Ports of the prechecks of a send. */
export const eligibilityPortsOf = ({ table, ports }: World): Pick<SubmitPorts, 'consentFault' | 'balance'> => ({
  consentFault: ({ organizationId }, plan) =>
    consentFault(table, organizationId, plan, (kind, to) => ports.recipientHashOf(organizationId, kind, to)),
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
});

/** Ports of accepting a message that is queued. */
export const submitPortsOf = (world: World): SubmitPorts & AnswerPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  plan: plannerOf(world),
  ...eligibilityPortsOf(world),
  answeredBalance: async ({ organizationId }) => (await readWallet(world.table, organizationId))?.balance ?? 0,
  recipientOf: async () => undefined,
  contactAt: async () => undefined,
});

/** Ports of sending it. */
export const sendQueuedPortsOf = (world: World): SendQueuedPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  ...queuedStore(world.table, PLAIN),
  consentNow: (message, requiresConsent) => consentFaultOf(world.table, message, requiresConsent),
  maySendAs: async () => true,
  earliestSendAt: async (_, now) => now,
  fanOut: fanOutOf(world),
});

/** Ports of cancelling and forcing a queued message. */
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

/** Ports of advancing a fallback, whose steps are planned by `plan`. */
export const advanceFallbackPortsOf = (world: World, plan: Planner = plannerOf(world)): AdvanceFallbackPorts => ({
  ...world.ports,
  ...workItemsOf(world),
  ...fallbackStore(world.table, PLAIN),
  plan,
  recipientOf: async () => undefined,
  heirOf: async (_, contactId) => (await heirOf(world.table, contactId))?.id,
});
