import { afterEach, describe, expect, test } from 'vitest';
import { createMessage } from '../../shared/domain/api/create-message.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId, parseId } from '../../shared/domain/core/ids.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { messageView } from '../../shared/domain/tracking/views.ts';
import { mediaStore } from '../../shared/storage/whatsapp/media.ts';
import { accepted } from '../support/accepted.ts';
import { recipientOn } from '../support/channel-plans.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { advanceFallbackPortsOf, plannerOf, sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const MEDIA_ID = '1166846181421424';
const TEXT = { type: 'text', payload: { text: 'Oi' } } as const;

const world = await use(startWorld('live'));
const { candidates } = world;
afterEach(() => {
  world.reset();
  world.candidates = candidates;
});

const media = mediaStore(world.table);
const submitPorts = () => ({ ...submitPortsOf(world), plan: plannerOf(world, { findMedia: media.find }) });
const read = async (id: Id<'message'>) => {
  const message = await world.ports.messageStore.read(id);
  if (!message) throw new Error('it was not stored');
  return message;
};
const noProvider = () => {
  world.candidates = () => ({ kind: 'none', missing: 'no provider is set up' });
};

describe('a media message', () => {
  const create = async (actor: Actor, id: string) => {
    const payload = { media: { kind: 'image', id } };
    const body = { channel: 'whatsapp', to: PHONE, type: 'media', payload } as const;
    return accepted(await createMessage(submitPorts(), actor, newId('request'), body));
  };
  const uploaded = (organizationId: Id<'organization'>) => ({
    mediaId: MEDIA_ID,
    organizationId,
    numberId: newId('number'),
    kind: 'image' as const,
    mimeType: 'image/jpeg' as const,
    filename: 'foto.jpg',
    size: 48_213,
    sha256: 'a'.repeat(64),
    storedAt: world.now - 60_000,
    expiresAt: world.now + 24 * 3600_000,
  });

  test('shows type, size and time of the file that was uploaded here, at its creation and later', async () => {
    const actor = await world.organization(10_000);
    await media.keep(uploaded(actor.organizationId));
    const mediaStorage = { mimeType: 'image/jpeg', size: 48_213, storedAt: '2026-03-10T11:59:00.000Z' };
    const created = await create(actor, MEDIA_ID);
    expect({ ...created, mediaStorage: { ...created.mediaStorage, storedAt: expect.any(String) } }).toMatchObject({
      mediaStorage: { mimeType: 'image/jpeg', size: 48_213 },
    });
    expect(Object.keys(messageView(await read(created.id), true).mediaStorage ?? {})).toEqual(
      Object.keys(mediaStorage),
    );
  });

  test('shows nothing of a file that only another organization uploaded', async () => {
    const [owner, other] = [await world.organization(10_000), await world.organization(10_000)];
    await media.keep(uploaded(owner.organizationId));
    expect(await create(other, MEDIA_ID)).not.toHaveProperty('mediaStorage');
  });
});

describe('a send made with a session', () => {
  const ana = { accountId: newId('account'), accountName: 'Ana Souza' };
  const shown = { sentByAccountId: ana.accountId, sentByName: 'Ana Souza' };
  const session = async (): Promise<Actor> => ({ ...(await world.organization(10_000)), kind: 'session', ...ana });

  test.each(CHANNELS)('names the person on %s', async (channel) => {
    const body = { channel, to: recipientOn(channel), ...TEXT };
    const email = channel === 'email' ? { payload: { email: { subject: 'Oi', text: 'Oi' } } } : {};
    const actor = await session();
    expect(await createMessage(submitPorts(), actor, 'key', { ...body, ...email })).toMatchObject(shown);
  });

  test('names the person on an SMS that its caller waits for, and on a fallback that leaves later', async () => {
    const actor = await session();
    const sms = accepted(await sendSms(world.ports, actor, 'sms', { to: PHONE, body: 'Oi', route: 'premium' }));
    expect(messageView(await read(sms.id), true)).toMatchObject(shown);
    const body = { channel: 'sms', to: PHONE, text: 'Oi', fallback: ['rcs'], fallback_after: 60_000 } as const;
    const { id } = accepted(await sendV1(submitPorts(), actor, 'v1', body));
    await sendQueued(sendQueuedPortsOf(world), id);
    world.now += 60_000;
    await advanceFallback(advanceFallbackPortsOf(world), id);
    const { messages } = await checkMoney(world.table, actor.organizationId, { quiet: false });
    const step = messages.find(({ channel }) => channel === 'rcs');
    expect(messageView(await read(parseId('message', step?.id)), true)).toMatchObject(shown);
  });

  test('made with a key instead names no person', async () => {
    const actor = await world.organization(10_000);
    const created = await createMessage(submitPorts(), actor, 'key', { channel: 'sms', to: PHONE, ...TEXT });
    expect(created).not.toHaveProperty('sentByAccountId');
    expect(created).not.toHaveProperty('sentByName');
  });
});

describe('a live message without a provider', () => {
  test('names the channel’s first provider, never the sandbox, where none is set up', async () => {
    noProvider();
    const actor = await world.organization(10_000);
    const refused = await sendSms(world.ports, actor, 'key', { to: PHONE, body: 'Oi', route: 'premium' });
    if (!isRefusal(refused)) throw new Error('it was sent');
    const message = await read(parseId('message', String(refused.details.meta?.messageId)));
    expect(message).toMatchObject({ status: 'failed', provider: channelOf('sms').providers[0] });
    expect(message.decisions.map(({ detail }) => detail)).toContain(
      'aws_end_user_messaging was not called: none is set up',
    );
  });

  // A push to a person has a provider for each of its devices.
  test.each(CHANNELS.filter((channel) => channel !== 'push'))(
    'names the provider that it was accepted for on %s',
    async (channel) => {
      const actor = await world.organization(10_000);
      const email = channel === 'email' ? { payload: { email: { subject: 'Oi', text: 'Oi' } } } : {};
      const body = { channel, to: recipientOn(channel), ...TEXT, ...email };
      const { id } = accepted(await createMessage(submitPorts(), actor, 'key', body));
      expect(await read(id)).toMatchObject({ status: 'queued', provider: 'infobip' });
      noProvider();
      await sendQueued(sendQueuedPortsOf(world), id);
      expect(await read(id)).toMatchObject({ status: 'failed', provider: 'infobip' });
    },
  );
});
