import { describe, expect, test } from 'vitest';
import { afterRegistration } from '../../shared/domain/channels/push/device.ts';
import { CHANNELS, type PlanPorts } from '../../shared/domain/channels/registry.ts';
import { planSms } from '../../shared/domain/channels/sms/plan.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { SendEnvelope, SendRequest } from '../../shared/domain/message/send-request.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { planSend, pricePlan } from '../../shared/domain/sending/plan.ts';
import type { RoutePorts } from '../../shared/domain/sending/ports.ts';
import { accepted } from '../support/accepted.ts';

type Ports = PlanPorts & RoutePorts;
const TENANT = { organizationId: newId('organization'), env: 'live' } as const;
const [PHONE, USER] = ['+5511987654321', '17841400000000001'];

/** The ports that the planners of all channels need. */
const portsOf = (over: Partial<Ports> = {}): Ports =>
  ({
    clock: () => 0,
    prices: async () => DEFAULT_PRICES,
    destinations: async () => undefined,
    heldUntil: async () => undefined,
    publicUrl: 'https://messaging.example',
    perSecond: async () => undefined,
    defaultSender: async () => undefined,
    mayUseSender: async () => true,
    emailSender: async () => 'ola@loja.example',
    unsubscribeUrl: async () => 'https://messaging.example/u/token',
    senderOf: async () => ({ lastInboundAt: 0 }),
    devicesOf: async () => [DEVICE],
    deniedContacts: async () => new Set(),
    ...over,
  }) as Partial<Ports> as Ports;

const DEVICE = afterRegistration(TENANT, undefined, { appId: newId('pushApp'), token: 'device-1', platform: 'ios' }, 0);

const text = (channel: Channel, rest: SendEnvelope): SendRequest => ({ channel, type: 'text', text: 'Oi', ...rest });
const planned = (ports: Ports, request: SendRequest) => planSend({ ...ports, channels: ports }, TENANT, request);
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

  test('has the common fields of a send, and is one unit without links', async () => {
    const fields = { to, contactId: newId('contact'), campaignId: 'natal', metadata: { pedido: 'A-1842' } };
    const { plan } = accepted(await planned(portsOf(), text(channel, fields)));
    expect(plan).toMatchObject({ ...fields, channel, units: 1, links: [], price: { channel } });
    expect(plan.region).toBe(to === PHONE ? 'BR' : undefined);
  });

  test('refuses an invalid recipient before a missing price', async () => {
    const refused = await planned(portsOf(noPrices), text(channel, { to: '' }));
    expect(refused).toMatchObject({ name: 'VALIDATION_ERROR', details: { errors: [{ path: 'to' }] } });
  });

  test('without a price is 412', async () => {
    expect(await planned(portsOf(noPrices), text(channel, { to }))).toMatchObject({ name: 'PRECONDITION_FAILED' });
  });
});

test('an SMS with too many links is invalid, also on a route without a price', async () => {
  const request = { to: PHONE, body: 'https://a.example '.repeat(51), route: 'premium', trackLinks: true } as const;
  expect(
    await pricePlan(portsOf(noPrices), TENANT, request, await planSms(portsOf(noPrices), TENANT, request)),
  ).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { errors: [{ path: 'body' }] },
  });
});

test.each([
  ['simple', { text: 'Oi' }],
  ['rich', { text: 'Oi', imageUrl: 'https://cdn.loja.example/oferta.png' }],
  ['rich', { body: 'Oi', actions: [{ label: 'Rastrear' }] }],
  ['silent', { text: 'Oi', silent: true }],
] as const)('a push is priced by its content, whatever its route says: %s of %j', async (kind, payload) => {
  const request = { ...text('push', { to: TO.push }), text: undefined, payload, route: 'simple' };
  const made = await planned(portsOf(), request);
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
])('a push larger than push services accept is refused before it is priced', async (content) => {
  const request = { ...text('push', { to: TO.push }), text: undefined, ...content };
  expect(await planned(portsOf(noPrices), request)).toMatchObject({
    name: 'VALIDATION_ERROR',
    details: { errors: [{ path: 'text' }] },
  });
});

test.each([
  ['that the operator set and is no longer the organization’s is 412', {}, false],
  ['that the operator set and is still the organization’s leaves', { mayUseSender: async () => true }, true],
  ['that the organization registered leaves', { defaultSender: async () => 'loja@loja.example' }, true],
])('an e-mail without `from` by a sender %s', async (_, over: Partial<Ports>, leaves) => {
  const outcome = await planned(
    portsOf({ mayUseSender: async () => false, ...over }),
    text('email', { to: 'ana@loja.example' }),
  );
  if (leaves) return void accepted(outcome);
  expect(outcome).toMatchObject({ name: 'PRECONDITION_FAILED', details: { meta: { motivo: 'no_verified_sender' } } });
});
