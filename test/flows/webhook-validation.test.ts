import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';

/** Validations of an organization in a minute. */
const MAX_VALIDATIONS = 30;
/** Calls beyond them: more than there are tokens again in a minute, the most that a loaded machine may take for all. */
const MORE = 30;

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
const subscribe = ({ test: client }: Tenant, url: string) =>
  client.post('/webhooks', { url, events: ['sms.delivered'] });

describe('the validation of a webhook', () => {
  test('that hangs ends after 5 s, and delays no other organization', async () => {
    let requested = 0;
    const hanging = await use(listening(createServer(() => void requested++)));
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const started = performance.now();
    let ended = 0;
    const waiting = Array.from({ length: 12 }, () => subscribe(owner, `${hanging.url}/hook`).finally(() => ended++));
    await expect.poll(() => requested, PATIENCE).toBe(12);
    expect((await subscribe(other, receiver.url)).status).toBe(201);
    expect((await other.test.send()).status).toBe(201);
    expect(ended).toBe(0);
    for (const answer of await Promise.all(waiting)) expectProblem(answer, 422);
    // Timers count whole milliseconds.
    expect(performance.now() - started).toBeGreaterThan(4_990);
  }, 180_000);

  test('is posted at most 30 times a minute for an organization, for all operations together; other organizations are unaffected', async () => {
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const { body: made } = await subscribe(owner, receiver.url);
    const change = (url: string) => owner.test.call('PATCH', `/webhooks/${made.id}`, { body: { url } });
    const answers = await Promise.all(
      Array.from({ length: MAX_VALIDATIONS + MORE }, (_, at) =>
        at % 2 ? subscribe(owner, receiver.url) : change(`${receiver.url}?at=${at}`),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const answer of refused) {
      expectProblem(answer, 429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    const validations = receiver.received.filter(
      ({ event }) => event.data.webhookId && event.type === 'webhook.validation',
    );
    const own = validations.filter(({ body }) => body.includes(owner.id));
    expect(own).toHaveLength(MAX_VALIDATIONS + MORE + 1 - refused.length);
    // One more token each two seconds that this took.
    expect(own.length).toBeLessThan(MAX_VALIDATIONS + MORE);
    expect((await subscribe(other, receiver.url)).status).toBe(201);
    // Nothing else of the subscription draws on it.
    const paused = await owner.test.call('PATCH', `/webhooks/${made.id}`, { body: { status: 'paused' } });
    expect(paused.status).toBe(200);
  });
});
