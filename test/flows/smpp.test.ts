import { describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { Pdu } from '../../shared/smpp/pdus.ts';
import { statusName } from '../../shared/smpp/statuses.ts';
import { writeTime } from '../../shared/smpp/time.ts';
import { tlv, tlvValue } from '../../shared/smpp/tlvs.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { type Client, startMessaging } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { smppClients } from './smpp-kit.ts';

const messaging = await use(startMessaging({ smppPort: 0 }));
const { accountOf, boundAs, setUp, tryBind } = smppClients(messaging);

const sms = async (client: Client, id: string) => (await client.get(`/v2/sms/messages/${id}`)).body;

describe('a bind', () => {
  test('is refused for a wrong system_id, a wrong password, and from elsewhere; otherwise each kind is bound', async () => {
    const { test: client } = await messaging.tenant();
    const account = await accountOf(client);
    expect((await tryBind({ ...account, systemId: 'test_nobody' })).status).toBe('ESME_RINVSYSID');
    expect((await tryBind({ ...account, password: 'wrong' })).status).toBe('ESME_RINVPASWD');
    const elsewhere = await accountOf(client, { allowedIps: ['203.0.113.0/24'] });
    expect((await tryBind(elsewhere)).status).toBe('ESME_RBINDFAIL');
    for (const command of ['bind_transmitter', 'bind_receiver', 'bind_transceiver'] as const)
      expect((await tryBind(account, { command })).status).toBe('ESME_ROK');
  });

  test('beyond maxBinds is ESME_RBINDFAIL until another ends', async () => {
    const { account, session } = await setUp({ maxBinds: 1 });
    expect((await tryBind(account)).status).toBe('ESME_RBINDFAIL');
    await session.unbind();
    await expect.poll(async () => (await tryBind(account)).status, PATIENCE).toBe('ESME_ROK');
  });

  test('stays valid after the key that created its account is revoked: the account belongs to the organization', async () => {
    const { test: client } = await messaging.tenant();
    const maker = await messaging.limited(client, ['keys:write', 'sms:send', 'sms:read']);
    const account = await accountOf(maker);
    const before = await boundAs(account);
    const { createdBy } = (await client.get(`/v2/smpp/accounts/${account.id}`)).body;
    expect((await client.call('DELETE', `/v2/api-keys/${createdBy}`)).status).toBe(204);
    for (const { submit } of [before, await boundAs(account)]) expect((await submit()).status).toBe('ESME_ROK');
    // Whoever revokes it finds what it made.
    const { items } = (await client.get('/v2/audit', { actor: createdBy })).body;
    expect(items).toMatchObject([{ action: 'smpp_account.created', object: account.id }]);
  });

  test('of a receiver submits nothing', async () => {
    const { account } = await setUp();
    const receiver = await boundAs(account, { command: 'bind_receiver' });
    expect((await receiver.submit()).status).toBe('ESME_RINVBNDSTS');
  });
});

describe('a submit_sm', () => {
  test('is an SMS of the organization under its message_id, with the price, the route and the events that it has over HTTP', async () => {
    const { id: organizationId, test: client, live, submit, query } = await setUp({ route: 'otp', senderId: 'LOJA' });
    const { id, status } = await submit({ dataCoding: 8, shortMessage: Buffer.from('004f006c00e3', 'hex') });
    expect(status).toBe('ESME_ROK');
    expect(await sms(client, id)).toMatchObject({
      id,
      route: 'otp',
      env: 'test',
      to: '+5511999990005',
      encoding: 'GSM-7',
      segments: 1,
    });
    expect((await client.get('/v2/wallet/entries')).body.items[0]).toMatchObject({ messageId: id });
    expect((await live.get(`/v2/sms/messages/${id}`)).status).toBe(404);
    await expect.poll(async () => (await query(id)).body, PATIENCE).toMatchObject({ messageState: 2, errorCode: 0 });
    expect((await query(id)).body).toMatchObject({
      messageId: id,
      finalDate: expect.stringMatching(/^\d{15}\+$|^\d{13}00\+$/),
    });
    const events = await messaging.eventsOf('test', organizationId);
    expect(events.map(({ type }) => type)).toContain('sms.delivered');
  });

  test('is stored with its account and the receipts that it requested, which HTTP does not show', async () => {
    const { test: client, account, submit } = await setUp();
    const { id } = await submit({ registeredDelivery: 0x12 });
    const stored = async (messageId: string) =>
      (await messaging.tables.test.get(KEYS.message(parseId('message', messageId))))?.smpp;
    expect(await stored(id)).toEqual({ accountId: account.id, receipts: [{ wants: 'failure', intermediate: true }] });
    expect(await sms(client, id)).not.toHaveProperty('smpp');
    const later = await submit({ scheduleDeliveryTime: '000000010000000R' });
    expect(await stored(later.id)).toEqual({ accountId: account.id, receipts: [{ wants: 'never' }] });
  });

  test('is sent once for its idempotency key, and refused with another text', async () => {
    const { test: client, submit } = await setUp();
    const key = [tlv('idempotency_key', 'order-1')];
    const first = await submit({}, key);
    expect((await submit({}, key)).id).toBe(first.id);
    expect((await submit({ shortMessage: Buffer.from('Other') }, key)).status).toBe('ESME_RSUBMITFAIL');
    expect((await submit()).id).not.toBe(first.id);
    expect((await client.get('/v2/sms/messages')).body.total).toBe(2);
  });

  test('with a relative time is one message for its idempotency key, however often it is repeated', async () => {
    const { test: client, submit } = await setUp();
    const again = () => submit({ scheduleDeliveryTime: '000000010000000R' }, [tlv('idempotency_key', 'later-1')]);
    const first = await again();
    expect(first.status).toBe('ESME_ROK');
    await expect
      .poll(() => Date.now(), PATIENCE)
      .toBeGreaterThan(Date.parse((await client.get(`/messages/${first.id}`)).body.createdAt));
    expect(await again()).toMatchObject({ status: 'ESME_ROK', id: first.id });
    expect(
      (await submit({ scheduleDeliveryTime: '000000020000000R' }, [tlv('idempotency_key', 'later-1')])).status,
    ).toBe('ESME_RSUBMITFAIL');
  });

  test.each([
    ['a destination that is none', { destinationAddr: '123' }, 'ESME_RINVDSTADR'],
    ['a destination that no plan has', { destinationAddr: '5500999990005' }, 'ESME_RINVDSTADR'],
    ['a national destination', { destAddrTon: 2, destinationAddr: '11999990005' }, 'ESME_RINVDSTADR'],
    ['a source that cannot be shown', { sourceAddr: 'LOJA-AZUL' }, 'ESME_RINVSRCADR'],
    ['no text', { shortMessage: Buffer.alloc(0) }, 'ESME_RINVMSGLEN'],
    ['an unknown data_coding', { dataCoding: 4 }, 'ESME_RINVDCS'],
    ['a moment in the past', { scheduleDeliveryTime: '200101000000000+' }, 'ESME_RINVSCHED'],
    ['a moment in more than 90 days', { scheduleDeliveryTime: '000400000000000R' }, 'ESME_RINVSCHED'],
    ['a validity in the past', { validityPeriod: '200101000000000+' }, 'ESME_RINVEXPIRY'],
    ['a provider without credit', { destinationAddr: '5511999990114' }, 'ESME_RSYSERR'],
    ['a destination without a price', { destinationAddr: '881612345678' }, 'destination'],
  ] as const)('of %s is refused', async (_, fields, expected) => {
    const { submit } = await setUp();
    expect((await submit(fields)).status).toBe(expected);
  });

  test('to a recipient who opted out, of an empty wallet, or from an unregistered sender has its own status', async () => {
    const { test: client, live, submit } = await setUp();
    const { body: contact } = await client.post('/contacts', { phone: '+5511999990005' });
    await client.post(`/contacts/${contact.id}/opt-out`, {});
    expect((await submit()).status).toBe('opt_out');
    const real = await boundAs(await accountOf(live));
    expect((await real.submit()).status).toBe('insufficient_funds');
    expect((await real.submit({ sourceAddrTon: 5, sourceAddr: 'NOBODY' })).status).toBe('sender');
  });

  test('beyond the contracted SMS per second is ESME_RTHROTTLED, and is no message', async () => {
    const { id, test: client, submit } = await setUp();
    await messaging.tables.test.write({ update: KEYS.organization(id), set: { smsPerSecond: 1 } });
    const all = await Promise.all(Array.from({ length: 12 }, () => submit()));
    const throttled = all.filter(({ status }) => status === 'ESME_RTHROTTLED');
    const sent = all.filter(({ status }) => status === 'ESME_ROK');
    expect(throttled.length).toBeGreaterThan(0);
    expect(sent.length + throttled.length).toBe(12);
    expect((await client.get('/v2/sms/messages')).body.total).toBe(sent.length);
  });

  test('that is scheduled waits, and is cancelled once', async () => {
    const { test: client, submit, call, query } = await setUp();
    const at = Math.ceil((Date.now() + 3_600_000) / 1_000) * 1_000;
    const { id } = await submit({ scheduleDeliveryTime: writeTime(at), sourceAddr: 'LOJA' });
    expect((await client.get(`/messages/${id}`)).body).toMatchObject({
      status: 'queued',
      scheduledAt: new Date(at).toISOString(),
    });
    expect((await query(id)).body).toMatchObject({ messageState: 1 });
    expect((await call('cancel_sm', { messageId: id })).status).toBe('ESME_ROK');
    expect((await query(id)).body).toMatchObject({ messageState: 4 });
    expect((await call('cancel_sm', { messageId: id })).status).toBe('ESME_RCANCELFAIL');
  });

  test('reports why it is refused where clients understand it: on 5.0 binds, and in data_sm_resp', async () => {
    const { account, submit, call } = await setUp();
    const refused = { destAddrTon: 1, destinationAddr: '5511999990114' };
    const why = ({ pdu }: { readonly pdu: Pdu }) => tlvValue(pdu.tlvs, 'additional_status_info_text');
    expect(why(await submit(refused))).toBeUndefined();
    const data = await call('data_sm', refused, [tlv('message_payload', Buffer.from('Oi'))]);
    expect([data.status, why(data)]).toEqual(['ESME_RSYSERR', expect.stringContaining('credit')]);
    const newer = await boundAs(account, { version: 0x50 });
    expect(why(await newer.submit(refused))).toContain('credit');
  });
});

test('a message of another organization, or a missing one, is neither found nor cancelled', async () => {
  const theirs = await setUp();
  const { id } = await theirs.submit();
  const { query, call } = await setUp();
  for (const messageId of [id, 'msg_000000000000000000000', 'x', '']) {
    expect(statusName((await query(messageId)).status)).toBe('ESME_RINVMSGID');
    expect((await call('cancel_sm', { messageId })).status).toBe('ESME_RCANCELFAIL');
  }
});
