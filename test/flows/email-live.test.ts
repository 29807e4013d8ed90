import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { SUPPRESSION_COMMANDS } from '../../infra/operator/commands/suppression.ts';
import type { Target } from '../../infra/operator/target.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { putProviderSettings } from '../../shared/storage/access/providers.ts';
import { type Answer, type Client, startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { startAmazonSesStandIn } from '../support/providers/amazon-ses-stand-in.ts';
import type { EmailOutcome } from '../support/providers/email-kit.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';

const OPENING = 1_000_000;
const PATH = '/v2/email/messages';
const MAIL = {
  to: 'ana@loja.example',
  from: 'Loja Azul <ola@azul.example>',
  subject: 'Oi',
  html: '<p>Olá, <b>Ana</b></p>',
};

const messaging = await use(startMessaging());
const ses = await use(startAmazonSesStandIn());
beforeAll(async () => {
  ses.endpoint = `${messaging.url}/callbacks/amazon_ses/receipts`;
  const vault = await messaging.vault('live');
  const settings = { ...ses.settings, timeoutMs: 1_500 };
  await putProviderSettings(messaging.tables.live, vault, {
    channel: 'email',
    name: 'amazon_ses',
    settings,
    now: Date.now(),
  });
});

const send = (client: Client, fields: object = {}, key: string = randomUUID()) =>
  client.post(PATH, { ...MAIL, ...fields }, { 'idempotency-key': key });
const accepted = ({ body }: Answer) => {
  const found = ses.messages.find(({ messageId }) => messageId === body.id);
  if (!found) throw new Error('SES never saw the message.');
  return found;
};
const WAIT = { timeout: 20_000, interval: 150 };
const moves = (client: Client, id: string, fields: object) =>
  vi.waitFor(async () => expect((await client.get(`${PATH}/${id}`)).body).toMatchObject(fields), WAIT);
const tenantOf = () => messaging.tenant({ live: OPENING });

describe('a live e-mail', () => {
  test('leaves through SES as it was written, with a text of its html and a link to unsubscribe', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    expect(sent.status).toBe(201);
    const { to, content } = accepted(sent);
    expect({ to, content }).toEqual({
      to: MAIL.to,
      content: {
        from: '"Loja Azul" <ola@azul.example>',
        subject: 'Oi',
        html: MAIL.html,
        text: 'Olá, Ana',
        unsubscribeUrl: expect.stringMatching(/\/u\/l[A-Za-z0-9_-]{107}$/),
      },
    });
    await checkMoney(messaging.tables.live, owner.id);
  });

  test.each([
    ['delivered', 'delivered', undefined],
    ['mailbox_full', 'bounced', 'mailbox_full'],
    ['suppressed', 'bounced', 'suppressed'],
    ['complaint', 'complained', 'complaint'],
    ['content_rejected', 'failed', 'content_rejected'],
  ] as const)('is %s: %s', async (outcome, status, reason) => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    const answer = await deliver(ses.receipt(accepted(sent), outcome as EmailOutcome));
    expect(answer.status).toBeLessThan(300);
    await moves(owner.live, sent.body.id, { status, ...(reason ? { reason } : {}) });
    await checkMoney(messaging.tables.live, owner.id);
  });

  test.each([
    ['MessageRejected', 422],
    ['MessageRejected:Email address is not verified', 412],
    ['LimitExceededException', 503],
  ])('that SES refuses with %s is %i, charged nothing', async (name, status) => {
    const owner = await tenantOf();
    ses.script({ refuse: name });
    expectProblem(await send(owner.live), status);
    expect((await owner.live.get('/v2/wallet')).body).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  });
});

describe('an address that SES reported', () => {
  const SUPPRESSED = { meta: { motivo: 'suppressed', messageId: expect.any(String) } };
  const path = (id: string) => `${PATH}/${id}`;
  /** Sends an e-mail and lets SES report of it. */
  const reported = async (owner: Tenant, outcome: EmailOutcome, fields: object = {}) => {
    const sent = await send(owner.live, fields);
    const left = ses.messages.length;
    expect((await deliver(ses.receipt(accepted(sent), outcome))).status).toBeLessThan(300);
    await vi.waitFor(async () => expect((await owner.live.get(path(sent.body.id))).body.status).not.toBe('sent'), WAIT);
    return left;
  };

  test.each(['invalid_address', 'suppressed', 'complaint'] as const)(
    'as %s is refused from then on: nothing leaves, nothing is charged, and what was refused is kept as failed',
    async (outcome) => {
      const owner = await tenantOf();
      const left = await reported(owner, outcome);
      const balance = (await owner.live.get('/v2/wallet')).body.balanceCoins;
      const refused = await send(owner.live, { transactional: true }, 'refused');
      expectProblem(refused, 422, SUPPRESSED);
      expect((await owner.live.get(path(refused.body.meta.messageId))).body).toMatchObject({
        status: 'failed',
        reason: 'suppressed',
      });
      expect(ses.messages).toHaveLength(left);
      expect((await owner.live.get('/v2/wallet')).body).toMatchObject({ balanceCoins: balance, heldCoins: 0 });
      expect((await send(owner.live, { to: 'bia@loja.example' }, 'refused')).status).toBe(201);
      await checkMoney(messaging.tables.live, owner.id);
    },
  );

  test('is refused where a queue sends it as well', async () => {
    const owner = await tenantOf();
    const left = await reported(owner, 'invalid_address');
    const queued = await owner.live.post(
      '/messages',
      {
        channel: 'email',
        to: MAIL.to,
        type: 'text',
        payload: { email: { subject: 'Oi', text: 'Oi', from: MAIL.from } },
      },
      { 'idempotency-key': 'queued' },
    );
    expect(queued.status).toBe(201);
    await moves(owner.live, queued.body.id, { status: 'failed', reason: 'suppressed' });
    expect(ses.messages).toHaveLength(left);
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('is foreseen by a send plan, for this organization and this way alone, whether a contact is named or not', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    await owner.live.post('/v2/email/templates', { name: 'oi', subject: 'Oi', source: '<p>Oi</p>' });
    await other.live.post('/v2/email/templates', { name: 'oi', subject: 'Oi', source: '<p>Oi</p>' });
    for (const { id } of [owner, other]) await setOrganization(messaging.tables.live, id, 'emailFrom', MAIL.from);
    const plan = async (of: Tenant, fields: object = {}) => {
      const body = {
        channel: 'email',
        to: MAIL.to,
        template: 'oi',
        fallback: [{ channel: 'email', to: 'bia@loja.example' }],
      };
      const { status, body: answer } = await of.live.post('/v1/messages/preview', { ...body, ...fields });
      expect(status).toBe(200);
      return answer.hops.map(({ refusal }: { refusal?: object }) => refusal);
    };
    expect(await plan(owner)).toEqual([undefined, undefined]);
    await reported(owner, 'invalid_address');
    const refusal = {
      code: 'invalid_request',
      reason: 'suppressed',
      detail: expect.stringMatching(/suppression list/),
    };
    expect(await plan(owner)).toEqual([{ ...refusal, action: expect.any(String) }, undefined]);
    const { body: contact } = await owner.live.post('/contacts', { email: MAIL.to });
    expect((await plan(owner, { contactId: contact.id }))[0]).toMatchObject(refusal);
    expect(await plan(other)).toEqual([undefined, undefined]);
    expect((await plan(other, { to: 'suppressionlist@simulator.amazonses.com' }))[0]).toMatchObject({
      reason: 'suppressed',
    });
  });

  test('has its refusal told as ours: the timeline does not say that SES was asked', async () => {
    const owner = await tenantOf();
    await reported(owner, 'invalid_address');
    const told = async (to: string) => {
      const { messageId } = (await send(owner.live, { to })).body.meta;
      const { items } = (await owner.live.get(`/messages/${messageId}/timeline`)).body;
      return items
        .filter(({ kind }: { kind: string }) => kind === 'provider')
        .map((step: { detail: string }) => step.detail);
    };
    expect(await told(MAIL.to)).toEqual([expect.stringMatching(/^amazon_ses was not asked: our suppression list has/)]);
    const simulated = 'suppressionlist@simulator.amazonses.com';
    expect(await told(simulated)).toEqual([expect.stringMatching(/^amazon_ses was not asked: the mailbox simulator/)]);
  });

  const asked = (owner: Tenant, verb: 'lift' | 'show', fields: object = {}) => {
    const command = SUPPRESSION_COMMANDS.find(({ name }) => name === `suppression ${verb}`);
    const options = command?.options.parse({ organization: owner.id, env: 'live', email: MAIL.to, ...fields });
    const target = { tables: messaging.tables, vault: messaging.vault } as unknown as Target;
    return command?.run(target, options ?? {}).then(({ data }) => data);
  };

  test('may be written to again once an operator lifts it, here and at SES, and is told whether there was anything', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    expect(await asked(owner, 'show')).toMatchObject({ suppressed: false, suppressedUntil: null });
    expect(await asked(owner, 'lift')).toMatchObject({ lifted: false, amazonSes: 'not_listed' });
    for (const each of [owner, other]) await reported(each, 'complaint');
    ses.suppressed.add(MAIL.to);
    expect(await asked(owner, 'show')).toMatchObject({ suppressed: true, suppressedUntil: expect.any(String) });
    expect((await send(owner.live)).status).toBe(422);
    expect(await asked(owner, 'lift', { email: 'ana@LOJA.example' })).toMatchObject({
      lifted: true,
      amazonSes: 'removed',
    });
    expect(ses.suppressed.size).toBe(0);
    expect(await asked(owner, 'show')).toMatchObject({ suppressed: false });
    expect((await send(owner.live)).status).toBe(201);
    expect((await send(other.live)).status).toBe(422);
    expect(await asked(owner, 'lift')).toMatchObject({ lifted: false, amazonSes: 'not_listed' });
    expect(await asked(owner, 'lift', { env: 'test' })).toMatchObject({ lifted: false, amazonSes: 'not_asked' });
  });

  test('whose lifting SES refuses is told by the name of its answer, without the address, and is lifted here', async () => {
    const owner = await tenantOf();
    await reported(owner, 'invalid_address');
    const vault = await messaging.vault('live');
    const kept = { channel: 'email', name: 'amazon_ses', now: Date.now() };
    const settings = { ...ses.settings, timeoutMs: 1_500 };
    await putProviderSettings(messaging.tables.live, vault, {
      ...kept,
      settings: { ...settings, accessKeyId: 'AKIDOTHER' },
    });
    const failure = await asked(owner, 'lift')?.catch((fault: Error) => fault.message);
    await putProviderSettings(messaging.tables.live, vault, { ...kept, settings });
    expect(failure).toMatch(/may still be on the list of SES: Amazon SES answered UnrecognizedClientException\.$/);
    expect(await asked(owner, 'show')).toMatchObject({ suppressed: false });
  });

  test('as full for now, or to another organization, may be written to', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    await reported(owner, 'mailbox_full');
    await reported(other, 'invalid_address');
    expect((await send(owner.live)).status).toBe(201);
  });

  test('of the mailbox simulator bounces at every send; its suppression list is refused at once', async () => {
    const owner = await tenantOf();
    const to = 'bounce+a@simulator.amazonses.com';
    await reported(owner, 'invalid_address', { to });
    expect((await send(owner.live, { to })).status).toBe(201);
    expectProblem(await send(owner.live, { to: 'suppressionlist@simulator.amazonses.com' }), 422, SUPPRESSED);
  });
});

describe('an e-mail', () => {
  test('that is opened or clicked raises email.opened and email.clicked, with the address that was followed', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live, { metadata: { orderId: 'A-1' } });
    const link = 'https://azul.example/pedido?id=1';
    const timestamp = new Date().toISOString();
    for (const event of [
      ses.event(accepted(sent), 'Open', { open: { timestamp, ipAddress: '192.0.2.1' } }),
      ses.event(accepted(sent), 'Click', { click: { timestamp, link, ipAddress: '192.0.2.1' } }),
    ])
      expect((await deliver(event)).status).toBeLessThan(300);
    await vi.waitFor(async () => {
      const events = await messaging.eventsOf('live', owner.id);
      const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
      expect(of('email.opened')).toEqual([expect.objectContaining({ id: sent.body.id, metadata: { orderId: 'A-1' } })]);
      expect(of('email.clicked')).toEqual([expect.objectContaining({ id: sent.body.id, url: link })]);
      expect(JSON.stringify(events)).not.toContain('192.0.2.1');
    }, WAIT);
  });

  test('of a template is its subject and html, filled', async () => {
    const owner = await tenantOf();
    const template = {
      name: 'a',
      subject: 'Oi {{nome}}',
      source: '<p>{{nome}}</p>',
      variables: [{ name: 'nome', example: 'Ana' }],
    };
    const { id } = (await owner.live.post('/v2/email/templates', template)).body;
    const { html: _, subject: __, ...rest } = MAIL;
    const sent = await owner.live.post(
      PATH,
      { ...rest, templateId: id, variables: { nome: '<x>' } },
      { 'idempotency-key': 'k' },
    );
    expect(sent.status).toBe(201);
    expect(accepted(sent).content).toMatchObject({ subject: 'Oi <x>', html: '<p>&lt;x&gt;</p>', text: '<x>' });
  });
  test('is forbidden by one click of its recipient, unless it is transactional', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    const { unsubscribeUrl } = accepted(sent).content as { unsubscribeUrl: string };
    const path = new URL(unsubscribeUrl).pathname;
    expect(
      (
        await messaging.anonymous.post(path, 'List-Unsubscribe=One-Click', {
          'content-type': 'application/x-www-form-urlencoded',
        })
      ).status,
    ).toBe(200);
    expectProblem(await send(owner.live), 422, { meta: { motivo: 'opt_out' } });
    const transactional = await send(owner.live, { transactional: true });
    expect(transactional.status).toBe(201);
    expect(accepted(transactional).content).not.toHaveProperty('unsubscribeUrl');
  });
  test('that would begin another header is refused with the place of it', async () => {
    const { test: client } = await messaging.tenant();
    expectProblem(await send(client, { subject: 'Oi\r\nBcc: x@y.example' }), 422, { errors: ['subject'] });
    expectProblem(await send(client, { from: 'Loja\r\nBcc: x@y.example <a@b.co>' }), 422, { errors: ['from'] });
    expectProblem(await send(client, { to: 'ana@loja.example\r\nBcc: x@y.example' }), 422, { errors: ['to'] });
  });
});
