import { beforeEach, describe, expect, test } from 'vitest';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent } from './support.ts';

const stage = await use(inboundStage());
let actor: Actor;
beforeEach(async () => {
  actor = await stage.fresh();
});

const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe('who writes a word of opt-out', () => {
  test.each(['sms', 'rcs', 'whatsapp'] as const)(
    'by %s is out of every channel, and is told of once',
    async (channel) => {
      const { id } = await stage.create({ optIn: { status: 'unknown' } });
      await stage.receive(anEvent({ channel, at: stage.at(-5), text: 'Sair.' }));
      await stage.receive(anEvent({ channel, at: stage.at(-4), text: 'SAIR' }));
      expect((await stage.contactNow(id)).optIn).toMatchObject({
        status: 'denied',
        revokedAt: stage.at(-5),
        revokedReason: `asked by ${channel}: SAIR`,
      });
      const told = (await stage.events()).filter(({ type }) => type === 'contact.opted_out');
      expect(told).toMatchObject([{ data: { contactId: id, status: 'denied', reason: `asked by ${channel}: SAIR` } }]);
      for (const named of [{ contactId: id }, {}])
        expect(await stage.send(named)).toMatchObject({
          name: 'VALIDATION_ERROR',
          details: { meta: { motivo: 'opt_out' } },
        });
    },
  );

  test('stays in where the word is in a sentence, or came by e-mail', async () => {
    const { id } = await stage.create({ email: 'ana@loja.example' });
    await stage.receive(anEvent({ at: stage.at(-5), text: 'Quero sair do aluguel' }));
    await stage.receive(anEvent({ channel: 'email', from: 'ana@loja.example', at: stage.at(-5), text: 'SAIR' }));
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
  });

  test('is out by a button that says so, and by none that says what a shop may mean by it: its words are not the person’s', async () => {
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

  test('and later consents stays in, though the word comes, or comes again, afterwards', async () => {
    const { id } = await stage.create();
    const word = anEvent({ at: stage.at(-5), text: 'STOP' });
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    await stage.receive(word);
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
    expect((await stage.read(word)).decisions.find(({ kind }) => kind === 'consent')?.detail).toBe(
      'STOP: changes nothing',
    );
    expect(await stage.receive(word)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
  });

  test('and is unknown has the phone marked: it is sent nothing, and its contact is created as one that opted out', async () => {
    await stage.receive(anEvent({ at: stage.at(-5), text: 'PARAR' }));
    await stage.receive(anEvent({ at: stage.at(-4), text: 'PARAR' }));
    const received = (await stage.events()).map(({ type, data }) => [type, data.optedOut]);
    expect(received).toEqual([
      ['message.received', true],
      ['message.received', undefined],
    ]);
    expect(await stage.send()).toMatchObject({ name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } });
    const created = await stage.create({ optIn: { status: 'granted', source: 'import' } });
    expect(created.optIn).toMatchObject({
      status: 'denied',
      revokedAt: stage.at(-5),
      revokedReason: 'asked by whatsapp: PARAR',
    });
    await optInContact(stage.contacts, actor, created.id, { source: 'site' });
    expect(isRefusal(await stage.send())).toBe(false);
  });

  test('of a phone that a contact was known by has it marked too, and the contact’s opt-in takes both back', async () => {
    const { id } = await stage.create({ phone: '+5511987650009' });
    const sent = await stage.send({ contactId: id });
    if (isRefusal(sent)) throw new Error(sent.details.detail);
    const repliedTo = async () => readMessage(stage.world.table, actor.organizationId, sent.id);
    await receiveInbound({ ...stage.inbound, repliedTo }, actor, anEvent({ at: stage.at(-5), text: 'SAIR' }));
    for (const named of [{ contactId: id }, {}]) expect(await stage.send(named)).toMatchObject(OPT_OUT);
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    for (const named of [{ contactId: id }, {}]) expect(isRefusal(await stage.send(named))).toBe(false);
  });

  test('while their contact is being created is out in the end', async () => {
    const [, contact] = await Promise.all([
      stage.receive(anEvent({ at: stage.world.now, text: 'SAIR' })),
      stage.create(),
    ]);
    expect((await stage.contactNow(contact.id)).optIn.status).toBe('denied');
  });

  test.each(['START', 'VOLTAR', 'SIM'])(
    'does not come back in by writing %s: consent has a proof of its own',
    async (text) => {
      const { id } = await stage.create({ optIn: { status: 'denied' } });
      await stage.receive(anEvent({ at: stage.at(-5), text }));
      expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    },
  );
});

describe('who writes a word of opt-out by Instagram', () => {
  const USER = '17841400000000001';
  const word = (minutes: number, text = 'PARAR') =>
    anEvent({ channel: 'instagram', from: USER, at: stage.at(minutes), text });
  const events = async () => (await stage.events()).map(({ type, data }) => [type, data.optedOut]);

  test('and is known as nobody has the id marked, and is told of as a phone is: by the message alone, once', async () => {
    await stage.receive(word(-5));
    await stage.receive(word(-4));
    expect(await events()).toEqual([
      ['instagram.message.received', true],
      ['instagram.message.received', undefined],
    ]);
    expect(await stage.direct(USER)).toMatchObject(OPT_OUT);
    expect(isRefusal(await stage.direct('17841400000000002'))).toBe(false);
  });

  test('is the contact that was named to it last, though no message is answered: out, told of once, and in again by its opt-in', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    expect(isRefusal(await stage.direct(USER))).toBe(false);
    const said = word(-5);
    await stage.receive(said);
    expect((await stage.read(said)).contactId).toBe(id);
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
      await optInContact(stage.contacts, actor, id, { source: 'site' });
      for (const named of [id, undefined]) expect(isRefusal(await stage.direct(USER, named))).toBe(false);
      expect(isRefusal(await stage.send())).toBe(false);
    }
  });

  test('first as nobody and then as a contact is in again by the contact’s opt-in', async () => {
    await stage.receive(word(-9));
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await stage.receive(word(-8));
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    expect(isRefusal(await stage.direct(USER))).toBe(false);
  });

  test('stays out when another contact opts in, or this one did so before: only what was said until then is taken back', async () => {
    const [{ id }, other] = [await stage.create(), await stage.create({ phone: '+5511987650009' })];
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    stage.world.now += 1_000;
    await stage.receive(word(0));
    await optInContact(stage.contacts, actor, other.id, { source: 'site' });
    for (const named of [id, undefined]) expect(await stage.direct(USER, named)).toMatchObject(OPT_OUT);
  });

  test('before its contact consents, but arrives after it, is not out, and neither is the id', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    await stage.receive(word(-5));
    for (const named of [id, undefined]) expect(isRefusal(await stage.direct(USER, named))).toBe(false);
  });

  test('20 times at once is out once', async () => {
    const { id } = await stage.create();
    expect(isRefusal(await stage.direct(USER, id))).toBe(false);
    await Promise.all(Array.from({ length: 20 }, (_, turn) => stage.receive(word(turn - 30))));
    expect((await events()).filter(([type]) => type === 'contact.opted_out')).toHaveLength(1);
    expect(await stage.direct(USER)).toMatchObject(OPT_OUT);
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    expect(isRefusal(await stage.direct(USER))).toBe(false);
  });
});
