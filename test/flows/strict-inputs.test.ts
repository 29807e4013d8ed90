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

test('customer events are not listed backwards in time; a list that needs no window is empty then', async () => {
  const [from, to] = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'];
  expectProblem(await tenant.test.get('/v2/events', { from, to }), 400, { errors: ['to'] });
  expect((await tenant.test.get('/v2/events', { from, to: from })).status).toBe(200);
  for (const path of ['/messages', '/v2/sms/messages', '/v2/sms/replies', '/v2/push/messages', '/v2/audit'])
    expect((await tenant.test.get(path, { from, to })).body.items, path).toEqual([]);
});

test('messages are not resent by a filter backwards in time', async () => {
  const filter = { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' };
  const answer = await tenant.test.post('/v1/messages/bulk-resend', { filter, dryRun: true });
  expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(['filter.to']);
});

test('a parameter __proto__ is as unknown as any other', async () => {
  expectProblem(await tenant.test.get('/contacts?__proto__=1'), 400, { errors: ['__proto__'] });
  expectProblem(await tenant.test.get('/v2/sms/messages?__proto__=1'), 422, { errors: ['__proto__'] });
  expectProblem(await tenant.test.get('/v2/wallet?__proto__=1'), 400, { errors: ['__proto__'] });
});

test('a fallback of the wrong type gets an error that describes a valid one', async () => {
  const body = { channel: 'sms', to: '+5511999990005', text: 'Oi', fallback: [7, 'fax'] };
  const { status, body: problem } = await tenant.test.post('/v1/messages', body, { 'idempotency-key': 'k' });
  expect(status).toBe(422);
  expect(problem.errors.map(({ path }: { path: string }) => path)).toEqual(['fallback.0', 'fallback.1']);
  for (const { message } of problem.errors) expect(message).toMatch(/^must be one of whatsapp, .*, or an object/);
});

test('an import row with content that no body may contain is a separate error, and the others are imported', async () => {
  const contatos = [
    { phone: '+5511970001111', name: 'a\u0000b' },
    { phone: '+5511970002222' },
    { phone: '+5511970003333', attributes: { '\ud800': 1 } },
    { phone: '+5511970004444', attributes: { n: 2 ** 60 } },
  ];
  const { status, body } = await tenant.test.post('/contacts/import', { contatos, onConflict: 'skip' });
  expect([status, body.criados, body.erros.map(({ linha }: { linha: number }) => linha)]).toEqual([200, 1, [1, 3, 4]]);
  expect(body.erros[0].mensagem).toBe('name must not contain NUL');
  expectProblem(await tenant.test.post('/contacts/import', { contatos, onConflict: 'a\u0000' }), 422);
});
