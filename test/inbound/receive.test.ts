import { beforeEach, describe, expect, test } from 'vitest';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { readInboundCounts, readLastInbound } from '../../shared/storage/messages/inbound.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent, PHONE } from './support.ts';

const stage = await use(inboundStage());
let actor: Actor;
beforeEach(async () => {
  actor = await stage.fresh();
});

describe('a message that comes in', () => {
  test('is kept with what it says, who sent it and when, and raises one event', async () => {
    const event = anEvent({ at: stage.at(-5) });
    expect(await stage.receive(event)).toBe('kept');
    expect(await stage.read(event)).toMatchObject({
      organizationId: actor.organizationId,
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

  test('makes no contact of an unknown sender', async () => {
    const event = anEvent();
    await stage.receive(event);
    expect((await stage.read(event)).contactId).toBeUndefined();
    const created = await stage.create();
    expect(created.optIn.status).toBe('unknown');
  });

  test('is never in the future, whatever the platform’s clock says', async () => {
    const event = anEvent({ at: stage.at(60) });
    await stage.receive(event);
    expect((await stage.read(event)).sentAt).toBe(stage.world.now);
  });

  test('that is called back 40 times at once is one message, one event and one in every total', async () => {
    await stage.create();
    const event = anEvent({ at: stage.at(-5), text: 'SAIR' });
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => stage.receive(event)));
    expect(outcomes.filter((outcome) => outcome === 'kept')).toHaveLength(1);
    expect(await stage.receive(event)).toBe('repeated');
    expect((await stage.events()).map(({ type }) => type).sort()).toEqual(['contact.opted_out', 'message.received']);
    expect((await stage.list()).total).toBe(1);
    expect(await readInboundCounts(stage.world.table, actor.organizationId)).toEqual({ whatsapp: 1 });
  });

  test('is kept beside 30 others of the same sender at once: each once, and the last of them is the last interaction', async () => {
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
    'is one message over a table that answers once: %s',
    async (name) => {
      const { id } = await stage.create();
      const event = anEvent({ at: stage.at(-5) });
      let calls = 0;
      stage.world.proxy.plan(({ action }) =>
        action === 'TransactWriteItems' && calls++ === 0 ? faults[name] : undefined,
      );
      // Where the fault is told to the platform instead, the platform calls again.
      const first = await stage.receive(event).catch(() => 'told');
      stage.world.proxy.plan(undefined);
      expect(['kept', 'repeated', 'told']).toContain(first);
      expect(await stage.receive(event)).toBe(first === 'told' ? 'kept' : 'repeated');
      expect((await stage.list()).total).toBe(1);
      expect((await stage.contactNow(id)).lastInteractionAt).toBe(stage.at(-5));
    },
  );
});

describe('the 24-hour window', () => {
  const last = async (channel: 'whatsapp' | 'instagram' | 'rcs', from = PHONE) => {
    const kind = channel === 'instagram' ? 'platform' : 'phone';
    const hash = await stage.inbound.recipientHashOf(actor.organizationId, kind, from);
    return readLastInbound(stage.world.table, actor.organizationId, { channel, hash });
  };

  test('is opened by the last message, in whatever order they come', async () => {
    for (const minutes of [-30, -10, -20, -40]) await stage.receive(anEvent({ at: stage.at(minutes) }));
    expect(await last('whatsapp')).toBe(stage.at(-10));
  });

  test('is each channel’s own; channels without one have none', async () => {
    await stage.receive(anEvent({ channel: 'instagram', from: '17841400000000001', at: stage.at(-3) }));
    await stage.receive(anEvent({ channel: 'rcs', at: stage.at(-2) }));
    expect(await last('instagram', '17841400000000001')).toBe(stage.at(-3));
    expect(await last('whatsapp')).toBeUndefined();
    expect(await last('rcs')).toBeUndefined();
  });
});

describe('the contact who wrote', () => {
  test('is found by the phone, and its last interaction and profile name follow the latest message alone', async () => {
    const { id } = await stage.create({ name: 'Ana Souza' });
    await stage.receive(anEvent({ at: stage.at(-10), profileName: 'Aninha' }));
    await stage.receive(anEvent({ at: stage.at(-20), profileName: 'Velha' }));
    await stage.receive(anEvent({ at: stage.at(-15) }));
    const now = await stage.contactNow(id);
    expect(now).toMatchObject({ name: 'Ana Souza', whatsappProfileName: 'Aninha', lastInteractionAt: stage.at(-10) });
    expect((await stage.list({ contactId: id })).total).toBe(3);
  });

  test('is told to an update of the same moment, which does not lose either', async () => {
    const { id } = await stage.create();
    const optIn = optInContact(stage.contacts, actor, id, { source: 'site' });
    await Promise.all([stage.receive(anEvent({ at: stage.at(-5) })), optIn]);
    expect(await stage.contactNow(id)).toMatchObject({ lastInteractionAt: stage.at(-5), optIn: { status: 'granted' } });
  });

  test('is the one that the answered message named, where nobody has the phone', async () => {
    const { id } = await stage.create({ phone: '+5511987650009' });
    const sent = await stage.send({ route: 'otp', contactId: id });
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    const answering = {
      ...stage.inbound,
      repliedTo: async () => readMessage(stage.world.table, actor.organizationId, sent.id),
    };
    const event = anEvent({ at: stage.at(-5) });
    await receiveInbound(answering, actor, event);
    expect(await stage.read(event)).toMatchObject({ contactId: id, inReplyTo: sent.id });
  });

  test('is nobody where several contacts have the address', async () => {
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
