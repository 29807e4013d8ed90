import { describe, expect, test } from 'vitest';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { anEvent, inboundOfStack } from '../inbound/support.ts';
import type { Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, keyed } from './support.ts';

const USER = '17841400000000001';
const PRICE = 150;
const messaging = await sharedMessaging();

const receive = async ({ id }: Tenant, text: string) => {
  const event = anEvent({ channel: 'instagram', from: USER, text, at: Date.now() - 1_000 });
  await receiveInbound(await inboundOfStack(messaging), { organizationId: id, env: 'test' }, event);
};
const toUser = { channel: 'instagram', to: USER };
const direct = ({ test: client }: Tenant, fields: object = {}) =>
  client.post('/messages', { ...toUser, type: 'text', payload: { text: 'Olá' }, ...fields }, keyed());

describe('an opt-out word on Instagram', () => {
  test('from an unknown user stops sends to that id in every operation, and no others', async () => {
    const tenant = await messaging.tenant();
    const { test: client } = tenant;
    expect((await direct(tenant)).status).toBe(201);
    await receive(tenant, 'Parar.');
    const before = await balanceOf(client);
    expectProblem(await direct(tenant), 422, { meta: { motivo: 'opt_out' } });
    const text = { ...toUser, text: 'Olá' };
    const refused = { status: 422, body: { code: 'invalid_request', meta: { motivo: 'opt_out' } } };
    expect(await client.post('/v1/messages', text, keyed())).toMatchObject(refused);
    expect((await client.post('/v1/messages/preview', text)).body.hops[0].refusal).toMatchObject({
      code: 'invalid_request',
      reason: 'opt_out',
    });
    const bulk = await client.post('/v1/messages/bulk', {
      messages: [text, { ...text, to: '17841400000000002' }],
      mode: 'permissive',
    });
    expect(bulk).toMatchObject({
      status: 202,
      body: { accepted: 1, errors: [{ index: 0, code: 'invalid_request', message: 'The contact opted out.' }] },
    });
    expect((await direct(tenant, { to: '17841400000000003' })).status).toBe(201);
    expect((await direct(await messaging.tenant())).status).toBe(201);
    expect(await balanceOf(client)).toBe(before - 2 * PRICE);
  });

  test('opts out the contact that was named for the user, until the contact opts in', async () => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const { test: client } = tenant;
    const { body: contact } = await client.post('/contacts', { phone: '+5511987710001' });
    const named = { contactId: contact.id };
    expect((await direct(tenant, named)).status).toBe(201);
    await receive(tenant, 'SAIR');
    expect(
      (await messaging.eventsOf('test', tenant.id)).filter(({ type }) => type === 'contact.opted_out'),
    ).toMatchObject([{ data: { contactId: contact.id } }]);
    for (const fields of [named, {}]) expectProblem(await direct(tenant, fields), 422, { meta: { motivo: 'opt_out' } });
    expect((await client.send({ to: contact.phone, route: 'otp' })).status).toBe(201);
    expect((await client.post(`/contacts/${contact.id}/opt-in`, { source: 'site' })).status).toBe(200);
    for (const fields of [named, {}]) expect((await direct(tenant, fields)).status).toBe(201);
  });
});
