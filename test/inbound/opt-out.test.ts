import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent } from './support.ts';

const stage = await use(inboundStage());

const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe('an opt-out word', () => {
  test.each(['sms', 'rcs', 'whatsapp'] as const)(
    'on %s opts its sender out of every channel, with one event',
    async (channel) => {
      const { id } = await stage.create({ optIn: { status: 'unknown' } });
      await stage.receive(anEvent({ channel, at: stage.at(-5), text: 'Sair.' }));
      await stage.receive(anEvent({ channel, at: stage.at(-4), text: 'SAIR' }));
      expect((await stage.contactNow(id)).optIn).toMatchObject({
        status: 'denied',
        revokedAt: stage.at(-5),
        revokedReason: `asked by ${channel}: SAIR`,
      });
      const events = (await stage.events()).filter(({ type }) => type === 'contact.opted_out');
      expect(events).toMatchObject([
        { data: { contactId: id, status: 'denied', reason: `asked by ${channel}: SAIR` } },
      ]);
      for (const named of [{ contactId: id }, {}]) expect(await stage.send(named)).toMatchObject(OPT_OUT);
    },
  );

  test('within a sentence, or by e-mail, does not opt out', async () => {
    const { id } = await stage.create({ email: 'ana@loja.example' });
    await stage.receive(anEvent({ at: stage.at(-5), text: 'Quero sair do aluguel' }));
    await stage.receive(anEvent({ channel: 'email', from: 'ana@loja.example', at: stage.at(-5), text: 'SAIR' }));
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
  });

  test('on a button counts only if it is unambiguous: the shop, not the person, wrote the text of a button', async () => {
    const { id } = await stage.create();
    const pressed = (text: string) => {
      const payload = { interactive: { type: 'button', button: { text } } };
      return stage.receive(anEvent({ type: 'interactive', text, payload, at: stage.at(-5) }));
    };
    for (const text of ['Cancelar', 'CANCEL', 'Remover', 'End', 'Quit']) await pressed(text);
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
    await pressed('Parar');
    expect((await stage.contactNow(id)).optIn).toMatchObject({
      status: 'denied',
      revokedReason: 'asked by whatsapp: PARAR',
    });
  });

  test('that arrives after a later consent changes nothing, nor does its repeat', async () => {
    const { id } = await stage.create();
    const word = anEvent({ at: stage.at(-5), text: 'STOP' });
    await stage.optIn(id);
    await stage.receive(word);
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
    expect((await stage.read(word)).decisions.find(({ kind }) => kind === 'consent')?.detail).toBe(
      'STOP: changes nothing',
    );
    expect(await stage.receive(word)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
  });

  test('from an unknown phone stops sends to it, and its contact is created as opted out', async () => {
    await stage.receive(anEvent({ at: stage.at(-5), text: 'PARAR' }));
    await stage.receive(anEvent({ at: stage.at(-4), text: 'PARAR' }));
    const received = (await stage.events()).map(({ type, data }) => [type, data.optedOut]);
    expect(received).toEqual([
      ['message.received', true],
      ['message.received', undefined],
    ]);
    expect(await stage.send()).toMatchObject(OPT_OUT);
    const created = await stage.create({ optIn: { status: 'granted', source: 'import' } });
    expect(created.optIn).toMatchObject({
      status: 'denied',
      revokedAt: stage.at(-5),
      revokedReason: 'asked by whatsapp: PARAR',
    });
    await stage.optIn(created.id);
    expect(isRefusal(await stage.send())).toBe(false);
  });

  test('from a phone that answers a contact’s message stops sends to both; the contact’s opt-in allows both again', async () => {
    const { id } = await stage.create({ phone: '+5511987650009' });
    const { id: sent } = accepted(await stage.send({ contactId: id }));
    const repliedTo = async () => readMessage(stage.world.table, stage.actor.organizationId, sent);
    await receiveInbound({ ...stage.inbound, repliedTo }, stage.actor, anEvent({ at: stage.at(-5), text: 'SAIR' }));
    for (const named of [{ contactId: id }, {}]) expect(await stage.send(named)).toMatchObject(OPT_OUT);
    await stage.optIn(id);
    for (const named of [{ contactId: id }, {}]) expect(isRefusal(await stage.send(named))).toBe(false);
  });

  test('received while its contact is being created opts the contact out', async () => {
    const [, contact] = await Promise.all([
      stage.receive(anEvent({ at: stage.world.now, text: 'SAIR' })),
      stage.create(),
    ]);
    expect((await stage.contactNow(contact.id)).optIn.status).toBe('denied');
  });

  test.each(['START', 'VOLTAR', 'SIM'])(
    'is not taken back by writing %s: consent needs a proof of its own',
    async (text) => {
      const { id } = await stage.create({ optIn: { status: 'denied' } });
      await stage.receive(anEvent({ at: stage.at(-5), text }));
      expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    },
  );
});

describe('an opt-out word on Instagram', () => {
  const USER = '17841400000000001';
  const word = (minutes: number, text = 'PARAR') =>
    anEvent({ channel: 'instagram', from: USER, at: stage.at(minutes), text });
  const events = async () => (await stage.events()).map(({ type, data }) => [type, data.optedOut]);

  test('from an unknown user stops sends to the id, and only the message event says so, once', async () => {
    await stage.receive(word(-5));
    await stage.receive(word(-4));
    expect(await events()).toEqual([
      ['instagram.message.received', true],
      ['instagram.message.received', undefined],
    ]);
    expect(await stage.direct(USER)).toMatchObject(OPT_OUT);
    expect(isRefusal(await stage.direct('17841400000000002'))).toBe(false);
  });

  test('opts out the contact that was last named for the user, with one event, until the contact opts in', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    expect(isRefusal(await stage.direct(USER))).toBe(false);
    const received = word(-5);
    await stage.receive(received);
    expect((await stage.read(received)).contactId).toBe(id);
    expect((await stage.contactNow(id)).optIn).toMatchObject({
      status: 'denied',
      revokedReason: 'asked by instagram: PARAR',
    });
    expect(await events()).toEqual([
      ['instagram.message.received', true],
      ['contact.opted_out', undefined],
    ]);
    for (const named of [id, undefined]) expect(await stage.direct(USER, named)).toMatchObject(OPT_OUT);
    expect(await stage.send()).toMatchObject(OPT_OUT);
    for (let turn = 0; turn < 2; turn++) {
      await stage.optIn(id);
      for (const named of [id, undefined]) expect(isRefusal(await stage.direct(USER, named))).toBe(false);
      expect(isRefusal(await stage.send())).toBe(false);
    }
  });

  test('sent first as unknown and then as a contact is taken back by the contact’s opt-in', async () => {
    await stage.receive(word(-9));
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await stage.receive(word(-8));
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await stage.optIn(id);
    expect(isRefusal(await stage.direct(USER))).toBe(false);
  });

  test('is not taken back by another contact’s opt-in, nor by an earlier opt-in of this one', async () => {
    const [{ id }, other] = [await stage.create(), await stage.create({ phone: '+5511987650009' })];
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await stage.optIn(id);
    stage.world.now += 1_000;
    await stage.receive(word(0));
    await stage.optIn(other.id);
    for (const named of [id, undefined]) expect(await stage.direct(USER, named)).toMatchObject(OPT_OUT);
  });

  test('sent before an opt-in but received after it opts out neither the contact nor the id', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await stage.optIn(id);
    await stage.receive(word(-5));
    for (const named of [id, undefined]) expect(isRefusal(await stage.direct(USER, named))).toBe(false);
  });

  test('received 20 times concurrently opts out once', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await Promise.all(Array.from({ length: 20 }, (_, turn) => stage.receive(word(turn - 30))));
    expect((await events()).filter(([type]) => type === 'contact.opted_out')).toHaveLength(1);
    expect(await stage.direct(USER)).toMatchObject(OPT_OUT);
    await stage.optIn(id);
    expect(isRefusal(await stage.direct(USER))).toBe(false);
  });
});
