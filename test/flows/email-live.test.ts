import { describe, expect, test, vi } from 'vitest';
import { SUPPRESSION_COMMANDS } from '../../infra/operator/commands/suppression.ts';
import type { Target } from '../../infra/operator/target.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { type Answer, type Client, startMessaging, type Tenant } from '../support/api.ts';
import { operatorAct } from '../support/audit.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { startAmazonSesStandIn } from '../support/providers/amazon-ses-stand-in.ts';
import type { EmailOutcome } from '../support/providers/email-kit.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, becomes, keyed, PATIENCE, setUpProvider, walletOf } from './support.ts';

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
const settings = ses.settings;
ses.endpoint = `${messaging.url}/callbacks/amazon_ses/receipts`;
await setUpProvider(messaging, 'email', 'amazon_ses', settings);

const send = (client: Client, fields: object = {}, key?: string) =>
  client.post(PATH, { ...MAIL, ...fields }, keyed(key));
const accepted = (answer: Answer) => acceptedBy(ses, answer);
const report = async (sent: Answer, outcome: EmailOutcome) =>
  expect((await deliver(ses.receipt(await accepted(sent), outcome))).status).toBeLessThan(300);
const moves = (client: Client, id: string, fields: object) => becomes(client, `${PATH}/${id}`, fields);
const tenantOf = () => messaging.tenant({ live: OPENING });

describe('a live e-mail', () => {
  test('is sent by SES as given, with a text made from its html and an unsubscribe link', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    expect(sent.status).toBe(201);
    const { to, content } = await accepted(sent);
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

  test('shows its sender as it was given, and only SES gets the name as an encoded word', async () => {
    const owner = await tenantOf();
    const from = 'Lojão São João <ola@azul.example>';
    const sent = await send(owner.live, { from });
    expect(sent.body).toMatchObject({ from });
    expect((await owner.live.get(`${PATH}/${sent.body.id}`)).body).toMatchObject({ from });
    expect((await owner.live.get(PATH)).body).toMatchObject({ items: [{ from }] });
    const { content } = await accepted(sent);
    expect(content).toMatchObject({ from: '=?UTF-8?B?TG9qw6NvIFPDo28gSm/Do28=?= <ola@azul.example>' });
  });

  test.each([
    ['delivered', 'delivered', undefined],
    ['mailbox_full', 'bounced', 'mailbox_full'],
    ['suppressed', 'bounced', 'suppressed'],
    ['complaint', 'complained', 'complaint'],
    ['content_rejected', 'failed', 'content_rejected'],
  ] as const)('reported as %s becomes %s', async (outcome, status, reason) => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    await report(sent, outcome);
    await moves(owner.live, sent.body.id, { status, ...(reason ? { reason } : {}) });
    await checkMoney(messaging.tables.live, owner.id);
  });

  test.each([
    ['MessageRejected', 422],
    ['MessageRejected:Email address is not verified', 412],
    ['LimitExceededException', 503],
  ])('that SES refuses with %s is %i and not charged', async (name, status) => {
    const owner = await tenantOf();
    ses.script({ refuse: name });
    expectProblem(await send(owner.live), status);
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  });
});

describe('an address that SES reported', () => {
  const SUPPRESSED = { meta: { motivo: 'suppressed', messageId: expect.any(String) } };
  const path = (id: string) => `${PATH}/${id}`;
  /** Sends an e-mail that SES reports on; answers how many messages SES has had. */
  const reported = async (owner: Tenant, outcome: EmailOutcome, fields: object = {}) => {
    const sent = await send(owner.live, fields);
    const before = ses.messages.length;
    await report(sent, outcome);
    await vi.waitFor(
      async () => expect((await owner.live.get(path(sent.body.id))).body.status).not.toBe('sent'),
      PATIENCE,
    );
    return before;
  };

  test.each(['invalid_address', 'suppressed', 'complaint'] as const)(
    'as %s is refused from then on: nothing is sent or charged, and the message is stored as failed',
    async (outcome) => {
      const owner = await tenantOf();
      const before = await reported(owner, outcome);
      const balance = (await walletOf(owner.live)).balanceCoins;
      const refused = await send(owner.live, { transactional: true }, 'refused');
      expectProblem(refused, 422, SUPPRESSED);
      expect((await owner.live.get(path(refused.body.meta.messageId))).body).toMatchObject({
        status: 'failed',
        reason: 'suppressed',
      });
      expect(ses.messages).toHaveLength(before);
      expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: balance, heldCoins: 0 });
      expect((await send(owner.live, { to: 'bia@loja.example' }, 'refused')).status).toBe(201);
      await checkMoney(messaging.tables.live, owner.id);
    },
  );

  test('is also refused for a queued message', async () => {
    const owner = await tenantOf();
    const before = await reported(owner, 'invalid_address');
    const payload = { email: { subject: 'Oi', text: 'Oi', from: MAIL.from } };
    const queued = await owner.live.post(
      '/messages',
      { channel: 'email', to: MAIL.to, type: 'text', payload },
      keyed(),
    );
    expect(queued.status).toBe(201);
    await moves(owner.live, queued.body.id, { status: 'failed', reason: 'suppressed' });
    expect(ses.messages).toHaveLength(before);
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('is predicted by a preview, for this organization and step only, with or without a contact', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    await owner.live.post('/v2/email/templates', { name: 'oi', subject: 'Oi', source: '<p>Oi</p>' });
    await other.live.post('/v2/email/templates', { name: 'oi', subject: 'Oi', source: '<p>Oi</p>' });
    for (const { id } of [owner, other])
      await setOrganization(messaging.tables.live, id, 'emailFrom', MAIL.from, operatorAct(id));
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

  test('is refused by us: the timeline shows that SES was not called', async () => {
    const owner = await tenantOf();
    await reported(owner, 'invalid_address');
    const providerSteps = async (to: string) => {
      const { messageId } = (await send(owner.live, { to })).body.meta;
      const { items } = (await owner.live.get(`/messages/${messageId}/timeline`)).body;
      return items
        .filter(({ kind }: { kind: string }) => kind === 'provider')
        .map((step: { detail: string }) => step.detail);
    };
    expect(await providerSteps(MAIL.to)).toEqual([
      expect.stringMatching(/^amazon_ses was not called: the address is on our suppression list/),
    ]);
    const simulated = 'suppressionlist@simulator.amazonses.com';
    expect(await providerSteps(simulated)).toEqual([
      expect.stringMatching(/^amazon_ses was not called: the mailbox simulator/),
    ]);
  });

  const suppression = (owner: Tenant, verb: 'lift' | 'show', fields: object = {}) => {
    const command = SUPPRESSION_COMMANDS.find(({ name }) => name === `suppression ${verb}`);
    const options = command?.options.parse({ organization: owner.id, env: 'live', email: MAIL.to, ...fields });
    return command?.run(messaging as unknown as Target, options ?? {}).then(({ data }) => data);
  };

  test('is accepted again once an operator lifts the suppression, here and at SES; the command reports what it changed', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    expect(await suppression(owner, 'show')).toMatchObject({ suppressed: false, suppressedUntil: null });
    expect(await suppression(owner, 'lift')).toMatchObject({ lifted: false, amazonSes: 'not_listed' });
    for (const each of [owner, other]) await reported(each, 'complaint');
    ses.suppressed.add(MAIL.to);
    expect(await suppression(owner, 'show')).toMatchObject({ suppressed: true, suppressedUntil: expect.any(String) });
    expect((await send(owner.live)).status).toBe(422);
    expect(await suppression(owner, 'lift', { email: 'ana@LOJA.example' })).toMatchObject({
      lifted: true,
      amazonSes: 'removed',
    });
    expect(ses.suppressed.size).toBe(0);
    expect(await suppression(owner, 'show')).toMatchObject({ suppressed: false });
    expect((await send(owner.live)).status).toBe(201);
    expect((await send(other.live)).status).toBe(422);
    expect(await suppression(owner, 'lift')).toMatchObject({ lifted: false, amazonSes: 'not_listed' });
    expect(await suppression(owner, 'lift', { env: 'test' })).toMatchObject({ lifted: false, amazonSes: 'not_asked' });
  });

  test('that SES refuses to lift is reported by its error name, without the address, and is lifted here', async () => {
    const owner = await tenantOf();
    await reported(owner, 'invalid_address');
    await setUpProvider(messaging, 'email', 'amazon_ses', { ...settings, accessKeyId: 'AKIDOTHER' });
    const failure = await suppression(owner, 'lift')?.catch((fault: Error) => fault.message);
    await setUpProvider(messaging, 'email', 'amazon_ses', settings);
    expect(failure).toMatch(
      /may still be on the suppression list of SES: Amazon SES answered UnrecognizedClientException\.$/,
    );
    expect(await suppression(owner, 'show')).toMatchObject({ suppressed: false });
  });

  test('as full, or to another organization, is accepted', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    await reported(owner, 'mailbox_full');
    await reported(other, 'invalid_address');
    expect((await send(owner.live)).status).toBe(201);
  });

  test('of the mailbox simulator bounces at every send; its suppression list address is refused immediately', async () => {
    const owner = await tenantOf();
    const to = 'bounce+a@simulator.amazonses.com';
    await reported(owner, 'invalid_address', { to });
    expect((await send(owner.live, { to })).status).toBe(201);
    expectProblem(await send(owner.live, { to: 'suppressionlist@simulator.amazonses.com' }), 422, SUPPRESSED);
  });
});

describe('an e-mail', () => {
  test('that is opened or clicked raises email.opened and email.clicked, with the followed URL', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live, { metadata: { orderId: 'A-1' } });
    const link = 'https://azul.example/pedido?id=1';
    const timestamp = new Date().toISOString();
    for (const event of [
      ses.event(await accepted(sent), 'Open', { open: { timestamp, ipAddress: '192.0.2.1' } }),
      ses.event(await accepted(sent), 'Click', { click: { timestamp, link, ipAddress: '192.0.2.1' } }),
    ])
      expect((await deliver(event)).status).toBeLessThan(300);
    await vi.waitFor(async () => {
      const events = await messaging.eventsOf('live', owner.id);
      const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
      expect(of('email.opened')).toEqual([expect.objectContaining({ id: sent.body.id, metadata: { orderId: 'A-1' } })]);
      expect(of('email.clicked')).toEqual([expect.objectContaining({ id: sent.body.id, url: link })]);
      expect(JSON.stringify(events)).not.toContain('192.0.2.1');
    }, PATIENCE);
  });

  test('that is opened or clicked advances the last interaction of its contact, in whatever order reports arrive', async () => {
    const owner = await tenantOf();
    const to = `ana.${newId('event').slice(4)}@example.com`;
    const { body: contact } = await owner.live.post('/contacts', { phone: '+5511987651234', email: to });
    const sent = await accepted(await send(owner.live, { to }));
    const at = (ago: number) => new Date(Date.now() - ago).toISOString();
    const last = async () => (await owner.live.get(`/contacts/${contact.id}`)).body.lastInteractionAt;
    const [early, middle, late] = [at(30_000), at(20_000), at(10_000)];
    await deliver(ses.event(sent, 'Open', { open: { timestamp: middle } }));
    expect(await last()).toBe(middle);
    await deliver(ses.event(sent, 'Open', { open: { timestamp: early } }));
    expect(await last()).toBe(middle);
    await deliver(ses.event(sent, 'Click', { click: { timestamp: late, link: 'https://azul.example/' } }));
    expect(await last()).toBe(late);
    await deliver(ses.receipt(sent, 'delivered'));
    expect(await last()).toBe(late);
  });

  test('of a template has its subject and html, filled', async () => {
    const owner = await tenantOf();
    const template = {
      name: 'a',
      subject: 'Oi {{nome}}',
      source: '<p>{{nome}}</p>',
      variables: [{ name: 'nome', example: 'Ana' }],
    };
    const { id } = (await owner.live.post('/v2/email/templates', template)).body;
    const { html: _, subject: __, ...rest } = MAIL;
    const sent = await owner.live.post(PATH, { ...rest, templateId: id, variables: { nome: '<x>' } }, keyed());
    expect(sent.status).toBe(201);
    expect((await accepted(sent)).content).toMatchObject({ subject: 'Oi <x>', html: '<p>&lt;x&gt;</p>', text: '<x>' });
  });

  test('is refused after its recipient unsubscribed with one click, unless it is transactional', async () => {
    const owner = await tenantOf();
    const sent = await send(owner.live);
    const { unsubscribeUrl } = (await accepted(sent)).content as { unsubscribeUrl: string };
    const path = new URL(unsubscribeUrl).pathname;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await messaging.anonymous.post(path, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
    expectProblem(await send(owner.live), 422, { meta: { motivo: 'opt_out' } });
    const transactional = await send(owner.live, { transactional: true });
    expect(transactional.status).toBe(201);
    expect((await accepted(transactional)).content).not.toHaveProperty('unsubscribeUrl');
  });

  test('with a line break in a header is refused with the field', async () => {
    const { test: client } = await messaging.tenant();
    expectProblem(await send(client, { subject: 'Oi\r\nBcc: x@y.example' }), 422, { errors: ['subject'] });
    expectProblem(await send(client, { from: 'Loja\r\nBcc: x@y.example <a@b.co>' }), 422, { errors: ['from'] });
    expectProblem(await send(client, { to: 'ana@loja.example\r\nBcc: x@y.example' }), 422, { errors: ['to'] });
  });
});
