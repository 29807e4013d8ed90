import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { resend } from '../../shared/domain/api/resend.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import type * as registry from '../../shared/domain/channels/registry.ts';
import type { AnyChannel } from '../../shared/domain/channels/registry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { defineChannel } from '../../shared/domain/message/define-channel.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { acceptedThen, scriptByEnding } from '../../shared/domain/message/sandbox.ts';
import type { SendRequest } from '../../shared/domain/message/send-request.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { messageView } from '../../shared/domain/tracking/views.ts';
import { listMessagePage, readMessage } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { accepted } from '../support/accepted.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { ScriptedProvider, startWorld } from '../support/world.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

/** A channel that no file of the service names: its whole declaration, as it would be in its folder. */
const telegram = defineChannel({
  channel: 'telegram' as Channel,
  recipient: 'platform',
  routes: [],
  providers: ['telegram_bot'],
  callbackKinds: ['events'],
  countsVolume: false,
  receivesReplies: true,
  receivedEvent: 'message.received',
  eventOf: { delivered: 'message.delivered', failed: 'message.failed' },
  engagementOf: {},
  reasonOf: { recipient: 'no_such_chat' },
  templates: 'as_text',
  storedContent: z.object({ text: z.string() }),
  erased: () => ({ text: '' }),
  mask: () => '@****',
  sandbox: scriptByEnding(acceptedThen({ status: 'delivered' }), {}),
  payload: ({ text }: { text: string }) => ({ text }),
  resendContent: ({ text }: { text: string }) => ({ text }),
  planning: async () => ({
    payloadSchema: () => z.strictObject({ text: z.string() }),
    plan: async (_: unknown, __: unknown, { to, type, text = '' }: SendRequest) => ({
      plan: { channel: 'telegram', route: 'chat', to, type, content: { text }, requiresConsent: true },
    }),
  }),
} as unknown as AnyChannel);

vi.mock('../../shared/domain/channels/registry.ts', async (original) => {
  const real = await original<typeof registry>();
  return {
    ...real,
    CHANNELS: [...real.CHANNELS, 'telegram'],
    channelOf: (channel: Channel) => (channel === TELEGRAM ? telegram : real.channelOf(channel)),
  };
});

const TELEGRAM = 'telegram' as Channel;
const COINS = 30;

const world = await use(startWorld('live'));

describe('a seventh channel that is declared in memory', () => {
  afterEach(world.reset);

  const accept = async (fallback: readonly Channel[] = []) => {
    world.prices = [
      ...DEFAULT_PRICES,
      { channel: 'telegram', route: 'chat', unit: 'message', bands: [{ upTo: null, coins: COINS }] },
    ];
    const actor = await world.organization(10_000);
    const steps = fallback.map((channel) => ({ channel, to: '+5511987654321' }));
    const later = steps.length > 0 ? { fallback: steps, fallback_after: 60_000 } : {};
    const body = { channel: TELEGRAM, to: 'chat-1', text: 'Oi', ...later };
    const sent = accepted(await sendV1(submitPortsOf(world), actor, 'key', body));
    const read = async (id: Id<'message'> = sent.id): Promise<MessageRecord> => {
      const message = await readMessage(world.table, actor.organizationId, id);
      if (!message) throw new Error('the message is gone');
      return message;
    };
    return { actor, id: sent.id, sent, read };
  };
  const send = (id: Id<'message'>) => sendQueued(sendQueuedPortsOf(world), id);

  test('is sent by its provider at its price, and changes by its receipts', async () => {
    const { actor, id, sent, read } = await accept();
    expect(sent).toMatchObject({ channel: 'telegram', price: { coins: COINS } });
    await send(id);
    expect(world.provider.dispatched).toMatchObject([
      {
        to: 'chat-1',
        route: 'chat',
        content: { text: 'Oi' },
        callbackUrl: 'https://messaging.example/callbacks/infobip/events',
      },
    ]);
    await deliverReport(world, reportOf(id, 'delivered'));
    expect(messageView(await read(), false)).toMatchObject({
      channel: 'telegram',
      status: 'delivered',
      to: '@****',
      payload: { text: 'Oi' },
    });
    await checkMoney(world.table, actor.organizationId);
  });

  test("is found in its own list and among all channels' messages", async () => {
    const { actor, id } = await accept();
    const page = { skip: 0, limit: 10 };
    const own = await listMessagePage(world.reading, actor.organizationId, TELEGRAM, {}, page);
    const all = await listAllMessages(world.reading, actor.organizationId, {}, page);
    for (const { items, total } of [own, all]) expect([items.map((each) => each.id), total]).toEqual([[id], 1]);
  });

  test('fails over to its second provider when the first is out of credit', async () => {
    const second = Object.assign(new ScriptedProvider(), { name: 'telegram_bot' });
    world.candidates = () => ({ kind: 'ready', providers: [world.provider, second] });
    world.provider.script = [{ kind: 'refused', cause: 'credit', detail: 'no credit' }];
    const { id, read } = await accept();
    await send(id);
    expect([world.provider.dispatched.length, second.dispatched.length]).toEqual([1, 1]);
    expect(await read()).toMatchObject({ status: 'sent', provider: 'telegram_bot' });
  });

  test('fails with its own reason when its provider refuses the recipient, and can be resent', async () => {
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'chat not found' }];
    const { actor, id, read } = await accept();
    await send(id);
    expect(await read()).toMatchObject({ status: 'failed', reason: 'no_such_chat', hold: 'released' });
    const ports = { ...cancelAndForcePortsOf(world), ...submitPortsOf(world) };
    const again = accepted(await resend(ports, actor, id, { to: 'chat-2' }, 'again'));
    await send(again.message.id);
    expect(await read(again.message.id)).toMatchObject({ status: 'sent', to: 'chat-2', replaces: id });
    await checkMoney(world.table, actor.organizationId);
  });

  test('falls back to another channel when it fails, and is a fallback of another', async () => {
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'chat not found' }];
    const { actor, id } = await accept(['sms', TELEGRAM]);
    await send(id);
    await advanceFallback(advanceFallbackPortsOf(world), id);
    const all = () => listAllMessages(world.reading, actor.organizationId, {}, { skip: 0, limit: 10 });
    expect((await all()).items.map(({ channel }) => channel).sort()).toEqual(['sms', 'telegram']);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    const sms = (await all()).items.find(({ channel }) => channel === 'sms');
    await send(sms?.id as Id<'message'>);
    await advanceFallback(advanceFallbackPortsOf(world), id);
    expect((await all()).items.map(({ channel }) => channel).sort()).toEqual(['sms', 'telegram', 'telegram']);
  });
});
