import { beforeEach, describe, expect, test } from 'vitest';
import { optInContact, optOutContact } from '../../shared/domain/contacts/consent.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { applyPreference, type PreferencePorts } from '../../shared/domain/inbound/preferences.ts';
import { contactStore } from '../../shared/storage/contacts/contacts.ts';
import { optOutWrite, phoneOptInWrite } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { anEvent, PHONE } from './support.ts';

const stage = await use(inboundStage());
let actor: Actor;
let ports: PreferencePorts;
beforeEach(async () => {
  actor = await stage.fresh();
  const { table } = stage.world;
  ports = {
    ...stage.inbound,
    contacts: contactStore(table, (id) => void stage.inbound.raised.push(id)),
    optOutPhone: async (...[organizationId, hash, stop]) =>
      (await table.write(optOutWrite(organizationId, 'phone', hash, stop))).ok,
    optInPhone: async (...given) => (await table.write(phoneOptInWrite(...given))).ok,
  };
});

const tell = (value: 'stop' | 'resume', minutes: number) =>
  applyPreference(ports, actor, {
    kind: 'platform',
    about: 'preference',
    at: stage.at(minutes),
    phoneNumberId: '106540352242922',
    from: PHONE,
    value,
  });
const optedOut = async () => (await stage.events()).filter(({ type }) => type === 'contact.opted_out');
const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

describe('who stops marketing messages on WhatsApp', () => {
  test('is out as by a word of opt-out, told of once, and in again when they are resumed', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    expect(await tell('stop', -9)).toBe('kept');
    expect(await tell('stop', -9)).toBe('repeated');
    const reason = 'asked by whatsapp: marketing messages stopped';
    expect((await stage.contactNow(id)).optIn).toMatchObject({
      status: 'denied',
      revokedAt: stage.at(-9),
      revokedReason: reason,
    });
    expect(await optedOut()).toMatchObject([{ data: { contactId: id, status: 'denied', reason } }]);
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect(await tell('resume', -8)).toBe('kept');
    expect((await stage.contactNow(id)).optIn).toEqual({ status: 'granted', source: 'whatsapp', at: stage.at(-8) });
    expect(await stage.send()).not.toMatchObject(OPT_OUT);
    expect(await tell('resume', -8)).toBe('repeated');
    expect(await optedOut()).toHaveLength(1);
  });

  test('and what is told late changes nothing that came after it', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await tell('stop', -5);
    expect(await tell('resume', -6)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await tell('resume', -4);
    expect(await tell('stop', -5)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    expect(await tell('stop', -5)).toBe('repeated');
  });

  test('takes back a word that was written on WhatsApp by resuming, and no opt-out of elsewhere', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await stage.receive(anEvent({ at: stage.at(-9), text: 'SAIR' }));
    expect(await tell('resume', -8)).toBe('kept');
    await stage.receive(anEvent({ channel: 'sms', at: stage.at(-7), text: 'SAIR' }));
    expect(await tell('resume', -6)).toBe('repeated');
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    await optInContact(stage.contacts, actor, id, { source: 'site' });
    await optOutContact(stage.contacts, actor, id, { reason: 'called us' });
    expect(await tell('resume', 0)).toBe('repeated');
  });

  test('and is no contact has the phone marked, until they are resumed', async () => {
    expect(await tell('resume', -10)).toBe('repeated');
    expect(await tell('stop', -9)).toBe('kept');
    expect(await tell('stop', -9)).toBe('repeated');
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect(await tell('resume', -9)).toBe('repeated');
    expect(await tell('resume', -8)).toBe('kept');
    expect(await stage.send()).not.toMatchObject(OPT_OUT);
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
  });

  test('ten times at once is out once', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    const told = await Promise.all(Array.from({ length: 10 }, () => tell('stop', -5)));
    expect(told.filter((effect) => effect === 'kept')).toHaveLength(1);
    expect((await stage.contactNow(id)).optIn.status).toBe('denied');
    expect(await optedOut()).toHaveLength(1);
  });
});
