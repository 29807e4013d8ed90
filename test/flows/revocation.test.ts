import { expect, test } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { PATIENCE } from '../support/patience.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { use } from '../support/use.ts';
import { lastServedAt, setUpProvider } from './support.ts';

/** How long the provider takes: long enough to revoke the key meanwhile. */
const SLOW_MS = 1_500;

const messaging = await use(startMessaging());
const provider = await use(startInfobipStandIn());
const slow = await use(startFaultProxy(provider.baseUrl));

slow.plan(() => ({ kind: 'delay', ms: SLOW_MS }));
await setUpProvider(messaging, 'sms', 'infobip', { ...provider.settings, baseUrl: slow.endpoint });

test('a key that is revoked while its send is at the provider completes the send, is charged once, and is refused within 60 s', async () => {
  const owner = await messaging.tenant({ live: 10_000 });
  const leaked = await messaging.limited(owner.live, ['sms:send', 'sms:read', 'keys:read']);
  const own = (await leaked.get('/v2/api-keys')).body.items.find(({ name }: { name: string }) => name === 'Limited');
  const sending = leaked.send({ to: '+5511987654321', route: 'premium' });
  await expect.poll(() => slow.calls.size, PATIENCE).toBeGreaterThan(0);
  expect((await owner.live.call('DELETE', `/v2/api-keys/${own.id}`)).status).toBe(204);
  const revokedAt = Date.now();
  expect(await sending).toMatchObject({ status: 201, body: { status: 'sent', replayed: false } });
  expect(provider.messages).toHaveLength(1);
  const servedAt = await lastServedAt(() => leaked.get('/v2/sms/messages'), revokedAt);
  expect(servedAt - revokedAt).toBeLessThan(60_000);
  expect((await checkMoney(messaging.tables.live, owner.id)).balance).toBe(10_000 - 800);
}, 180_000);
