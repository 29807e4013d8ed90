import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import invalidData from '../../../events/providers/fcm.invalid-data.json' with { type: 'json' };
import invalidToken from '../../../events/providers/fcm.invalid-token.json' with { type: 'json' };
import quotaExceeded from '../../../events/providers/fcm.quota-exceeded.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/fcm.send-request.json' with { type: 'json' };
import unregistered from '../../../events/providers/fcm.unregistered.json' with { type: 'json' };
import type { PushTransport } from '../../../shared/domain/channels/push/transport.ts';
import { createPushTransport } from '../../../shared/providers/push/transport.ts';
import { type FcmStandIn, startFcmStandIn } from '../../support/providers/fcm-stand-in.ts';
import { answeredBy } from '../../support/providers/io.ts';
import { openPush, pushDispatch, SILENT } from '../../support/providers/push-kit.ts';
import { PUSH_NOW, pushClock } from '../../support/providers/push-stand-in.ts';
import { json } from '../../support/providers/stand-in.ts';

let clock: ReturnType<typeof pushClock>;
let standIn: FcmStandIn;
let push: PushTransport;
beforeEach(async () => {
  clock = pushClock();
  standIn = await startFcmStandIn(clock.now);
  push = openPush(standIn, {}, clock.now);
});
afterEach(() => standIn.close());

/** A transport whose FCM gives one answer, and the requests that it sent. */
const scriptedFetch = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const requests: { readonly url: string; readonly body: string }[] = [];
  const answer = (url: string, init: RequestInit): Response => {
    requests.push({ url, body: String(init.body) });
    const token = url.endsWith('/token');
    return Response.json(token ? { access_token: 'ya29.x', expires_in: 3_599, token_type: 'Bearer' } : body, {
      status: token ? 200 : status,
      headers,
    });
  };
  return { requests, push: createPushTransport(answeredBy(answer, () => PUSH_NOW)) };
};

it('sends what is documented, to the documented addresses', async () => {
  const { message } = exampleRequest;
  const { requests, push } = scriptedFetch(200, {
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
  expect(requests.map(({ url }) => url)).toEqual([
    'https://oauth2.googleapis.com/token',
    'https://fcm.googleapis.com/v1/projects/loja-de-teste/messages:send',
  ]);
  expect(JSON.parse(requests[1]?.body ?? '')).toEqual(exampleRequest);
  expect(answer).toMatchObject({
    kind: 'accepted',
    providerMessageId: expect.stringMatching(/^projects\/loja-de-teste\//),
  });
});

it('sends a silent notification as data, with a priority that does not wake the device', async () => {
  const { requests, push } = scriptedFetch(200, { name: 'projects/p/messages/1' });
  const sent = pushDispatch(standIn, { notification: SILENT });
  await push.send(sent);
  expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
    message: {
      token: sent.device.token,
      data: { sincronizar: '9182', dispatchId: sent.dispatchId },
      android: { priority: 'NORMAL', ttl: '86400s' },
    },
  });
});

it.each([
  ['an app that was removed', 404, unregistered, { cause: 'recipient', deadToken: true }],
  ['an invalid token', 400, invalidToken, { cause: 'recipient', deadToken: true }],
  ['data that FCM does not take', 400, invalidData, { cause: 'content' }],
  ['an exceeded quota, without Retry-After', 429, quotaExceeded, { cause: 'throttled', retryAfterSeconds: 60 }],
])('reads the documented error of %s', async (_, status, body, meaning) => {
  const answer = await scriptedFetch(status, body).push.send(pushDispatch(standIn));
  expect(answer).toEqual({ kind: 'refused', detail: expect.stringMatching(/^fcm: HTTP \d{3} [A-Z_]+$/), ...meaning });
});

it('passes on Retry-After, whether FCM is overloaded or the quota exceeded', async () => {
  const overloaded = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } };
  for (const [status, body] of [
    [503, overloaded],
    [429, quotaExceeded],
  ] as const) {
    const { push } = scriptedFetch(status, body, { 'retry-after': '33' });
    expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', retryAfterSeconds: 33 });
  }
});

it('requests one access token for concurrent sends, and the next one shortly before it expires', async () => {
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

it('has an access token for every key of every account', async () => {
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(await push.send(pushDispatch(standIn, { app: standIn.strangers }))).toMatchObject({ cause: 'credentials' });
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(standIn.tokenRequests()).toBe(2);
});

it('drops an access token that is no longer accepted, and only that', async () => {
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
  ['an error of Google', json(503, {}), { cause: 'unavailable' }],
  [
    'a page that is not JSON',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
    { cause: 'unavailable' },
  ],
  ['an answer without a token', json(200, { expires_in: 10 }), { cause: 'unavailable' }],
])('reports that nothing was sent without an access token: %s', async (_, answer, meaning) => {
  standIn.scriptTokens(answer);
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', ...meaning });
  expect(standIn.sends()).toBe(0);
  // The token is requested again.
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
});

it('ignores a token_uri of the account, and sends to Google alone', async () => {
  const { requests, push } = scriptedFetch(200, { name: 'projects/p/messages/1' });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fcm = {
    project_id: 'x.example:loja-de-teste',
    private_key,
    client_email: 'a@b.example',
    token_uri: 'https://evil.example',
  };
  await push.send(pushDispatch(standIn, { app: { fcm } }));
  expect(requests.map(({ url }) => new URL(url).host)).toEqual(['oauth2.googleapis.com', 'fcm.googleapis.com']);
});
