import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { type InboundStage, inboundStage } from './stage.ts';
import { anEvent } from './support.ts';

let stage: InboundStage;
let actor: Actor;
beforeAll(async () => {
  stage = await inboundStage();
});
afterAll(() => stage?.world.close());
beforeEach(async () => {
  actor = await stage.fresh();
});

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
