import { describe, expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, eventsRaised, move, people, recipientsOf, WAIT } from './campaigns-kit.ts';
import { approve, approvedTemplate, draftTemplate, keyed, registerDevice } from './support.ts';

const messaging = await sharedMessaging();

const TEXT = 'Oi, {{1}}!';
const greeting = (template: string) => ({
  channel: 'whatsapp',
  template,
  variables: { nome: '{{contact.name|amigo}}' },
});
const messagesOf = async ({ test: client }: Tenant, campaignId: string) =>
  (await client.get('/messages', { campaignId, limit: 200 })).body.items;

describe('a campaign on WhatsApp', { timeout: 180_000 }, () => {
  test('fills the variables of a template for each contact, and counts what was delivered, read and failed', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0025', '0008']);
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: greeting(await approvedTemplate(tenant.test, TEXT)),
    });
    const preview = await move(tenant, id, 'preview');
    const samples = ['Ana 0', 'amigo', 'Ana 2'].map((nome) =>
      expect.objectContaining({ variables: { nome }, text: `Oi, ${nome}!` }),
    );
    expect(preview.samples).toEqual(expect.arrayContaining(samples));
    await move(tenant, id, 'start');
    await becomes(tenant, id, {
      status: 'completed',
      progress: { total: 3, sent: 3, delivered: 2, read: 1, failed: 1, skipped: 0 },
      coins: { captured: preview.price.coins, held: 0 },
    });
    const messages = await messagesOf(tenant, id);
    expect(messages.map(({ templateVars }: { templateVars: string[] }) => templateVars[0]).sort()).toEqual([
      'Ana 0',
      'Ana 2',
      'amigo',
    ]);
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('whose template is not approved is paused, with one event, and continues with everybody once it is', async () => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const ids = await people(tenant, ['0005', '0005', '0005']);
    const template = await draftTemplate(tenant.test, TEXT);
    const { id } = await create(tenant, { audience: { contactIds: ids }, message: greeting(template) });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'template_unavailable' } });
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(3);
    await approve(tenant.test, template);
    expect(await move(tenant, id, 'resume')).not.toHaveProperty('pausedBy');
    await becomes(tenant, id, { status: 'completed', progress: { total: 3, delivered: 3, skipped: 0 } });
    expect(await eventsRaised(messaging, 'test', tenant)).toEqual([
      'campaign.started',
      'campaign.paused template_unavailable',
      'campaign.completed',
    ]);
  });

  test('whose template is paused or deleted during the campaign stops before the next recipient', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0005', '0005']);
    const template = await approvedTemplate(tenant.test, TEXT);
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: greeting(template),
      perMinute: 1,
    });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { delivered: 1 } });
    const resumed = async () => {
      await move(tenant, id, 'pause');
      return move(tenant, id, 'resume');
    };
    const report = (status: string) =>
      messaging.tables.test.write({ update: KEYS.template(template as never), set: { status } });
    await report('paused');
    await resumed();
    await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'template_unavailable' } });
    await report('approved');
    await move(tenant, id, 'resume');
    await becomes(tenant, id, { status: 'running', progress: { delivered: 2 } });
    expect((await tenant.test.call('DELETE', `/v2/templates/${template}`)).status).toBe(204);
    await resumed();
    await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'template_unavailable' } });
    expect(await messagesOf(tenant, id)).toHaveLength(2);
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(1);
  });

  test('whose number is disconnected is paused, and skips no recipient', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0005']);
    const template = await approvedTemplate(tenant.test, TEXT);
    const { id } = await create(tenant, { audience: { contactIds: ids }, message: greeting(template) });
    const { numberId } = (await tenant.test.get(`/v2/templates/${template}`)).body;
    expect((await tenant.test.call('DELETE', `/numbers/${numberId}`)).status).toBe(204);
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'sender_unavailable' } });
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(2);
  });
});

describe('a campaign', { timeout: 180_000 }, () => {
  test('of e-mails fills a saved template for each contact, and is paused if that is deleted', async () => {
    const tenant = await messaging.tenant();
    const ids = [];
    for (const [at, name] of ['Ana', 'Bia'].entries()) {
      const email = `success+${at}@simulator.amazonses.com`;
      const { body } = await tenant.test.post('/contacts', { phone: `+551198765000${at}`, email, name });
      ids.push(body.id);
    }
    const draft = { name: 'aviso', subject: 'Oi, {{nome}}', format: 'html', source: '<p>Oi, {{nome}}</p>' };
    const { body: saved } = await tenant.test.post('/v2/email/templates', draft);
    const message = { channel: 'email', template: saved.id, variables: { nome: '{{contact.name}}' } };
    const { id } = await create(tenant, { audience: { contactIds: ids }, message });
    const later = await create(tenant, { audience: { contactIds: ids }, message });
    const { samples } = await move(tenant, id, 'preview');
    expect(samples).toEqual(
      expect.arrayContaining(
        ['Ana', 'Bia'].map((name) => expect.objectContaining({ subject: `Oi, ${name}`, text: `Oi, ${name}` })),
      ),
    );
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 2, delivered: 2 } });
    const { items } = (await tenant.test.get('/v2/email/messages', { campaignId: id })).body;
    expect(items.map(({ subject }: { subject: string }) => subject).sort()).toEqual(['Oi, Ana', 'Oi, Bia']);
    expect((await tenant.test.call('DELETE', `/v2/email/templates/${saved.id}`)).status).toBe(204);
    await move(tenant, later.id, 'start');
    await becomes(tenant, later.id, { status: 'paused', pausedBy: { reason: 'template_unavailable' } });
  });

  test("on push sends to each contact's devices, skips contacts without an opted-in one, and ends once everything was sent", async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0005', '0005']);
    for (const token of ['phone-0005', 'tablet-0005']) await registerDevice(tenant.test, token, { contactId: ids[0] });
    const message = { channel: 'push', text: 'Oi {{contact.name|amigo}}' };
    const { id } = await create(tenant, { audience: { contactIds: ids }, message });
    expect(await move(tenant, id, 'preview')).toMatchObject({
      reach: 1,
      excluded: { noAddress: 2, optedOut: 0 },
    });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 3, sent: 1, failed: 0, skipped: 2 } });
    expect(await recipientsOf(tenant, id, { status: 'skipped' })).toMatchObject([
      { contactId: ids[1], reason: 'no_address' },
      { contactId: ids[2], reason: 'no_address' },
    ]);
  });

  test("on Instagram sends to the user of the contact's latest message", async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0005']);
    const [first, latest] = ['17841400000000005', '17841400000000105'];
    for (const to of [first, latest]) {
      const direct = { channel: 'instagram', to, contactId: ids[0], type: 'text', payload: { text: 'Olá' } };
      expect((await tenant.test.post('/messages', direct, keyed())).status).toBe(201);
    }
    const message = { channel: 'instagram', text: 'Oi {{contact.name|amigo}}' };
    const { id } = await create(tenant, { audience: { contactIds: ids }, message });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 2, sent: 1, skipped: 1 } });
    const [sent] = (await recipientsOf(tenant, id)).filter(({ messageId }: { messageId?: string }) => messageId);
    expect(await messaging.tables.test.get(KEYS.message(sent.messageId))).toMatchObject({ channel: 'instagram' });
    const requested = (await tenant.test.get(`/messages/${sent.messageId}`)).body;
    expect(requested.to).toBe((await messagesOf(tenant, id))[0].to);
    expect(requested.to.slice(-4)).toBe(latest.slice(-4));
  });

  test('on RCS uses its fallback for recipients without RCS, and counts both messages', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '0008']);
    const message = { channel: 'rcs', text: 'Oi {{contact.name|amigo}}', fallback: ['sms'], fallback_after: '2h' };
    const { id } = await create(tenant, { audience: { contactIds: ids }, message });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { total: 2, sent: 3, delivered: 1, failed: 2 } });
    await vi.waitFor(async () => {
      const messages = await messagesOf(tenant, id);
      const texts = messages.map((each: { channel: string; contactId: string; payload: { text: string } }) => [
        each.channel,
        each.contactId,
        each.payload.text,
      ]);
      expect(texts.sort()).toEqual(
        [
          ['rcs', ids[0], 'Oi Ana 0'],
          ['rcs', ids[1], 'Oi amigo'],
          ['sms', ids[1], 'Oi amigo'],
        ].sort(),
      );
    }, WAIT);
    await move(tenant, id, 'cancel');
  });
});
