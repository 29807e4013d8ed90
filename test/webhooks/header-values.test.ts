import { describe, expect, test } from 'vitest';
import { attemptsOf } from '../../shared/domain/webhooks/history.ts';
import { changeSubscription, rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { ok, useWebhooks } from '../support/webhook-world.ts';
import { deliveriesOf } from './kit.ts';

const TOKEN = 'Bearer 9f31-secret-WXYZ';
const MASKED = '••••WXYZ';
const AUTHORIZATION = { key: 'Authorization', value: TOKEN };
const SHORT = { key: 'x-shop', value: 'loja-12' };

const hooks = await useWebhooks();
const { queue, deliver, stored } = deliveriesOf(hooks);

const keyOf = ({ organizationId, id }: Subscription) => KEYS.webhook(organizationId, id);
const stateOf = (subscription: Subscription) => hooks.world.table.get(keyOf(subscription));
const rowOf = async (subscription: Subscription) => JSON.stringify(await stateOf(subscription));
const shownBy = (subscription: Subscription) => (webhookView(subscription) as { headers?: unknown }).headers;
const subscribe = (url = `https://${Math.random()}.example/hook`) =>
  hooks.subscribe({ url, headers: [AUTHORIZATION, SHORT] });
const problemsOf = (outcome: object) => ('details' in outcome ? outcome.details : outcome);

describe('the value of a header', () => {
  test('leaves with the validation and with every delivery, and stands in no row in clear', async () => {
    const validations: unknown[] = [];
    const url = 'https://validated.example/hook';
    hooks.answers.set(url, ({ headers }) => {
      validations.push(headers.authorization);
      return ok();
    });
    const { actor, subscription } = await subscribe(url);
    await deliver(await queue(actor));
    expect(validations).toEqual([TOKEN, TOKEN]);
    expect(hooks.posted.at(-1)?.headers).toMatchObject({ 'x-shop': SHORT.value });
    expect(await rowOf(subscription)).not.toMatch(/9f31-secret|loja-12/);
  });

  test('is answered as its last four characters, and one of fewer than eight as none', async () => {
    const { actor, subscription } = await subscribe();
    const shown = [
      { key: 'Authorization', value: MASKED },
      { key: 'x-shop', value: '••••' },
    ];
    expect(shownBy(subscription)).toEqual(shown);
    const rotated = accepted(await rotateSecret(hooks.ports, actor, subscription.id, 1));
    expect(shownBy(rotated.subscription)).toEqual(shown);
  });

  test('is in no attempt, not even where the endpoint repeats it', async () => {
    const { actor, subscription } = await subscribe();
    hooks.answers.set(subscription.url, ({ headers }) => ({
      ...ok(200, { 'x-echo': String(headers.authorization) }),
      body: JSON.stringify(headers),
    }));
    const id = await queue(actor);
    await deliver(id);
    const kept = await hooks.ports.deliveries.attempts(id);
    const shown = await attemptsOf(hooks.ports, actor, await stored(id));
    expect(JSON.stringify([kept, shown])).not.toMatch(/9f31-|-secret|-WXYZ/);
    expect(shown[0]).toMatchObject({
      requestHeaders: { authorization: MASKED, 'x-shop': '••••', 'webhook-id': expect.stringMatching(/^evt_/) },
      responseHeaders: { 'x-echo': MASKED },
      responseBody: expect.stringContaining(`"authorization":"${MASKED}"`),
    });
  });

  test('that an attempt of earlier recorded in clear is shown masked', async () => {
    const { actor } = await subscribe();
    const id = await queue(actor);
    await deliver(id);
    const exchange = { requestHeaders: { authorization: TOKEN }, requestBody: '', responseBody: `got ${TOKEN}` };
    const ports = { ...hooks.ports, openExchange: async () => exchange };
    const [attempt] = await attemptsOf(ports, actor, await stored(id));
    expect(attempt).toMatchObject({ requestHeaders: { authorization: MASKED }, responseBody: `got ${MASKED}` });
  });

  test('that comes back as it was answered stays as it is, also beside changed ones', async () => {
    const { actor, subscription } = await subscribe();
    const headers = [
      { key: 'authorization', value: MASKED },
      { key: 'x-new', value: 'new-value' },
    ];
    const after = accepted(await changeSubscription(hooks.ports, actor, subscription.id, { headers }));
    expect(shownBy(after)).toMatchObject([{ value: MASKED }, { value: '••••alue' }]);
    await deliver(await queue(actor));
    expect(hooks.posted.at(-1)?.headers).toMatchObject({ authorization: TOKEN, 'x-new': 'new-value' });
    expect(hooks.posted.at(-1)?.headers).not.toHaveProperty('x-shop');
  });

  test.each([
    ['of another header', 'x-other', MASKED],
    ['that was never answered', 'authorization', '••••ABCD'],
    ['of no header', 'authorization', '••••'],
  ])('is never overwritten with dots: a masked value %s is refused', async (_, key, value) => {
    const { actor, subscription } = await subscribe();
    const before = await stateOf(subscription);
    const refused = await changeSubscription(hooks.ports, actor, subscription.id, { headers: [{ key, value }] });
    expect(problemsOf(refused)).toMatchObject({ errors: [{ path: 'headers' }] });
    expect(await stateOf(subscription)).toEqual(before);
    const created = hooks.subscribe({ headers: [{ key, value }] }, actor);
    await expect(created).rejects.toThrow();
  });

  test('is sent to another origin only when it is given again', async () => {
    const { actor, subscription } = await subscribe();
    const change = (fields: object) => changeSubscription(hooks.ports, actor, subscription.id, fields);
    const url = 'https://theirs.example/hook';
    for (const fields of [{ url }, { url, headers: [{ key: 'authorization', value: MASKED }] }])
      expect(problemsOf(await change(fields))).toMatchObject({ errors: [{ path: 'headers' }] });
    expect(hooks.posted).toEqual([]);
    const sameOrigin = new URL('/other', subscription.url).href;
    expect(await change({ url: sameOrigin })).toMatchObject({ url: sameOrigin });
    expect(hooks.posted.at(-1)?.headers).toMatchObject({ authorization: TOKEN });
    expect(await change({ url, headers: [AUTHORIZATION] })).toMatchObject({ url });
    expect(await change({ url: 'https://third.example/hook', headers: null })).not.toHaveProperty('headers.0');
    expect(hooks.posted.at(-1)?.headers).not.toHaveProperty('authorization');
  });
});

test('a row with values in clear is read and delivered, shows none, and is sealed by its next change', async () => {
  const { actor, subscription } = await subscribe();
  await hooks.world.table.write({ update: keyOf(subscription), set: { headers: [AUTHORIZATION] } });
  const read = await hooks.ports.subscriptions.read(subscription.organizationId, subscription.id);
  expect(shownBy(read ?? subscription)).toEqual([{ key: 'Authorization', value: MASKED }]);
  await deliver(await queue(actor));
  expect(hooks.posted.at(-1)?.headers).toMatchObject({ authorization: TOKEN });
  expect(await rowOf(subscription)).toContain(TOKEN);
  await changeSubscription(hooks.ports, actor, subscription.id, { description: 'Pedidos' });
  expect(await rowOf(subscription)).not.toMatch(/9f31-|-secret|-WXYZ/);
  await deliver(await queue(actor));
  expect(hooks.posted.at(-1)?.headers).toMatchObject({ authorization: TOKEN });
});
