import { createMessage } from '../../shared/domain/api/create-message.ts';
import { sendEmail } from '../../shared/domain/api/send-email.ts';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import type { MetaChannel } from '../../shared/domain/channels/meta/providers.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { ReportedStatus } from '../../shared/domain/message/provider-port.ts';
import { NO_VOLUME, quoteUnits } from '../../shared/domain/pricing/volume.ts';
import { applyReceipt, type PendingReceipt } from '../../shared/domain/sending/apply-receipt.ts';
import { priceOf } from '../../shared/domain/sending/quote.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from './accepted.ts';
import { recipientOn, routeOn } from './channel-plans.ts';
import { queuedMessage } from './ids.ts';
import type { World } from './world.ts';
import { emailPortsOf, sendQueuedPortsOf, submitPortsOf } from './world-queued.ts';

const TEXT = 'Seu pedido saiu para entrega.';

/** Sends a short text by the channel's own operation; the same text under the same key is the same request. */
type SendOn = (world: World, actor: Actor, key: string, text?: string) => Promise<unknown>;

/** On a channel whose messages are queued, the answer is the message as its caller reads it once it was sent. */
const queuedOn =
  (channel: MetaChannel | 'push'): SendOn =>
  async (world, actor, key, text = TEXT) => {
    const body = { channel, to: recipientOn(channel), type: 'text', payload: { text } } as const;
    const created = await createMessage(submitPortsOf(world), actor, key, body);
    if (isRefusal(created)) return created;
    await sendQueued(sendQueuedPortsOf(world), created.id);
    const message = await world.ports.messageStore.read(created.id);
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
  whatsapp: queuedOn('whatsapp'),
  instagram: queuedOn('instagram'),
  push: queuedOn('push'),
};

/** A channel's own send. */
export const sendOn = (channel: Channel): SendOn => SENDS[channel];

/** The price of the first message of the month, in coins. */
export const coinsOn = async (world: World, channel: Channel): Promise<number> => {
  return quoteUnits(accepted(await priceOf(world.ports, channel, routeOn(channel))), 1, NO_VOLUME).coins;
};

/** The result of a send in one word: `sent`, the refusal's name, or the error's. */
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

/** A provider's report of a message. */
export const reportOf = (
  messageId: Id<'message'>,
  status: ReportedStatus,
  more: Partial<PendingReceipt['event']> = {},
): PendingReceipt['event'] => ({
  kind: 'receipt',
  messageId,
  providerMessageId: `p-${messageId}`,
  status,
  receipt: { id: `p-${messageId}`, type: 'api_message', to: '+5511987654321', status: status.toUpperCase() },
  ...more,
});

/** Brings a provider's report in, as its callback does. */
export const deliverReport = async ({ ports, now }: World, report: PendingReceipt['event']): Promise<void> => {
  const pending = await ports.addPendingReceipt(queuedMessage(parseId('message', report.messageId)), report, now);
  await applyReceipt(ports, pending.messageId, pending.fingerprint);
};
