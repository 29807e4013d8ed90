import { describe, expect, test } from 'vitest';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, message, move, people, recipientsOf } from './campaigns-kit.ts';
import { approvedTemplate, registerDevice } from './support.ts';

const messaging = await sharedMessaging();
const FILLED = '{{contact.phone}} {{contact.email}}';
const MASKED = '+55119****0005 a***@example.com';

describe('the preview of a campaign', { timeout: 180_000 }, () => {
  test('masks phones and e-mail addresses that its samples are filled with, for callers without pii:full', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005'], { email: 'ana@example.com' });
    const masked = await messaging.limited(tenant.test, ['campaigns:read', 'campaigns:write', 'contacts:read']);
    const sampleOf = async (campaign: object) => {
      const { id } = await create(tenant, { audience: { contactIds: ids }, message: campaign });
      const { samples } = (await masked.post(`/v2/campaigns/${id}/preview`, {})).body;
      const [open] = (await move(tenant, id, 'preview')).samples;
      return { shown: samples[0], open };
    };
    const sms = await sampleOf({ channel: 'sms', text: FILLED });
    expect(sms.shown).toEqual({ contactId: ids[0], channel: 'sms', to: '+55119****0005', text: MASKED });
    expect(sms.open).toMatchObject({ to: '+5511980000005', text: '+5511980000005 ana@example.com' });
    const email = await sampleOf({ channel: 'email', text: FILLED, variables: { subject: FILLED, html: FILLED } });
    expect(email.shown).toEqual({
      contactId: ids[0],
      channel: 'email',
      to: 'a***@example.com',
      text: MASKED,
      variables: { subject: MASKED, html: MASKED },
    });
    const template = await sampleOf({ channel: 'whatsapp', template: 'promo', variables: { '1': FILLED } });
    expect(template.shown).toMatchObject({ to: '+55119****0005', variables: { '1': MASKED } });
  });

  test('fills no field of a contact into its samples without contacts:read, and shows its figures all the same', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005'], {
      name: 'Ana Secreta',
      email: 'ana@example.com',
      externalId: 'cli-77',
      attributes: { saldo: '9999' },
    });
    const text =
      'Oi {{contact.name|amigo}}: {{contact.attributes.saldo}}{{contact.externalId}}{{contact.phone}}{{contact.email}}';
    const { id } = await create(tenant, { audience: { contactIds: ids }, message: { channel: 'sms', text } });
    const seenBy = async (scopes: readonly ['campaigns:read', ...('contacts:read' | 'pii:full')[]]) =>
      (await (await messaging.limited(tenant.test, [...scopes])).post(`/v2/campaigns/${id}/preview`, {})).body;
    const hidden = [{ contactId: ids[0], channel: 'sms', to: '+55119****0005', text: 'Oi amigo: ' }];
    const full = await move(tenant, id, 'preview');
    expect(full.samples[0].text).toContain('9999');
    expect(await seenBy(['campaigns:read'])).toEqual({ ...full, samples: hidden });
    expect(await seenBy(['campaigns:read', 'pii:full'])).toEqual({ ...full, samples: hidden });
    expect((await seenBy(['campaigns:read', 'contacts:read'])).samples).toMatchObject([
      { text: `Oi Ana Secreta: 9999cli-77${MASKED.replace(' ', '')}` },
    ]);
  });

  test('of a push counts as opted out who has only devices that are opted out, as its start skips them', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005', '2005']);
    await registerDevice(tenant.test, 'phone-0005', { contactId: ids[0] });
    await registerDevice(tenant.test, 'phone-1005', { contactId: ids[1], optedIn: false });
    const { id } = await create(tenant, { audience: { contactIds: ids }, message: { channel: 'push', text: 'Oi' } });
    const preview = await move(tenant, id, 'preview');
    expect(preview).toMatchObject({ reach: 1, excluded: { noAddress: 1, optedOut: 1 } });
    await move(tenant, id, 'start');
    await becomes(tenant, id, {
      status: 'completed',
      progress: { total: 3, sent: 1, skipped: 2 },
      coins: { captured: preview.price.coins },
    });
    expect(await recipientsOf(tenant, id, { status: 'skipped' })).toMatchObject([
      { contactId: ids[1], reason: 'opt_out' },
      { contactId: ids[2], reason: 'no_address' },
    ]);
  });

  test('shows an SMS as it is written: without characters that an SMS replaces', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: { channel: 'sms', text: 'Promoção “só” hoje…' },
    });
    expect((await move(tenant, id, 'preview')).samples).toMatchObject([{ text: 'Promocao "so" hoje...' }]);
  });

  test('shows the text of a template that another channel sends, in the characters of an SMS', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const template = await approvedTemplate(tenant.test, 'Olá, {{1}}…');
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: { channel: 'sms', template, variables: { nome: '{{contact.name}}' } },
    });
    expect((await move(tenant, id, 'preview')).samples).toMatchObject([{ template, text: 'Ola, Ana 0...' }]);
  });

  test('counts only actual recipients by country, with their cost', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005', '2005']);
    const first = await create(tenant, { audience: { contactIds: ids.slice(0, 1) }, message });
    await move(tenant, first.id, 'start');
    await becomes(tenant, first.id, { status: 'completed' });
    const frequencyCap = { messages: 1, days: 30 };
    const second = await create(tenant, { audience: { contactIds: ids }, frequencyCap });
    expect(await move(tenant, second.id, 'preview')).toMatchObject({
      reach: 2,
      price: { coins: 1_600 },
      byCountry: { BR: { recipients: 2, coins: 1_600 } },
    });
  });
});
