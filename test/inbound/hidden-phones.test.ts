import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import type { InboundEvent } from '../../shared/domain/message/provider-port.ts';
import { readChannelUser } from '../../shared/storage/contacts/channel-users.ts';
import { optOutWrite } from '../../shared/storage/contacts/recipient-opt-outs.ts';
import { readLastInbound } from '../../shared/storage/messages/inbound.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { preferencesOf } from './preference-kit.ts';
import { inboundStage } from './stage.ts';
import { anEvent, PHONE } from './support.ts';

const stage = await use(inboundStage());
const { table } = stage.world;
const USER = 'BR.13491208655302741918';
const OPT_OUT = { name: 'VALIDATION_ERROR', details: { meta: { motivo: 'opt_out' } } };

const hidden = (fields: Partial<InboundEvent> = {}) => anEvent({ from: USER, ...fields });
const shown = (fields: Partial<InboundEvent> = {}) => anEvent({ userId: USER, ...fields });
const hashOf = (kind: 'phone' | 'platform', value: string) =>
  stage.inbound.recipientHashOf(stage.actor.organizationId, kind, value);
const windowOf = async (kind: 'phone' | 'platform', value: string) =>
  readLastInbound(table, stage.actor.organizationId, { channel: 'whatsapp', hash: await hashOf(kind, value) });
const userNow = async () => readChannelUser(table, stage.actor.organizationId, await hashOf('platform', USER));
const optedOut = async () => (await stage.events()).filter(({ type }) => type === 'contact.opted_out');

const { report } = preferencesOf(stage, USER);

describe('a WhatsApp message from a user id that no phone is known for', () => {
  test('is stored, raises its event with the id masked, and opens the window of the id', async () => {
    const event = hidden({ at: stage.at(-5) });
    expect(await stage.receive(event)).toBe('kept');
    expect(await stage.receive(event)).toBe('repeated');
    expect(await stage.read(event)).toMatchObject({ from: USER, payload: { text: 'Oi, tudo bem?' } });
    expect(await stage.events()).toMatchObject([{ type: 'message.received', data: { from: 'BR****1918' } }]);
    expect(await windowOf('platform', USER)).toBe(stage.at(-5));
  });

  test('opts the id out by a word, once', async () => {
    await stage.receive(hidden({ at: stage.at(-5), text: 'SAIR' }));
    await stage.receive(hidden({ at: stage.at(-4), text: 'SAIR' }));
    expect((await userNow())?.optOut).toEqual({ at: stage.at(-5), reason: 'asked by whatsapp: SAIR' });
    const flags = (await stage.events()).map(({ data }) => data.optedOut);
    expect(flags).toEqual([true, undefined]);
  });

  test('is of the phone to which the message that it answers was sent, and of its contact', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    const sent = accepted(await stage.send());
    const repliedTo = await readMessage(table, stage.actor.organizationId, sent.id);
    const event = hidden({ at: stage.at(-5), text: 'SAIR', inReplyTo: 'wamid.OUT1' });
    await receiveInbound({ ...stage.inbound, repliedTo: async () => repliedTo }, stage.actor, event);
    expect(await stage.read(event)).toMatchObject({
      from: PHONE,
      fromHash: await hashOf('phone', PHONE),
      contactId: id,
    });
    expect(await windowOf('phone', PHONE)).toBe(stage.at(-5));
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect((await userNow())?.phoneHash).toBe(await hashOf('phone', PHONE));
  });
});

describe('a WhatsApp message from a user id that came with a phone before', () => {
  test("is the phone's contact's, opens the phone's window, and is listed with its messages", async () => {
    const { id } = await stage.create();
    await stage.receive(shown({ at: stage.at(-9) }));
    const event = hidden({ at: stage.at(-5) });
    await stage.receive(event);
    expect(await stage.read(event)).toMatchObject({
      from: USER,
      fromHash: await hashOf('phone', PHONE),
      contactId: id,
    });
    expect(await windowOf('phone', PHONE)).toBe(stage.at(-5));
    expect((await stage.contactNow(id)).lastInteractionAt).toBe(stage.at(-5));
  });

  test('opts out the contact of the phone by a word, with one event', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await stage.receive(shown({ at: stage.at(-9) }));
    await stage.receive(hidden({ at: stage.at(-5), text: 'SAIR' }));
    expect((await stage.contactNow(id)).optIn).toMatchObject({ status: 'denied', revokedAt: stage.at(-5) });
    expect(await optedOut()).toHaveLength(1);
    expect(await stage.send()).toMatchObject(OPT_OUT);
  });

  test('opts out a phone without a contact', async () => {
    await stage.receive(shown({ at: stage.at(-9) }));
    await stage.receive(hidden({ at: stage.at(-5), text: 'SAIR' }));
    expect(await stage.send()).toMatchObject(OPT_OUT);
  });

  test('of another organization is not matched: the id is known there only', async () => {
    await stage.receive(shown({ at: stage.at(-9) }));
    const other = await stage.world.organization(1_000_000);
    const sender = await readChannelUser(table, other.organizationId, await hashOf('platform', USER));
    expect(sender).toBeUndefined();
  });
});

describe('an opt-out by a user id', () => {
  test('applies to the phone as soon as the phone is known', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await stage.receive(hidden({ at: stage.at(-9), text: 'SAIR' }));
    expect((await stage.contactNow(id)).optIn.status).toBe('unknown');
    await stage.receive(shown({ at: stage.at(-5) }));
    expect((await stage.contactNow(id)).optIn).toMatchObject({
      status: 'denied',
      revokedAt: stage.at(-9),
      revokedReason: 'asked by whatsapp: SAIR',
    });
    expect(await optedOut()).toHaveLength(1);
    expect(await userNow()).toEqual({ phoneHash: await hashOf('phone', PHONE) });
  });

  test('does not override a later consent of the contact', async () => {
    const { id } = await stage.create();
    await stage.receive(hidden({ at: stage.at(-9), text: 'SAIR' }));
    await stage.optIn(id);
    await stage.receive(shown({ at: stage.at(-5) }));
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
    expect((await userNow())?.optOut).toBeUndefined();
  });

  test('that is stored while a message links the id to its phone is not lost', async () => {
    await stage.receive(shown({ at: stage.at(-9) }));
    const hash = await hashOf('platform', USER);
    const stop = { at: stage.at(-8), reason: 'asked by whatsapp: SAIR' };
    await table.write(optOutWrite(stage.actor.organizationId, 'platform', hash, stop));
    await stage.receive(shown({ at: stage.at(-5), providerMessageId: `wamid.${newId('event')}` }));
    expect(await stage.send()).toMatchObject(OPT_OUT);
  });
});

describe('a marketing preference of a user id', () => {
  test('opts out and in the contact of its known phone', async () => {
    const { id } = await stage.create({ optIn: { status: 'unknown' } });
    await stage.receive(shown({ at: stage.at(-9) }));
    expect(await report('stop', -8)).toBe('kept');
    expect(await stage.send()).toMatchObject(OPT_OUT);
    expect(await report('resume', -7)).toBe('kept');
    expect((await stage.contactNow(id)).optIn.status).toBe('granted');
  });

  test('without a known phone is stored for the id, until it is resumed', async () => {
    expect(await report('stop', -8)).toBe('kept');
    expect(await report('stop', -8)).toBe('repeated');
    expect((await userNow())?.optOut).toMatchObject({ at: stage.at(-8) });
    expect(await report('resume', -7)).toBe('kept');
    expect((await userNow())?.optOut).toBeUndefined();
  });
});
