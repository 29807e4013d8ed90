import { describe, expect, test } from 'vitest';
import { SENDER_COMMANDS } from '../../infra/operator/commands/senders.ts';
import type { Target } from '../../infra/operator/target.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { SenderChannel } from '../../shared/domain/senders/sender.ts';
import { type Client, startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { startAmazonSesStandIn } from '../support/providers/amazon-ses-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { startTwilioStandIn } from '../support/providers/twilio-stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, becomes, keyed, setUpProvider, walletOf } from './support.ts';

const OPENING = 1_000_000;
const messaging = await use(startMessaging());
const ses = await use(startAmazonSesStandIn());
const twilio = await use(startTwilioStandIn());
await setUpProvider(messaging, 'email', 'amazon_ses', ses.settings);
await setUpProvider(messaging, 'sms', 'twilio', twilio.settings);

let count = 0;
/** A domain that no other test uses. */
const newDomain = () => `loja-${++count}.example`;
const register = (client: Client, channel: string, value: string) => client.post('/v2/senders', { channel, value });
const verify = (client: Client, id: string) => client.post(`/v2/senders/${id}/verify`, {});
const eMail = (client: Client, from?: string) =>
  client.post('/v2/email/messages', { to: 'ana@cliente.example', from, subject: 'Oi', text: 'Oi' }, keyed());
const sms = (client: Client, senderId?: string) =>
  client.post('/v2/sms/messages', { to: '+5511999990005', body: 'Oi', route: 'premium', senderId }, keyed());
interface SetRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}
/** Its owner sets the records that a domain's registration answered. */
const setRecords = ({ verification }: { readonly verification?: { readonly records: readonly SetRecord[] } }) => {
  for (const { type, name, value } of verification?.records ?? []) if (type === 'TXT') ses.texts.set(name, [value]);
};
const verified = async (client: Client, value: string) => {
  const { body } = await register(client, 'email', value);
  setRecords(body);
  ses.identities.set(value, 'SUCCESS');
  expect((await verify(client, body.id)).body).toMatchObject({ status: 'verified' });
  return body.id as string;
};
/** Runs one of the operator's commands about senders. */
const operator = async (name: string, options: Readonly<Record<string, unknown>>) => {
  const command = SENDER_COMMANDS.find((each) => each.name === name);
  if (!command) throw new Error(`there is no ${name}`);
  const { data } = await command.run({ tables: messaging.tables } as Target, command.options.parse(options) as never);
  return data as Record<string, string>;
};
const assign = (organization: Id<'organization'>, env: Environment, channel: SenderChannel, value: string) =>
  operator('sender assign', { organization, env, channel, value });

const REFUSED = { meta: { motivo: 'no_verified_sender' } };
const tenantOf = (): Promise<Tenant> => messaging.tenant({ live: OPENING });

describe('a live send', () => {
  test.each([
    ['an e-mail from an address of nobody', (client: Client) => eMail(client, 'ola@ninguem.example')],
    [
      'an e-mail that names the address with a display name',
      (client: Client) => eMail(client, 'Banco <a@banco.example>'),
    ],
    ['an SMS with a name of nobody', (client: Client) => sms(client, 'BANCO')],
    ['an SMS with a number of nobody', (client: Client) => sms(client, '+5511400001111')],
  ])('of %s is 412 and charges nothing', async (_, send) => {
    const { live } = await tenantOf();
    expectProblem(await send(live), 412, REFUSED);
    expect(await walletOf(live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  });

  test.each([
    [
      'POST /messages',
      '/messages',
      { type: 'text', payload: { email: { subject: 'Oi', text: 'Oi', from: 'a@banco.example' } } },
    ],
  ])('through %s names no other sender either', async (_, path, fields) => {
    const { live } = await tenantOf();
    expectProblem(
      await live.post(path, { channel: 'email', to: 'ana@cliente.example', ...fields }, keyed()),
      412,
      REFUSED,
    );
  });

  test('of an address below its own verified domain is sent, and below that of another organization refused', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const domain = newDomain();
    await verified(owner.live, domain);
    for (const from of [`ola@${domain}`, `Loja <ola@news.${domain.toUpperCase()}>`])
      expect((await eMail(owner.live, from)).status).toBe(201);
    expectProblem(await eMail(other.live, `ola@${domain}`), 412, REFUSED);
    expectProblem(await eMail(owner.live, `ola@x${domain}`), 412, REFUSED);
  });

  test('of a name that the operator assigned is sent as it, and refused to others', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    await assign(owner.id, 'live', 'sms', 'Padaria');
    expect((await sms(owner.live, 'PADARIA')).status).toBe(201);
    expectProblem(await sms(other.live, 'padaria'), 412, REFUSED);
    await expect(assign(other.id, 'live', 'sms', 'PADARIA')).rejects.toThrow('Another organization has it');
  });

  test('that names none goes out as the default of its channel', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const value = `ola@${newDomain()}`;
    const { id } = await assign(owner.id, 'live', 'email', value);
    expectProblem(await eMail(other.live), 412, REFUSED);
    expect((await owner.live.call('PATCH', `/v2/senders/${id}`, { body: { isDefault: true } })).body).toMatchObject({
      isDefault: true,
    });
    expect((await eMail(owner.live)).body).toMatchObject({ from: value });
  });
});

test('a scheduled e-mail whose sender was deleted meanwhile fails and is refunded; SES never sees it', async () => {
  const { live } = await tenantOf();
  const domain = newDomain();
  const id = await verified(live, domain);
  const payload = { email: { subject: 'Oi', text: 'Oi', from: `ola@${domain}` } };
  const request = { channel: 'email', to: 'ana@cliente.example', type: 'text', payload };
  const scheduledAt = new Date(Date.now() + 11_500).toISOString();
  const sent = await live.post('/messages', { ...request, scheduledAt }, keyed());
  expect(sent.status).toBe(201);
  expect((await live.call('DELETE', `/v2/senders/${id}`)).status).toBe(204);
  await becomes(live, `/messages/${sent.body.id}`, { status: 'failed' }, { timeout: 60_000, interval: 500 });
  expect(ses.messages.some(({ messageId }) => messageId === sent.body.id)).toBe(false);
  expect(await walletOf(live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
}, 180_000);

describe('a registered domain', () => {
  test('answers the records of SES, is pending until SES has found them, and then allows sends', async () => {
    const { live } = await tenantOf();
    const domain = newDomain();
    const { status, body } = await register(live, 'email', ` ${domain.toUpperCase()} `);
    expect(status).toBe(201);
    const cnames = ['aaa', 'bbb', 'ccc'].map((each) => {
      const token = `${each}${domain.replaceAll('.', '')}`;
      return { type: 'CNAME', name: `${token}._domainkey.${domain}`, value: `${token}.dkim.amazonses.com` };
    });
    const ownership = {
      type: 'TXT',
      name: `_messaging-verify.${domain}`,
      value: expect.stringMatching(/^messaging-verify=[0-9A-Za-z]{32}$/),
    };
    const records = [...cnames, ownership];
    expect(body).toMatchObject({
      channel: 'email',
      value: domain,
      status: 'pending',
      verification: { records },
      isDefault: false,
    });
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'pending' });
    expectProblem(await eMail(live, `ola@${domain}`), 412, REFUSED);
    ses.identities.set(domain, 'SUCCESS');
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'pending', verification: { records } });
    setRecords(body);
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'verified', verification: { records } });
    expect((await eMail(live, `ola@${domain}`)).status).toBe(201);
  });

  test('that SES gave up is rejected, and registered again when it is verified again', async () => {
    const { live } = await tenantOf();
    const domain = newDomain();
    const { body } = await register(live, 'email', domain);
    ses.identities.set(domain, 'FAILED');
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'rejected' });
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'pending' });
    expect(ses.identities.get(domain)).toBe('PENDING');
  });

  test('that SES does not know of any more is rejected', async () => {
    const { live } = await tenantOf();
    const domain = newDomain();
    const { body } = await register(live, 'email', domain);
    ses.identities.delete(domain);
    expect((await verify(live, body.id)).body).toMatchObject({ status: 'rejected' });
  });

  test('is not stored while the SES account already has it', async () => {
    const { live } = await tenantOf();
    const domain = newDomain();
    ses.identities.set(domain, 'SUCCESS');
    expectProblem(await register(live, 'email', domain), 409);
    ses.identities.delete(domain);
    expect((await register(live, 'email', domain)).status).toBe(201);
  });
});

describe('a value', () => {
  test('of one organization is 409 for any other while it is pending, and once it was verified until the operator releases it', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const domain = newDomain();
    const { body } = await register(owner.live, 'email', domain);
    expectProblem(await register(other.live, 'email', domain), 409);
    expect((await owner.live.call('DELETE', `/v2/senders/${body.id}`)).status).toBe(204);
    expect(ses.identities.has(domain)).toBe(false);
    const id = await verified(other.live, domain);
    expect((await other.live.call('DELETE', `/v2/senders/${id}`)).status).toBe(204);
    expectProblem(await register(owner.live, 'email', domain), 409);
    await operator('sender release', { env: 'live', channel: 'email', value: domain });
    expect((await register(owner.live, 'email', domain)).status).toBe(201);
  });

  test('below a verified domain of another organization is 409', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const domain = newDomain();
    await verified(owner.live, domain);
    for (const value of [`ola@${domain}`, `news.${domain}`])
      expectProblem(await register(other.live, 'email', value), 409);
  });

  test('registered concurrently by many belongs to one organization only', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, tenantOf));
    const domain = newDomain();
    const answers = await Promise.all(tenants.map(({ live }) => register(live, 'email', domain)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test.each([
    ['email', 'loja'],
    ['email', 'a b@loja.example'],
    ['sms', 'DOZE LETRAS!'],
    ['sms', '12'],
    ['rcs', 'agente com espaço'],
  ])('that is invalid on %s is 422 and names the field: %s', async (channel, value) => {
    const { live } = await tenantOf();
    expectProblem(await register(live, channel, value), 422, { errors: ['value'] });
  });
});

describe('the list', () => {
  test("lists the newest first; another organization can't see or change it", async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const first = (await register(owner.live, 'sms', 'Um')).body;
    const second = (await register(owner.live, 'rcs', 'agente-2')).body;
    const { items } = (await owner.live.get('/v2/senders')).body;
    expect(items.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect((await owner.live.get(`/v2/senders/${first.id}`)).body).toEqual(first);
    for (const answer of [
      await other.live.get(`/v2/senders/${first.id}`),
      await other.live.call('PATCH', `/v2/senders/${first.id}`, { body: { isDefault: true } }),
      await other.live.call('DELETE', `/v2/senders/${first.id}`),
      await verify(other.live, first.id),
    ])
      expectProblem(answer, 404);
  });

  test('has at most one default a channel; neither a pending sender nor a domain can be it', async () => {
    const { live, id: organization } = await tenantOf();
    const domain = newDomain();
    const domainId = await verified(live, domain);
    expectProblem(await live.call('PATCH', `/v2/senders/${domainId}`, { body: { isDefault: true } }), 422);
    const pending = (await register(live, 'sms', 'Pendente')).body;
    expectProblem(await live.call('PATCH', `/v2/senders/${pending.id}`, { body: { isDefault: true } }), 409);
    const ids = await Promise.all(
      ['Verde', 'Azul', 'Rosa'].map(
        async (value) => (await assign(organization, 'live', 'sms', `${value}${count}`)).id,
      ),
    );
    await Promise.all(ids.map((each) => live.call('PATCH', `/v2/senders/${each}`, { body: { isDefault: true } })));
    const { items } = (await live.get('/v2/senders')).body;
    expect(items.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1);
  });
});

describe('an answer', () => {
  const to = '+5511999990077';
  const send = async (by: Tenant, senderId?: string) => {
    const { body, status } = await by.live.post(
      '/v2/sms/messages',
      { to, body: 'Oi', route: 'premium', senderId },
      keyed(),
    );
    expect(status).toBe(201);
    return acceptedBy(twilio, { body } as never);
  };
  const repliesOf = async ({ live }: Tenant) =>
    (await live.get('/v2/sms/replies')).body.items.map(({ body }: { body: string }) => body);
  const isOptedOut = async ({ live }: Tenant) =>
    (await live.post('/v2/sms/messages', { to, body: 'Oi', route: 'premium' }, keyed())).body.meta?.motivo ===
    'opt_out';

  test('to the number of one organization belongs to it, although another wrote to the same phone later; its opt-out applies only there', async () => {
    const [first, second] = [await tenantOf(), await tenantOf()];
    await assign(first.id, 'live', 'sms', '+5511400011111');
    await assign(second.id, 'live', 'sms', '+5511400022222');
    const message = await send(first, '+5511400011111');
    await send(second, '+5511400022222');
    for (const body of ['Para a primeira', 'SAIR']) expect((await deliver(twilio.reply(message, body))).ok).toBe(true);
    expect([await repliesOf(first), await repliesOf(second)]).toEqual([['SAIR', 'Para a primeira'], []]);
    expect([await isOptedOut(first), await isOptedOut(second)]).toEqual([true, false]);
  });

  test('on the shared sender belongs to the organization that wrote last; its opt-out applies to each that wrote', async () => {
    const [first, second] = [await tenantOf(), await tenantOf()];
    await send(first);
    const message = await send(second);
    expect((await deliver(twilio.reply(message, 'stop'))).ok).toBe(true);
    expect([await repliesOf(first), await repliesOf(second)]).toEqual([[], ['stop']]);
    expect([await isOptedOut(first), await isOptedOut(second)]).toEqual([true, true]);
  });
});

test('in the sandbox a sender is verified by its first use, whether it was registered or not', async () => {
  const { test: sandbox } = await tenantOf();
  const domain = newDomain();
  const { body } = await register(sandbox, 'email', domain);
  expect(body).toMatchObject({ status: 'pending', verification: { records: expect.any(Array) } });
  expect((await eMail(sandbox, `ola@${domain}`)).status).toBe(201);
  expect((await sms(sandbox, 'SEM REGISTRO')).status).toBe(422);
  expect((await sms(sandbox, 'SEMREGISTRO')).status).toBe(201);
  const { items } = (await sandbox.get('/v2/senders')).body;
  expect(items.map(({ value, status }: { value: string; status: string }) => [value, status])).toEqual([
    ['SEMREGISTRO', 'verified'],
    [domain, 'verified'],
  ]);
});
