import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import invalidData from '../../../events/providers/fcm.invalid-data.json' with { type: 'json' };
import invalidToken from '../../../events/providers/fcm.invalid-token.json' with { type: 'json' };
import quotaExceeded from '../../../events/providers/fcm.quota-exceeded.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/fcm.send-request.json' with { type: 'json' };
import unregistered from '../../../events/providers/fcm.unregistered.json' with { type: 'json' };
import { createPushTransport } from '../../../shared/providers/push/transport.ts';
import { type FcmStandIn, startFcmStandIn } from '../../support/providers/fcm-stand-in.ts';
import { openPush, pushDispatch, SILENT } from '../../support/providers/push-kit.ts';
import { PUSH_NOW, pushClock } from '../../support/providers/push-stand-in.ts';
import { json } from '../../support/providers/stand-in.ts';

let standIn: FcmStandIn;
afterEach(() => standIn.close());

/** Google, as far as one answer of it goes; and what it was asked. */
const scriptedFetch = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const asked: { readonly url: string; readonly body: string }[] = [];
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    asked.push({ url: String(url), body: String(init?.body) });
    const token = String(url).endsWith('/token');
    return Response.json(token ? { access_token: 'ya29.x', expires_in: 3_599, token_type: 'Bearer' } : body, {
      status: token ? 200 : status,
      headers,
    });
  };
  return { asked, push: createPushTransport({ fetch: fetch as typeof globalThis.fetch, now: () => PUSH_NOW }) };
};

it('sends what is documented, to the documented addresses', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const { message } = exampleRequest;
  const { asked, push } = scriptedFetch(200, {
    name: 'projects/loja-de-teste/messages/0:1500415314455276%31bd1c9631bd1c96',
  });
  const answer = await push.send(
    pushDispatch(standIn, {
      device: { platform: 'android', token: message.token },
      dispatchId: message.data.dispatchId,
      notification: {
        title: message.notification.title,
        body: message.notification.body,
        imageUrl: message.notification.image,
        deepLink: message.data.deepLink,
        actions: JSON.parse(message.data.actions),
      },
    }),
  );
  expect(asked.map(({ url }) => url)).toEqual([
    'https://oauth2.googleapis.com/token',
    'https://fcm.googleapis.com/v1/projects/loja-de-teste/messages:send',
  ]);
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual(exampleRequest);
  expect(answer).toMatchObject({
    kind: 'accepted',
    providerMessageId: expect.stringMatching(/^projects\/loja-de-teste\//),
  });
});

it('shows nothing of a silent notification and does not wake a sleeping device for it', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const { asked, push } = scriptedFetch(200, { name: 'projects/p/messages/1' });
  const sent = pushDispatch(standIn, { notification: SILENT });
  await push.send(sent);
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual({
    message: {
      token: sent.device.token,
      data: { sincronizar: '9182', dispatchId: sent.dispatchId },
      android: { priority: 'NORMAL', ttl: '86400s' },
    },
  });
});

it.each([
  ['an app that was removed', 404, unregistered, { cause: 'recipient', deadToken: true }],
  ['a token that is none', 400, invalidToken, { cause: 'recipient', deadToken: true }],
  ['data that FCM does not take', 400, invalidData, { cause: 'content' }],
  ['a quota, without a time', 429, quotaExceeded, { cause: 'throttled', retryAfterSeconds: 60 }],
])('reads the documented error of %s', async (_, status, body, meaning) => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const answer = await scriptedFetch(status, body).push.send(pushDispatch(standIn));
  expect(answer).toEqual({ kind: 'refused', detail: expect.stringMatching(/^fcm: HTTP \d{3} [A-Z_]+$/), ...meaning });
});

it('waits as long as a Retry-After says, whether FCM is overloaded or the quota is used up', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const overloaded = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } };
  for (const [status, body] of [
    [503, overloaded],
    [429, quotaExceeded],
  ] as const) {
    const { push } = scriptedFetch(status, body, { 'retry-after': '33' });
    expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', retryAfterSeconds: 33 });
  }
});

it('asks for one token however many send at once, and for the next one shortly before its end', async () => {
  const clock = pushClock();
  standIn = await startFcmStandIn(clock.now);
  const push = openPush(standIn, {}, clock.now);
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => push.send(pushDispatch(standIn))));
    expect(answers.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  };
  await burst();
  expect(standIn.tokenRequests()).toBe(1);
  clock.advance(54 * 60_000);
  await burst();
  expect(standIn.tokenRequests()).toBe(1);
  clock.advance(60_000);
  await burst();
  expect(standIn.tokenRequests()).toBe(2);
});

it('gives every key of every account a token of its own', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const push = openPush(standIn);
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(await push.send(pushDispatch(standIn, { app: standIn.strangers }))).toMatchObject({ cause: 'credentials' });
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(standIn.tokenRequests()).toBe(2);
});

it('gives up a token that is not taken any more, and only that', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const push = openPush(standIn);
  await push.send(pushDispatch(standIn));
  standIn.script({ refuse: 'THIRD_PARTY_AUTH_ERROR' });
  await push.send(pushDispatch(standIn));
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(standIn.tokenRequests()).toBe(1);
  standIn.revokeTokens();
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', cause: 'credentials' });
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(standIn.tokenRequests()).toBe(2);
});

it.each([
  ['a key that Google does not know', json(400, { error: 'invalid_grant' }), { cause: 'credentials' }],
  ['a limit', json(429, {}, { 'retry-after': '12' }), { cause: 'throttled', retryAfterSeconds: 12 }],
  ['a fault of Google', json(503, {}), { cause: 'unavailable' }],
  [
    'a page that is no answer',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
    { cause: 'unavailable' },
  ],
  ['an answer without a token', json(200, { expires_in: 10 }), { cause: 'unavailable' }],
])('knows that nothing was sent where there is no token: %s', async (_, answer, meaning) => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const push = openPush(standIn);
  standIn.scriptTokens(answer);
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', ...meaning });
  expect(standIn.sends()).toBe(0);
  // What could not be had is asked for again.
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
});

it('never lets an account name where its key is used', async () => {
  standIn = await startFcmStandIn(() => PUSH_NOW);
  const { asked, push } = scriptedFetch(200, { name: 'projects/p/messages/1' });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fcm = {
    project_id: 'x.example:loja-de-teste',
    private_key,
    client_email: 'a@b.example',
    token_uri: 'https://evil.example',
  };
  await push.send(pushDispatch(standIn, { app: { fcm } }));
  expect(asked.map(({ url }) => new URL(url).host)).toEqual(['oauth2.googleapis.com', 'fcm.googleapis.com']);
});
