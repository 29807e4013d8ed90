import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import exampleMessage from '../../../events/providers/webpush.encrypted-message.json' with { type: 'json' };
import exampleSubscription from '../../../events/providers/webpush.subscription.json' with { type: 'json' };
import type { PushTarget, PushTransport } from '../../../shared/domain/channels/push/transport.ts';
import { encryptWebPush, MAX_CONTENT_BYTES, readKeys } from '../../../shared/providers/push/webpush-encryption.ts';
import { createConnections } from '../../../shared/providers/webhooks/connections.ts';
import { PATIENCE } from '../../support/patience.ts';
import { NOTIFICATION, openPush, pushDispatch } from '../../support/providers/push-kit.ts';
import { PUSH_NOW, pushClock } from '../../support/providers/push-stand-in.ts';
import { type BrowserKeys, openPushMessage } from '../../support/providers/webpush-decoder.ts';
import {
  browserKeys,
  startWebPushStandIn,
  vapidKeys,
  type WebPushStandIn,
} from '../../support/providers/webpush-stand-in.ts';
import { connectionsTo, type Endpoint, httpsEndpoint } from '../../support/webhooks/endpoints.ts';

const HOUR = 3_600_000;
const bytes = (text: string) => Buffer.from(text, 'base64url');
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
let clock: ReturnType<typeof pushClock>;
let standIn: WebPushStandIn;
let push: PushTransport;
beforeEach(async () => {
  clock = pushClock();
  standIn = await startWebPushStandIn(clock.now);
  push = openPush(standIn, {}, clock.now);
  closing.push(() => standIn.close());
});

const { plaintext, subscription, sender, body } = exampleMessage;
const keysOf = ({ p256dh, auth }: Pick<BrowserKeys, 'p256dh' | 'auth'>) => {
  const keys = readKeys(p256dh, auth);
  if (!keys) throw new Error('no keys');
  return keys;
};

it('encrypts the example of RFC 8291 to its bytes', () => {
  const chance = { salt: bytes(sender.salt), privateKey: bytes(sender.privateKey) };
  const message = encryptWebPush(Buffer.from(plaintext), keysOf(exampleSubscription.keys), chance);
  expect(message?.toString('base64url')).toBe(body);
});

it('is tested with a decoder that opens the example of RFC 8291, and no altered one', () => {
  expect(openPushMessage(bytes(body), subscription).toString('utf8')).toBe(plaintext);
  for (const at of [0, 20, 30, 90, bytes(body).length - 1]) {
    const altered = bytes(body);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    expect(() => openPushMessage(altered, subscription)).toThrow();
  }
});

it('encrypts every message with a key and a salt of its own', () => {
  const seen = new Set<string>();
  for (let length = 0; length <= MAX_CONTENT_BYTES; length += 363) {
    const browser = browserKeys();
    const content = Buffer.alloc(length, length % 251);
    const message = encryptWebPush(content, keysOf(browser));
    expect(message && openPushMessage(message, browser).equals(content)).toBe(true);
    seen.add(message?.toString('base64url', 0, 16) ?? '').add(message?.toString('base64url', 21, 86) ?? '');
  }
  expect(seen.size).toBe(24);
});

it('signs for one origin, for 24 hours at most', async () => {
  await push.send(pushDispatch(standIn));
  const [, token = ''] = /^vapid t=([^,]+), k=/.exec(String(standIn.last().headers.authorization)) ?? [];
  const [header = '', claims = ''] = token.split('.').map((part) => bytes(part).toString('utf8'));
  expect(JSON.parse(header)).toEqual({ alg: 'ES256', typ: 'JWT' });
  expect(JSON.parse(claims)).toEqual({
    aud: 'https://hooks.example.com',
    exp: PUSH_NOW / 1000 + 12 * 3_600,
    sub: standIn.vapid.subject,
  });
  expect(standIn.last().headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' });
});

it('signs once for each origin and again before the signature expires', async () => {
  const authorization = async () => {
    expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
    return standIn.last().headers.authorization;
  };
  const first = await authorization();
  clock.advance(10 * HOUR);
  expect(await authorization()).toBe(first);
  clock.advance(HOUR);
  expect(await authorization()).not.toBe(first);
  const elsewhere = { ...standIn.device, token: 'https://a.hooks.example.com/push/1' };
  // The stand-in is another origin, and refuses a signature for this one.
  expect(await push.send(pushDispatch(standIn, { device: elsewhere }))).toMatchObject({ cause: 'credentials' });
});

it('accepts content that fits into 4096 bytes, and refuses more without sending it', async () => {
  const long = (length: number) =>
    pushDispatch(standIn, { notification: { ...NOTIFICATION, body: 'x'.repeat(length) }, dispatchId: 'dsp_1' });
  await push.send(long(0));
  const room = 4096 - standIn.last().body.length;
  expect(await push.send(long(room))).toMatchObject({ kind: 'accepted' });
  expect(standIn.last().body.length).toBe(4096);
  expect(await push.send(long(room + 1))).toMatchObject({ kind: 'refused', cause: 'content' });
  expect(standIn.sends()).toBe(2);
});

it('gives any dispatch id a topic that push services accept', async () => {
  for (const dispatchId of ['msg_0123456789abcdefghijk', 'a name, too long and of other characters']) {
    expect(await push.send(pushDispatch(standIn, { dispatchId }))).toMatchObject({ kind: 'accepted' });
  }
  const [first, second] = standIn.pushes;
  expect(first?.collapse).toBe('msg_0123456789abcdefghijk');
  expect(second?.collapse).toMatch(/^[\w-]{32}$/);
});

const { p256dh, auth } = browserKeys();
const NO_POINT = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url');
const BROKEN: Readonly<Record<string, Partial<PushTarget>>> = {
  'no keys': { p256dh: undefined, auth: undefined },
  'no secret': { p256dh, auth: undefined },
  'a short secret': { p256dh, auth: 'BTBZMqHH6r4Tts7J' },
  'a short key': { p256dh: p256dh.slice(0, 40), auth },
  'a key that is no point': { p256dh: NO_POINT, auth },
  'a key in another alphabet': { p256dh: `${p256dh.slice(0, -2)}+/`, auth },
  'no address': { token: 'push/1' },
};
it.each(Object.entries(BROKEN))('calls the token of an unusable subscription dead: %s', async (_, broken) => {
  const answer = await push.send(pushDispatch(standIn, { device: { ...standIn.device, ...broken } }));
  expect(answer).toMatchObject({ kind: 'refused', cause: 'recipient', deadToken: true });
  expect(standIn.reached()).toBe(0);
});

it.each([
  'http://hooks.example.com/push',
  'http://127.0.0.1/push',
  'https://127.0.0.1/push',
  'https://2130706433/push',
  'https://[::1]/push',
  'https://[::ffff:169.254.169.254]/latest/meta-data',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.8/push',
  'https://localhost/push',
  'https://metadata.google.internal/push',
  'https://user:segredo@hooks.example.com/push',
  'https://hooks.example.com:22/push',
  'ftp://hooks.example.com/push',
])('calls no address that is not a public https host: %s', async (token) => {
  const answer = await push.send(pushDispatch(standIn, { device: { ...standIn.device, token } }));
  expect(answer).toMatchObject({ kind: 'refused', cause: 'recipient' });
  expect(JSON.stringify(answer)).not.toContain('segredo');
  expect(standIn.reached()).toBe(0);
});

it.each([['10.0.0.8'], ['93.184.216.34', '169.254.169.254'], ['::ffff:127.0.0.1'], ['64:ff9b::a00:8']])(
  'connects to no name that resolves to a private address: %s',
  async (...addresses) => {
    let connected = 0;
    const connections = createConnections({
      allowLoopbackHttp: false,
      resolve: async () => addresses,
      connect: () => {
        connected += 1;
        return connect(1, '127.0.0.1');
      },
    });
    closing.push(() => connections.close());
    const answer = await openPush(standIn, { connections }).send(pushDispatch(standIn));
    expect(answer).toMatchObject({ kind: 'refused', cause: 'recipient' });
    expect(answer).not.toHaveProperty('deadToken');
    expect(connected).toBe(0);
  },
);

const endpointOf = async (handler: RequestListener): Promise<Endpoint> => {
  const endpoint = await httpsEndpoint(handler);
  closing.push(() => endpoint.close());
  return endpoint;
};
const sendTo = async (endpoint: Endpoint, timeoutMs = 10_000) => {
  const connections = connectionsTo(endpoint.port);
  closing.push(() => connections.close());
  const browser = browserKeys();
  return openPush({ options: { connections } }, { timeoutMs }).send({
    app: { vapid: vapidKeys() },
    device: { platform: 'web', token: 'https://hooks.example.com/push/1', p256dh: browser.p256dh, auth: browser.auth },
    notification: NOTIFICATION,
    dispatchId: 'dsp_1',
  });
};

it.each([301, 302, 307, 308])('follows no redirect: %d', async (status) => {
  const paths: (string | undefined)[] = [];
  const endpoint = await endpointOf((request, response) => {
    paths.push(request.url);
    response.writeHead(status, { location: 'https://hooks.example.com/elsewhere' }).end();
  });
  expect(await sendTo(endpoint)).toMatchObject({ kind: 'refused', cause: 'unavailable' });
  expect(paths).toEqual(['/push/1']);
});

it('calls a 503 with Retry-After a refusal', async () => {
  const endpoint = await endpointOf((_, response) => void response.writeHead(503, { 'retry-after': '120' }).end());
  expect(await sendTo(endpoint)).toMatchObject({ kind: 'refused', cause: 'unavailable', retryAfterSeconds: 120 });
});

it('returns our reference where the push service answers no location, or an unusable one', async () => {
  for (const location of [undefined, 'x'.repeat(501), 'https://hooks.example.com/a b']) {
    const endpoint = await endpointOf(
      (_, response) => void response.writeHead(201, location === undefined ? {} : { location }).end(),
    );
    expect(await sendTo(endpoint)).toEqual({ kind: 'accepted', providerMessageId: 'dsp_1' });
  }
});

it.each([
  ['dripping', 1, 1_000],
  ['endless', 1_000_000, 60_000],
])('uses the status and drops a body that is %s', async (_, length, timeoutMs) => {
  let closed = false;
  const endpoint = await endpointOf((request, response) => {
    request.socket.on('close', () => {
      closed = true;
    });
    response.on('error', () => {}).writeHead(201);
    response.write('x'.repeat(length));
  });
  expect(await sendTo(endpoint, timeoutMs)).toMatchObject({ kind: 'accepted' });
  await vi.waitFor(() => expect(closed).toBe(true), PATIENCE);
});

it('never calls an endpoint of a host that is no push service, whatever was registered', async () => {
  const before = standIn.pushes.length;
  const answer = await openPush(standIn, { webPushHosts: [] }, clock.now).send(pushDispatch(standIn));
  expect(answer).toMatchObject({ kind: 'refused', cause: 'recipient' });
  expect(standIn.pushes).toHaveLength(before);
});
