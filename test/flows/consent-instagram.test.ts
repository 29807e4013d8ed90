import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { anEvent, inboundOver } from '../inbound/support.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const USER = '17841400000000001';
const PRICE = 150;
const messaging = await use(startMessaging());

const receive = async ({ id }: Tenant, text: string) => {
  const vault = await messaging.vault('test');
  const ports = inboundOver(messaging.tables.test, Date.now, async (of, kind, value) =>
    vault.blindIndex(of, kind, value),
  );
  const event = anEvent({ channel: 'instagram', from: USER, text, at: Date.now() - 1_000 });
  await receiveInbound(ports, { organizationId: id, env: 'test' }, event);
};
const said = { channel: 'instagram', to: USER };
const keyed = () => ({ 'idempotency-key': randomUUID() });
const direct = ({ test: client }: Tenant, fields: object = {}) =>
  client.post('/messages', { ...said, type: 'text', payload: { text: 'Olá' }, ...fields }, keyed());

describe('a message by Instagram', () => {
  test('that asks to stop, of nobody who is a contact, ends the sends to its id on every operation, and only those', async () => {
    const tenant = await messaging.tenant();
    const { test: client } = tenant;
    expect((await direct(tenant)).status).toBe(201);
    await receive(tenant, 'Parar.');
    const before = (await client.get('/v2/wallet')).body;
    expectProblem(await direct(tenant), 422, { meta: { motivo: 'opt_out' } });
    const text = { ...said, text: 'Olá' };
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
    const { balanceCoins } = (await client.get('/v2/wallet')).body;
    expect(balanceCoins).toBe(before.balanceCoins - 2 * PRICE);
  });

  test('that asks to stop takes out the contact that was named to it, until the contact opts in', async () => {
    const tenant = await messaging.tenant();
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
