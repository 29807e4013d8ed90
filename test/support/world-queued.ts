import { isUndecided } from '../../shared/domain/bulk/escrow.ts';
import { type EmailPorts, planEmail } from '../../shared/domain/email/send.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import type { ChainPorts } from '../../shared/domain/messages/chain.ts';
import type { LeavePorts } from '../../shared/domain/messages/leave.ts';
import type { OperatePorts } from '../../shared/domain/messages/operate.ts';
import type { Planners } from '../../shared/domain/messages/plan.ts';
import type { SubmitPorts } from '../../shared/domain/messages/submit.ts';
import type { UnifiedRequest } from '../../shared/domain/messages/unified.ts';
import { type PlatformPorts, planInstagram, planPush, planWhatsapp } from '../../shared/domain/platforms/plan.ts';
import { planRcs } from '../../shared/domain/rcs/send.ts';
import { planSms } from '../../shared/domain/sms/send.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchStore } from '../../shared/storage/bulk.ts';
import { chainStore } from '../../shared/storage/chains.ts';
import { consentFault } from '../../shared/storage/consent.ts';
import { forceLeave } from '../../shared/storage/force.ts';
import { readWallet } from '../../shared/storage/ledger.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';
import { queuedStore } from '../../shared/storage/queued.ts';
import { PLAIN, type World } from './world.ts';

/** What an e-mail needs besides: a sender, and no saved templates. */
export const emailPortsOf = (world: World): EmailPorts => ({
  ...world.ports,
  render: async () => undefined,
  sender: async () => 'ola@loja.example',
  unsubscribeUrl: async () => 'https://messaging.example/u/token',
});

const platformPortsOf = (world: World): PlatformPorts => ({
  ...world.ports,
  // Everybody has just written: windows have tests of their own.
  senderOf: async () => ({ wroteAt: world.now - 1 }),
});

const textOf = ({ text = '' }: UnifiedRequest) => text;

/** The real plans of every channel, over the world. */
const plannersOf = (world: World): Planners => {
  const platform = platformPortsOf(world);
  return {
    sms: (tenant, request, ...keyed) =>
      planSms(world.ports, tenant, { to: request.to, body: textOf(request), route: 'premium' }, ...keyed),
    rcs: (tenant, request, ...keyed) =>
      planRcs(world.ports, tenant, { to: request.to, content: { text: textOf(request) }, route: 'easy_rcs' }, ...keyed),
    email: async (tenant, request, ...keyed) => {
      const email = { to: request.to, subject: 'Pedido', text: textOf(request) };
      const made = await planEmail(emailPortsOf(world), tenant, email, ...keyed);
      return isRefusal(made) ? made : { plan: made.plan, body: JSON.stringify(made.content) };
    },
    whatsapp: (...given) => planWhatsapp(platform, ...given),
    instagram: (...given) => planInstagram(platform, ...given),
    push: (...given) => planPush(platform, ...given),
  };
};

/** Hands work to the world's queue, which its test works off. */
export const hint = (world: World, kind: 'fallback' | 'send_message', id: string): void =>
  void world.hints.push({ kind, ...(kind === 'fallback' ? KEYS.chain(id) : KEYS.message(id)) });

const hintsOf = (world: World) => ({
  hintSend: (id: string) => hint(world, 'send_message', id),
  hintChain: (id: string) => hint(world, 'fallback', id),
});

/** What stands against a send before it is reserved. */
export const standingOf = ({ table, ports }: World): Pick<SubmitPorts, 'consentFault' | 'balance'> => ({
  consentFault: ({ organizationId }, plan) =>
    consentFault(table, organizationId, plan, (kind, to) => ports.hashTo(organizationId, kind, to)),
  balance: async (organizationId) => (await readWallet(table, organizationId))?.balance ?? 0,
});

/** What accepting a message that leaves by itself needs. */
export const submitPortsOf = (world: World): SubmitPorts => ({
  ...world.ports,
  ...hintsOf(world),
  planners: plannersOf(world),
  ...standingOf(world),
  recipientOf: async () => undefined,
});

/** What sending it needs. */
export const leavePortsOf = (world: World): LeavePorts => ({
  ...world.ports,
  ...hintsOf(world),
  ...queuedStore(world.table, PLAIN),
  mayLeaveAt: async (_, now) => now,
});

/** What operators' acts on a queued message need. */
export const operatePortsOf = (world: World): OperatePorts => ({
  ...hintsOf(world),
  clock: world.ports.clock,
  journal: world.ports.journal,
  readMessage: (organizationId, id) => readMessage(world.table, organizationId, id),
  forceLeave: (message, at, decision) => forceLeave(world.table, message, at, decision),
  isUndecided: (message) =>
    isUndecided(
      batchStore(world.table, PLAIN, () => {}),
      message,
    ),
});

/** What going on with its chain needs; its hops are planned by `plan`. */
export const chainPortsOf = (
  world: World,
  plan: ChainPorts['plan'] = (chain, hop, key, hash) => plannersOf(world)[hop.channel](chain, hop, key, hash),
): ChainPorts => ({ ...world.ports, ...hintsOf(world), ...chainStore(world.table, PLAIN), plan });
