import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Messaging, type Tenant, startMessaging } from '../support/api.ts';

let messaging: Messaging;
let tenant: Tenant;
beforeAll(async () => {
  messaging = await startMessaging();
  tenant = await messaging.tenant();
});
afterAll(() => messaging.close());
describe('x', () => {
  test('y', async () => {
    const t = performance.now();
    const a = await tenant.test.send();
    console.log(a, performance.now() - t);
    expect(a.status).toBe(201);
    const b = await tenant.live.send();
    console.log(b.status, b.text);
    const c = await tenant.test.post('/contacts', { phone: '+5511999990005' });
    console.log(c.status, c.text);
    console.log((await messaging.eventsOf('test', tenant.id)).length);
  });
});
