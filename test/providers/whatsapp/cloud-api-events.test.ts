import { expect, it } from 'vitest';
import callback from '../../../events/providers/whatsapp-cloud-api.template-callback.json' with { type: 'json' };
import { accountEntry, accountEvents } from '../../../shared/providers/whatsapp/cloud-api-events.ts';

it('reads template events as documented, and names the fields that it ignores', () => {
  const about = { kind: 'platform', wabaId: '102290129340398', at: 1_751_247_548_000, language: 'en_US' };
  const status = { ...about, about: 'template', category: 'UTILITY' };
  const found = callback.entry.flatMap((entry) => accountEvents(accountEntry.parse(entry), 0));
  expect(found).toEqual([
    { ...status, platformTemplateId: '1689556908129832', name: 'order_confirmation', event: 'ARCHIVED' },
    { ...status, platformTemplateId: '1689556908129833', name: 'order_reminder', event: 'FIRST_PAUSE' },
    { kind: 'ignored', field: 'message_template_quality_update' },
    {
      ...about,
      about: 'template_components',
      platformTemplateId: '1315502779341834',
      name: 'order_confirmation',
      body: 'Thank you for your order, {{1}}! Your order number is {{2}}.',
      header: 'Your order is confirmed!',
      footer: 'Lucky Shrub: the Succulent Specialists!',
      buttons: [
        { type: 'PHONE_NUMBER', text: 'Phone support', phoneNumber: '+15550783881' },
        { type: 'URL', text: 'Email support', url: 'https://www.luckyshrub.com/support' },
      ],
    },
    { kind: 'ignored', field: 'account_alerts' },
  ]);
});
