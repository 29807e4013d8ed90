import { describe, expect, test } from 'vitest';
import { optOutContact } from '../../shared/domain/contacts/consent.ts';
import { use } from '../support/use.ts';
import { preferencesOf } from './preference-kit.ts';
import { inboundStage } from './stage.ts';
import { anEvent, PHONE } from './support.ts';

const stage = await use(inboundStage());
const { report } = preferencesOf(stage, PHONE);
const optedOut = async () => (await stage.events()).filter(({ type }) => type === 'contact.opted_out');
const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe('stopping marketing messages on WhatsApp', () => {
  test('opts out like an opt-out word, with one event, until they are resumed', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    expect(await report('stop', -9)).toBe('kept');
    expect(await report('stop', -9)).toBe('repeated');
    const reason = 'asked by whatsapp: marketing messages stopped';
    expect((await stage.contactNow(id)).optIn).toMatchObject({
      status: 'denied',
      revokedAt: stage.at(-9),
      revokedReason: reason,
    });
    expect(await optedOut()).toMatchObject([{ data: { contactId: id, status: 'denied', reason } }]);
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect(await report('resume', -8)).toBe('kept');
    expect((await stage.contactNow(id)).optIn).toEqual({ status: 'granted', source: 'whatsapp', at: stage.at(-8) });
    expect(await stage.send()).not.toMatchObject(OPT_OUT);
    expect(await report('resume', -8)).toBe('repeated');
    expect(await optedOut()).toHaveLength(1);
  });

  test('is ignored when reported after a later change', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await report('stop', -5);
    expect(await report('resume', -6)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await report('resume', -4);
    expect(await report('stop', -5)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
    await stage.optIn(id);
    expect(await report('stop', -5)).toBe('repeated');
  });

  test('is undone by resuming, as is an opt-out word on WhatsApp, but no opt-out from elsewhere', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await stage.receive(anEvent({ at: stage.at(-9), text: 'SAIR' }));
    expect(await report('resume', -8)).toBe('kept');
    await stage.receive(anEvent({ channel: 'sms', at: stage.at(-7), text: 'SAIR' }));
    expect(await report('resume', -6)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await stage.optIn(id);
    await optOutContact(stage.contacts, stage.actor, id, { reason: 'called us' });
    expect(await report('resume', 0)).toBe('repeated');
  });

  test('by an unknown phone stops sends to it until they are resumed', async () => {
    expect(await report('resume', -10)).toBe('repeated');
    expect(await report('stop', -9)).toBe('kept');
    expect(await report('stop', -9)).toBe('repeated');
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect(await report('resume', -9)).toBe('repeated');
    expect(await report('resume', -8)).toBe('kept');
    expect(await stage.send()).not.toMatchObject(OPT_OUT);
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
  });

  test('reported ten times concurrently opts out once', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    const effects = await Promise.all(Array.from({ length: 10 }, () => report('stop', -5)));
    expect(effects.filter((effect) => effect === 'kept')).toHaveLength(1);
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    expect(await optedOut()).toHaveLength(1);
  });
});
