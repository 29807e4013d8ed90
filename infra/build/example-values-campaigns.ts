/** Example requests of campaigns. */
export const CAMPAIGN_EXAMPLES = {
  'campaigns.create': {
    body: {
      name: 'Black Friday',
      message: { channel: 'sms', text: 'Oi {{contact.name|amigo}}, hoje tudo com 30% off: https://loja.example/bf' },
      audience: { segmentIds: ['seg_4hJ9sKq2LmN8pRt5VwXz1'], excludeListIds: ['lst_4hJ9sKq2LmN8pRt5VwXz1'] },
      maxCoins: 500_000,
    },
  },
  'campaigns.list': { query: { status: 'running', limit: '50' } },
  'campaigns.update': { body: { name: 'Black Friday 2026', perMinute: 600 } },
  'campaigns.resume': { body: { maxCoins: 1_000_000 } },
  'campaigns.recipients': { query: { status: 'failed', limit: '50' } },
};
