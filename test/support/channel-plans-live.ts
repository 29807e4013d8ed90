import type { Actor } from '../../shared/domain/actor.ts';
import { sendEmail } from '../../shared/domain/email/send.ts';
import { isRefusal, type Refusal } from '../../shared/domain/errors.ts';
import type { Channel, ReportedStatus } from '../../shared/domain/messages/provider.ts';
import { priceOf } from '../../shared/domain/messages/quote.ts';
import { resolveSend } from '../../shared/domain/messages/resolve.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { quoteUnits } from '../../shared/domain/pricing/prices.ts';
import { sendRcs } from '../../shared/domain/rcs/send.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { checkMoney } from './money.ts';
import type { World } from './world.ts';

/** The channels that have adapters of live providers: what a fault does to a real send is shown on each. */
export const LIVE_CHANNELS = ['sms', 'rcs', 'email'] as const satisfies readonly Channel[];
export type LiveChannel = (typeof LIVE_CHANNELS)[number];

const PHONE = '+5511987654321';
const TEXT = 'Seu pedido saiu para entrega.';
const ADDRESS = 'ana@loja.example';

/** Sends a short text by the channel's own operation; the same text under the same key is the same request. */
type SendOn = (world: World, actor: Actor, key: string, text?: string) => Promise<unknown>;

interface LiveSend {
  readonly send: SendOn;
  readonly route: string;
  /** What its providers report, final ones last. */
  readonly reports: readonly ReportedStatus[];
}

const LIVE_SENDS: Readonly<Record<LiveChannel, LiveSend>> = {
  sms: {
    send: (world, actor, key, body = TEXT) => sendSms(world.ports, actor, key, { to: PHONE, body, route: 'premium' }),
    route: 'premium',
    reports: ['sent', 'delivered', 'failed', 'undelivered'],
  },
  rcs: {
    send: (world, actor, key, text = TEXT) =>
      sendRcs(world.ports, actor, key, { to: PHONE, content: { text }, route: 'easy_rcs', fallback: { text } }),
    route: 'easy_rcs',
    reports: ['sent', 'delivered', 'read', 'failed'],
  },
  email: {
    send: (world, actor, key, text = TEXT) =>
      sendEmail(
        {
          ...world.ports,
          render: async () => undefined,
          sender: async () => 'ola@loja.example',
          unsubscribeUrl: async () => 'https://messaging.example/u/token',
        },
        actor,
        key,
        { to: ADDRESS, subject: 'Pedido', text },
      ),
    route: 'email',
    reports: ['delivered', 'bounced', 'complained', 'failed'],
  },
};

/** A channel under faults: its own send, what one costs (coins), and what its providers report. */
export const liveSendOf = (channel: LiveChannel) => LIVE_SENDS[channel];

/** What the first message of the month costs, in coins. */
export const coinsOn = async (world: World, channel: LiveChannel): Promise<number> => {
  const price = await priceOf(world.ports, channel, LIVE_SENDS[channel].route);
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

/** Forgets what a test made of the world. */
export const calmDown = (world: World): void => {
  world.proxy.plan(undefined);
  world.provider.script = [];
  world.provider.askable = true;
  world.provider.dispatched.length = 0;
  world.smsPerSecond = undefined;
  world.prices = DEFAULT_PRICES;
};
