import { describe, expect, test } from 'vitest';
import { type EmailPorts, planEmail } from '../../shared/domain/email/send.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import { CHANNELS, type Channel } from '../../shared/domain/messages/provider.ts';
import type { SendRequest, UnifiedRequest } from '../../shared/domain/messages/unified.ts';
import { type PlatformPorts, planInstagram, planPush, planWhatsapp } from '../../shared/domain/platforms/plan.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { planRcs } from '../../shared/domain/rcs/send.ts';
import { planSms, type SmsPorts } from '../../shared/domain/sms/send.ts';

type Ports = EmailPorts & SmsPorts & PlatformPorts;
const TENANT = { organizationId: newId('organization'), env: 'live' } as const;
const [PHONE, USER] = ['+5511987654321', '17841400000000001'];
const KEYED = ['key', 'hash'] as const;

/** The ports that plans of every channel need: each test says which prices there are. */
const portsOf = (over: Partial<Ports> = {}): Ports =>
  ({
    clock: () => 0,
    prices: async () => DEFAULT_PRICES,
    publicUrl: 'https://messaging.example',
    perSecond: async () => undefined,
    sender: async () => 'ola@loja.example',
    unsubscribeUrl: async () => 'https://messaging.example/u/token',
    senderOf: async () => ({ wroteAt: 0 }),
    ...over,
  }) as Ports;

const text = (channel: Channel, said: SendRequest): UnifiedRequest => ({ channel, type: 'text', text: 'Oi', ...said });
const PLANS = {
  sms: (ports, said) => planSms(ports, TENANT, { ...said, body: 'Oi', route: 'premium' }, ...KEYED),
  rcs: (ports, said) => planRcs(ports, TENANT, { ...said, content: { text: 'Oi' }, route: 'easy_rcs' }, ...KEYED),
  email: (ports, said) => planEmail(ports, TENANT, { ...said, subject: 'Pedido', text: 'Oi' }, ...KEYED),
  whatsapp: (ports, said) => planWhatsapp(ports, TENANT, text('whatsapp', said), ...KEYED),
  instagram: (ports, said) => planInstagram(ports, TENANT, text('instagram', said), ...KEYED),
  push: (ports, said) => planPush(ports, TENANT, text('push', said), ...KEYED),
} satisfies Record<Channel, (ports: Ports, said: SendRequest) => Promise<unknown>>;
const TO: Readonly<Record<Channel, string>> = {
  sms: PHONE,
  rcs: PHONE,
  email: 'ana@loja.example',
  whatsapp: PHONE,
  instagram: USER,
  push: 'device-1',
};
const noPrices = { prices: async () => [] };

describe.each(CHANNELS)('a plan of %s', (channel) => {
  const to = TO[channel];

  test('carries what every send has, and is one unit without links', async () => {
    const said = { to, contactId: newId('contact'), campaignId: 'natal', metadata: { pedido: 'A-1842' } };
    const made = await PLANS[channel](portsOf(), said);
    if (isRefusal(made)) throw new Error(made.details.detail);
    const [key, hash] = KEYED;
    const { plan } = made;
    expect(plan).toMatchObject({ ...said, channel, key, hash, units: 1, links: [], price: { channel } });
    expect(plan.region).toBe(to === PHONE ? 'BR' : undefined);
  });

  test('tells a recipient that it cannot have before its price', async () => {
    const refused = await PLANS[channel](portsOf(noPrices), { to: '' });
    expect(refused).toMatchObject({ name: 'VALIDATION_ERROR', details: { errors: [{ path: 'to' }] } });
  });

  test('without a price is 412', async () => {
    expect(await PLANS[channel](portsOf(noPrices), { to })).toMatchObject({ name: 'PRECONDITION_FAILED' });
  });
});

test('an SMS with too many links breaks the contract, whatever its route costs', async () => {
  const request = { to: PHONE, body: 'https://a.example '.repeat(51), route: 'premium', trackLinks: true } as const;
  expect(await planSms(portsOf(noPrices), TENANT, request, ...KEYED)).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { errors: [{ path: 'body' }] },
  });
});

test.each([
  ['simple', { text: 'Oi' }],
  ['rich', { text: 'Oi', imageUrl: 'https://cdn.loja.example/oferta.png' }],
  ['rich', { body: 'Oi', actions: [{ label: 'Rastrear' }] }],
  ['silent', { text: 'Oi', silent: true }],
] as const)('a push is priced by what it shows, whichever price a former one had: %s of %j', async (kind, payload) => {
  const request = { ...text('push', { to: TO.push }), text: undefined, payload, route: 'simple' };
  const made = await planPush(portsOf(), TENANT, request, ...KEYED);
  expect(made).toMatchObject({ plan: { route: kind, price: { channel: 'push', route: kind }, content: { payload } } });
});

test.each([
  { text: 'ã'.repeat(1_800) },
  {
    payload: {
      text: 'Oi',
      deepLink: `https://a.example/${'x'.repeat(1_900)}`,
      imageUrl: `https://a.example/${'y'.repeat(1_900)}`,
    },
  },
])('a push of more than push services carry is refused before it is priced', async (said) => {
  const request = { ...text('push', { to: TO.push }), text: undefined, ...said };
  expect(await planPush(portsOf(noPrices), TENANT, request, ...KEYED)).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { errors: [{ path: 'text' }] },
  });
});
