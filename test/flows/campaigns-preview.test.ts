import { describe, expect, test } from 'vitest';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, message, move, people } from './campaigns-kit.ts';

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

  test('shows an SMS as it is written: without characters that an SMS replaces', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: { channel: 'sms', text: 'Promoção “só” hoje…' },
    });
    expect((await move(tenant, id, 'preview')).samples).toMatchObject([{ text: 'Promocao "so" hoje...' }]);
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
