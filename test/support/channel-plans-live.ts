import type { Actor } from '../../shared/domain/actor.ts';
import { sendEmail } from '../../shared/domain/email/send.ts';
import { isRefusal, type Refusal } from '../../shared/domain/errors.ts';
import { createMessage } from '../../shared/domain/messages/create.ts';
import { leave } from '../../shared/domain/messages/leave.ts';
import type { Channel, ReportedStatus } from '../../shared/domain/messages/provider.ts';
import { priceOf } from '../../shared/domain/messages/quote.ts';
import { applyReceipt, type ParkedReceipt } from '../../shared/domain/messages/receipts.ts';
import { resolveSend } from '../../shared/domain/messages/resolve.ts';
import type { PlatformChannel } from '../../shared/domain/platforms/providers.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { quoteUnits } from '../../shared/domain/pricing/prices.ts';
import { sendRcs } from '../../shared/domain/rcs/send.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { readWallet } from '../../shared/storage/ledger.ts';
import { recipientOn, routeOn } from './channel-plans.ts';
import { checkMoney } from './money.ts';
import type { World } from './world.ts';
import { emailPortsOf, leavePortsOf, submitPortsOf } from './world-queued.ts';

const TEXT = 'Seu pedido saiu para entrega.';

/** Sends a short text by the channel's own operation; the same text under the same key is the same request. */
type SendOn = (world: World, actor: Actor, key: string, text?: string) => Promise<unknown>;

/** Channels whose messages leave by themselves: the answer is the message as its caller reads it once its queue was worked off. */
const leavingOn =
  (channel: PlatformChannel | 'push'): SendOn =>
  async (world, actor, key, text = TEXT) => {
    const body = { channel, to: recipientOn(channel), type: 'text', payload: { text } } as const;
    const created = await createMessage(submitPortsOf(world), actor, key, body);
    if (isRefusal(created)) return created;
    await leave(leavePortsOf(world), created.id);
    const message = await world.ports.journal.read(created.id);
    return { id: created.id, replayed: created.replayed, status: message?.status, reason: message?.reason };
  };

const SENDS: Readonly<Record<Channel, SendOn>> = {
  sms: (world, actor, key, body = TEXT) =>
    sendSms(world.ports, actor, key, { to: recipientOn('sms'), body, route: 'premium' }),
  rcs: (world, actor, key, text = TEXT) => {
    const request = { to: recipientOn('rcs'), content: { text }, route: 'easy_rcs', fallback: { text } } as const;
    return sendRcs(world.ports, actor, key, request);
  },
  email: (world, actor, key, text = TEXT) =>
    sendEmail(emailPortsOf(world), actor, key, { to: recipientOn('email'), subject: 'Pedido', text }),
  whatsapp: leavingOn('whatsapp'),
  instagram: leavingOn('instagram'),
  push: leavingOn('push'),
};

/** A channel's own send. */
export const sendOn = (channel: Channel): SendOn => SENDS[channel];

/** What the first message of the month costs, in coins. */
export const coinsOn = async (world: World, channel: Channel): Promise<number> => {
  const price = await priceOf(world.ports, channel, routeOn(channel));
  if (isRefusal(price)) throw new Error(`${channel} has no price`);
  return quoteUnits(price, 1, 0).coins;
};

/** What became of a send, by one word: `sent`, the refusal's name, or the error's. */
export const outcomeOf = async (work: Promise<unknown>): Promise<string> => {
  const outcome = await work.catch((error: unknown) => error);
  if (isRefusal(outcome)) return (outcome as Refusal).name;
  return outcome instanceof Error ? outcome.name : 'sent';
};

/** How many of each. */
export const tally = (outcomes: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(outcomes)].sort().map((name) => [name, outcomes.filter((other) => other === name).length]),
  );

/** Resolves an organization's messages after `laterMs`, past their deadlines unless told otherwise, as the dispatcher would. */
export const resolveAll = async (world: World, organizationId: string, laterMs = 31_000): Promise<void> => {
  world.now += laterMs;
  const { messages } = await checkMoney(world.table, organizationId, { quiet: false });
  for (const { id } of messages) await resolveSend(world.ports, id);
};

/** Resolves them until nothing is under way any more. */
export const resolveUntilQuiet = async (world: World, organizationId: string): Promise<void> => {
  for (;;) {
    await resolveAll(world, organizationId);
    if ((await readWallet(world.table, organizationId))?.held === 0) return;
  }
};

/** A provider's report of a message. */
export const reportOf = (
  messageId: string,
  status: ReportedStatus,
  more: Partial<ParkedReceipt['event']> = {},
): ParkedReceipt['event'] => ({
  kind: 'receipt',
  messageId,
  providerMessageId: `p-${messageId}`,
  status,
  receipt: { id: `p-${messageId}`, type: 'api_message', to: '+5511987654321', status: status.toUpperCase() },
  ...more,
});

/** Brings a provider's report in, as its callback does. */
export const deliverReport = async ({ ports, now }: World, report: ParkedReceipt['event']): Promise<void> => {
  const parked = await ports.park(report.messageId ?? '', report, now);
  await applyReceipt(ports, parked.messageId, parked.fingerprint);
};

/** Forgets what a test made of the world. */
export const calmDown = (world: World): void => {
  world.proxy.plan(undefined);
  world.provider.script = [];
  world.provider.askable = true;
  world.provider.dispatched.length = 0;
  world.smsPerSecond = undefined;
  world.prices = DEFAULT_PRICES;
};
