import { expect, test, vi } from 'vitest';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { keyed } from './support.ts';

const WAIT = { timeout: 60_000, interval: 300 };
const messaging = await sharedMessaging();

/** Failures in the sandbox, on every channel: recipient, event, reason. */
const FAILURES: readonly (readonly [channel: string, to: string, type: string, reason: string])[] = [
  ['sms', '+5511999990006', 'sms.undelivered', 'carrier_rejected'],
  ['sms', '+5511999990008', 'sms.failed', 'invalid_number'],
  ['sms', '+5511999990013', 'sms.failed', 'expired'],
  ['sms', '+5511999990018', 'sms.failed', 'blacklisted'],
  ['rcs', '+5511999990008', 'rcs.failed', ''],
  ['whatsapp', '+5511999990008', 'message.failed', ''],
  ['email', 'bounce@simulator.amazonses.com', 'email.bounced', ''],
  ['email', 'complaint@simulator.amazonses.com', 'email.complained', ''],
  ['email', 'suppressionlist@simulator.amazonses.com', 'message.failed', 'suppressed'],
];

test.concurrent.each(FAILURES)(
  'a message of v1 by %s to %s that fails raises %s with its reason, as the message shows it',
  async (channel, to, type, reason) => {
    const { id: organizationId, test: client } = await messaging.tenant({ takesEvents: true });
    const content = channel === 'whatsapp' ? { template: 'pedido' } : { text: 'Seu pedido saiu.' };
    const sent = await client.post('/v1/messages', { channel, to, ...content }, keyed());
    expect(sent.status).toBe(202);
    const raised = await vi.waitFor(async () => {
      const events = await messaging.eventsOf('test', organizationId);
      const found = events.find((event) => event.type === type && event.data.id === sent.body.id);
      if (!found) throw new Error('There is no such event yet.');
      return found;
    }, WAIT);
    expect(raised.data).toMatchObject({ channel, reason: reason || expect.stringMatching(/^[a-z_]+$/) });
    const message = (await client.get(`/messages/${sent.body.id}`)).body;
    expect(message.reason ?? message.lastError).toBe(raised.data.reason);
  },
  120_000,
);
