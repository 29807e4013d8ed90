import { expect, test } from 'vitest';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

test.each([
  ['GET', '/v2/wallet'],
  ['POST', '/v2/segments/preview'],
  ['DELETE', `/contacts/cnt_${'0'.repeat(21)}`],
])('a parameter that an operation without a query does not know is refused: %s %s', async (method, path) => {
  const answer = await tenant.test.call(method, path, {
    query: { limite: 1 },
    ...(method === 'POST' ? { body: {} } : {}),
  });
  expect([400, 422]).toContain(answer.status);
  expectProblem(answer, answer.status, { errors: ['limite'] });
});

test('a link is followed with whatever parameters others added to it', async () => {
  const answer = await tenant.test.call('GET', `/r/l${'0'.repeat(12)}`, { query: { fbclid: 'abc' } });
  expect(answer.status).toBe(404);
});

test('an id whose bytes are no UTF-8 is as unknown as any other', async () => {
  expectProblem(await tenant.test.get('/contacts/cnt_%ff'), 404);
  expectProblem(await tenant.test.get('/contacts/%zz'), 400);
});

test('events of customers are not listed backwards in time: 400 names the end', async () => {
  const [from, to] = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'];
  expectProblem(await tenant.test.get('/v2/events', { from, to }), 400, { errors: ['to'] });
  expect((await tenant.test.get('/v2/events', { from, to: from })).status).toBe(200);
});
