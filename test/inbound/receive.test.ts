import { describe, expect, test } from 'vitest';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { readInboundCounts, readLastInbound } from '../../shared/storage/messages/inbound.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { undocumentedIn } from '../support/event-shapes.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent, PHONE } from './support.ts';

const stage = await use(inboundStage());

describe('an inbound message', () => {
  test('is stored with its content, sender and time, and raises one event', async () => {
    const event = anEvent({ at: stage.at(-5) });
    expect(await stage.receive(event)).toBe('kept');
    expect(await stage.read(event)).toMatchObject({
      organizationId: stage.actor.organizationId,
      env: 'test',
      direction: 'inbound',
      channel: 'whatsapp',
      type: 'text',
      status: 'delivered',
      from: PHONE,
      to: '106540352242922',
      payload: { text: 'Oi, tudo bem?' },
      providerMessageId: event.providerMessageId,
      sentAt: stage.at(-5),
      createdAt: stage.world.now,
    });
    expect(await stage.events()).toMatchObject([
      {
        type: 'message.received',
        env: 'test',
        data: {
          id: stage.idOf(event),
          channel: 'whatsapp',
          from: '+55119****0001',
          payload: { text: 'Oi, tudo bem?' },
        },
      },
    ]);
  });

  test('by SMS that answers no message raises the same data as a reply, with its own id', async () => {
    const event = anEvent({ channel: 'sms', to: '+5511400040004', text: 'Oi' });
    expect(await stage.receive(event)).toBe('kept');
    const [raised, ...others] = await stage.events();
    expect(others).toEqual([]);
    expect(raised).toMatchObject({
      type: 'sms.received',
      data: { id: stage.idOf(event), messageId: stage.idOf(event), body: 'Oi', from: '+55119****0001' },
    });
    expect(undocumentedIn('sms.received', raised?.data)).toBeUndefined();
  });

  test('creates no contact for an unknown sender', async () => {
    const event = anEvent();
    await stage.receive(event);
    expect((await stage.read(event)).contactId).toBeUndefined();
    const created = await stage.create();
    expect(created.optIn.status).toBe('unknown');
  });

  test('is never dated in the future, whatever the provider’s clock says', async () => {
    const event = anEvent({ at: stage.at(60) });
    await stage.receive(event);
    expect((await stage.read(event)).sentAt).toBe(stage.world.now);
  });

  test('delivered 40 times concurrently is one message, one event and one in every total', async () => {
    await stage.create();
    const event = anEvent({ at: stage.at(-5), text: 'SAIR' });
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => stage.receive(event)));
    expect(outcomes.filter((outcome) => outcome === 'kept')).toHaveLength(1);
    expect(await stage.receive(event)).toBe('repeated');
    expect((await stage.events()).map(({ type }) => type).sort()).toEqual(['contact.opted_out', 'message.received']);
    expect((await stage.list()).total).toBe(1);
    expect(await readInboundCounts(stage.world.table, stage.actor.organizationId)).toEqual({ whatsapp: 1 });
  });

  test('is stored once alongside 29 concurrent messages of its sender, and the latest sets the last interaction', async () => {
    const { id } = await stage.create();
    const all = Array.from({ length: 30 }, (_, turn) =>
      anEvent({ at: stage.at(turn - 60), profileName: `Ana ${turn}` }),
    );
    expect(new Set(await Promise.all(all.map(stage.receive)))).toEqual(new Set(['kept']));
    expect((await stage.list()).total).toBe(30);
    expect(await stage.contactNow(id)).toMatchObject({
      lastInteractionAt: stage.at(-31),
      whatsappProfileName: 'Ana 29',
    });
    expect(new Set((await stage.list({ contactId: id })).items.map((each) => each.id)).size).toBe(30);
  });

  const faults = { ...FAULTS, conflict: FAULTS.conflict(5) };
  test.each(Object.keys(faults) as (keyof typeof faults)[])(
    'is one message when the table fails once: %s',
    async (name) => {
      const { id } = await stage.create();
      const event = anEvent({ at: stage.at(-5) });
      let calls = 0;
      stage.world.proxy.plan(({ action }) =>
        action === 'TransactWriteItems' && calls++ === 0 ? faults[name] : undefined,
      );
      // A failure is reported to the provider, which repeats its callback.
      const first = await stage.receive(event).catch(() => 'failed');
      stage.world.proxy.plan(undefined);
      expect(['kept', 'repeated', 'failed']).toContain(first);
      expect(await stage.receive(event)).toBe(first === 'failed' ? 'kept' : 'repeated');
      expect((await stage.list()).total).toBe(1);
      expect((await stage.contactNow(id)).lastInteractionAt).toBe(stage.at(-5));
    },
  );
});

describe('the 24-hour window', () => {
  const last = async (channel: 'whatsapp' | 'instagram' | 'rcs', from = PHONE) => {
    const kind = channel === 'instagram' ? 'platform' : 'phone';
    const hash = await stage.inbound.recipientHashOf(stage.actor.organizationId, kind, from);
    return readLastInbound(stage.world.table, stage.actor.organizationId, { channel, hash });
  };

  test('is opened by the latest message, in whatever order they arrive', async () => {
    for (const minutes of [-30, -10, -20, -40]) await stage.receive(anEvent({ at: stage.at(minutes) }));
    expect(await last('whatsapp')).toBe(stage.at(-10));
  });

  test('is separate for each channel, and does not exist for RCS', async () => {
    await stage.receive(anEvent({ channel: 'instagram', from: '17841400000000001', at: stage.at(-3) }));
    await stage.receive(anEvent({ channel: 'rcs', at: stage.at(-2) }));
    expect(await last('instagram', '17841400000000001')).toBe(stage.at(-3));
    expect(await last('whatsapp')).toBeUndefined();
    expect(await last('rcs')).toBeUndefined();
  });
});

describe('the contact of an inbound message', () => {
  test('is found by its phone, and its last interaction and profile name follow the latest message', async () => {
    const { id } = await stage.create({ name: 'Ana Souza' });
    await stage.receive(anEvent({ at: stage.at(-10), profileName: 'Aninha' }));
    await stage.receive(anEvent({ at: stage.at(-20), profileName: 'Velha' }));
    await stage.receive(anEvent({ at: stage.at(-15) }));
    const now = await stage.contactNow(id);
    expect(now).toMatchObject({ name: 'Ana Souza', whatsappProfileName: 'Aninha', lastInteractionAt: stage.at(-10) });
    expect((await stage.list({ contactId: id })).total).toBe(3);
  });

  test('is updated concurrently with another change without losing either', async () => {
    const { id } = await stage.create();
    const optIn = stage.optIn(id);
    await Promise.all([stage.receive(anEvent({ at: stage.at(-5) })), optIn]);
    expect(await stage.contactNow(id)).toMatchObject({ lastInteractionAt: stage.at(-5), optIn: { status: 'granted' } });
  });

  test('is the one of the answered message if no contact has the phone', async () => {
    const { id } = await stage.create({ phone: '+5511987650009' });
    const sent = accepted(await stage.send({ route: 'otp', contactId: id }));
    const repliedTo = async () => readMessage(stage.world.table, stage.actor.organizationId, sent.id);
    const event = anEvent({ at: stage.at(-5) });
    await receiveInbound({ ...stage.inbound, repliedTo }, stage.actor, event);
    expect(await stage.read(event)).toMatchObject({ contactId: id, inReplyTo: sent.id });
  });

  test('is none if several contacts have the address', async () => {
    await stage.create({ email: 'ana@loja.example' });
    const event = anEvent({ channel: 'email', from: 'Ana@loja.example', to: 'sac@loja.example' });
    await stage.receive(event);
    expect((await stage.read(event)).contactId).toBeDefined();
    await stage.create({ phone: '+5511987650008', email: 'ana@loja.example' });
    const later = anEvent({ channel: 'email', from: 'ana@loja.example', to: 'sac@loja.example' });
    await stage.receive(later);
    expect((await stage.read(later)).contactId).toBeUndefined();
  });
});
