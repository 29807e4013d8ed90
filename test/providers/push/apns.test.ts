import { constants } from 'node:http2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import exampleRequest from '../../../events/providers/apns.send-request.json' with { type: 'json' };
import unregistered from '../../../events/providers/apns.unregistered.json' with { type: 'json' };
import type { PushTransport } from '../../../shared/domain/channels/push/transport.ts';
import { Http2Connections } from '../../../shared/providers/push/http2-connections.ts';
import { PATIENCE } from '../../support/patience.ts';
import { type ApnsSettings, type ApnsStandIn, startApnsStandIn } from '../../support/providers/apns-stand-in.ts';
import { NOTIFICATION, openPush, pushDispatch, SILENT } from '../../support/providers/push-kit.ts';
import { PUSH_NOW, pushClock } from '../../support/providers/push-stand-in.ts';

const { NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR } = constants;
const MINUTE = 60_000;

let clock: ReturnType<typeof pushClock>;
let standIn: ApnsStandIn;
let push: PushTransport;
const start = async (settings: ApnsSettings = {}) => {
  standIn = await startApnsStandIn(clock.now, settings);
  push = openPush(standIn, {}, clock.now);
};
const stop = async () => {
  push.close();
  await standIn.close();
};
const restart = async (settings: ApnsSettings = {}) => {
  await stop();
  await start(settings);
};
beforeEach(async () => {
  clock = pushClock();
  await start();
});
afterEach(stop);
const send = (times = 1) => Promise.all(Array.from({ length: times }, () => push.send(pushDispatch(standIn))));
const kinds = (answers: readonly { readonly kind: string }[]) => [...new Set(answers.map(({ kind }) => kind))];
const arrived = (sends: number) => vi.waitFor(() => expect(standIn.sends()).toBe(sends), PATIENCE);

it('sends what is documented', async () => {
  const { payload, headers } = exampleRequest;
  const { alert } = payload.aps;
  const { apns } = standIn.app;
  if (!apns) throw new Error('the stand-in has no account');
  const answer = await push.send(
    pushDispatch(standIn, {
      device: { platform: 'ios', token: headers[':path'].replace('/3/device/', '') },
      dispatchId: payload.dispatchId,
      notification: { ...alert, deepLink: payload.deepLink, imageUrl: payload.imageUrl, actions: payload.actions },
    }),
  );
  expect(standIn.last().headers).toMatchObject({ ...headers, 'apns-topic': apns.bundleId });
  expect(JSON.parse(standIn.last().body)).toEqual(payload);
  expect(answer).toEqual({ kind: 'accepted', providerMessageId: headers['apns-id'] });
});

it('sends a silent notification in the background', async () => {
  await push.send(pushDispatch(standIn, { notification: SILENT }));
  expect(standIn.last().headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' });
  expect(JSON.parse(standIn.last().body).aps).toEqual({ 'content-available': 1 });
});

it('reads the documented answer for an app that was removed', async () => {
  standIn.script({ refuse: unregistered.reason });
  const answer = await push.send(pushDispatch(standIn));
  expect(answer).toEqual({
    kind: 'refused',
    cause: 'recipient',
    deadToken: true,
    detail: 'apns: HTTP 410 Unregistered',
  });
});

it('refreshes its token every 20 to 60 minutes, whenever it starts', async () => {
  for (const begin of [0, 4, 9]) {
    clock = pushClock(PUSH_NOW + begin * MINUTE);
    await restart();
    for (let minute = 0; minute < 300; minute += 1) {
      if (minute % 7 === 0) expect(kinds(await send(2))).toEqual(['accepted']);
      clock.advance(MINUTE);
    }
    const gaps = standIn.tokens.slice(1).map(({ at }, index) => (at - (standIn.tokens[index]?.at ?? 0)) / MINUTE);
    expect(gaps.length).toBeGreaterThan(4);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(20);
  }
});

it('uses the same token in processes that start together', async () => {
  const others = Array.from({ length: 4 }, (_, index) => openPush(standIn, {}, () => PUSH_NOW + index * MINUTE));
  for (const other of others) {
    expect(await other.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
    other.close();
  }
  expect(standIn.tokens.length).toBe(1);
});

it('keeps one connection, with no more streams than the server allows', async () => {
  await restart({ maxConcurrentStreams: 5 });
  standIn.hold();
  const sending = send(60);
  await arrived(5);
  standIn.release();
  expect(kinds(await sending)).toEqual(['accepted']);
  expect(kinds(await send(60))).toEqual(['accepted']);
  expect([standIn.connections(), standIn.mostStreams(), standIn.pushes.length]).toEqual([1, 5, 120]);
});

it('keeps the connections of two teams apart', async () => {
  await send();
  await push.send(pushDispatch(standIn, { app: standIn.strangers }));
  expect(standIn.connections()).toBe(2);
});

it('finishes the streams of a connection that gets GOAWAY, and continues over a new one', async () => {
  standIn.hold();
  const inFlight = send(3);
  await arrived(3);
  standIn.goAway(NGHTTP2_NO_ERROR);
  standIn.release();
  expect(kinds(await inFlight)).toEqual(['accepted']);
  expect(kinds(await send(3))).toEqual(['accepted']);
  expect([standIn.connections(), standIn.pushes.length]).toEqual([2, 6]);
});

it('sends again what GOAWAY says was not processed, and nothing else', async () => {
  push = openPush(standIn, { timeoutMs: 4_000 });
  await send();
  standIn.hold();
  // A client's streams are 1, 3, 5, 7: one before, and three now.
  const inFlight = send(3);
  await arrived(4);
  standIn.drop();
  standIn.goAway(NGHTTP2_NO_ERROR, 3);
  await arrived(6);
  standIn.release();
  const answers = await inFlight;
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'accepted', 'unknown']);
  expect(standIn.pushes.length).toBe(3);
});

it('sends again what a failing connection says was not processed', async () => {
  standIn.hold();
  const inFlight = send(3);
  await arrived(3);
  standIn.drop();
  standIn.goAway(NGHTTP2_INTERNAL_ERROR, 1);
  await arrived(5);
  standIn.release();
  const answers = await inFlight;
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'accepted', 'unknown']);
  expect(standIn.pushes.length).toBe(2);
});

it('reports that a refused stream was not processed', async () => {
  standIn.refuseStreams(1);
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'refused', cause: 'unavailable' });
  expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  expect(standIn.connections()).toBe(1);
});

it('reports that nothing was sent if a send waited for a stream until its timeout', async () => {
  await restart({ maxConcurrentStreams: 2 });
  const connections = new Http2Connections({ now: () => PUSH_NOW, ca: standIn.options.apnsCa });
  const origin = standIn.options.apnsUrls?.production ?? '';
  const request = { path: '/', headers: {}, body: '' };
  const sendWithin = (ms: number) => connections.send('one', origin, request, ms);
  expect(await sendWithin(60_000)).toMatchObject({ kind: 'answered' });
  standIn.hold();
  // Those in flight outlast those that wait: otherwise the last one of these could still get a stream.
  const inFlight = [sendWithin(60_000), sendWithin(60_000)];
  await arrived(3);
  const waiting = await Promise.all([300, 300, 300].map(sendWithin));
  expect(waiting).toEqual(waiting.map(() => ({ kind: 'not_sent', detail: 'no stream was free in time' })));
  expect(standIn.sends()).toBe(3);
  standIn.release();
  for (const answer of inFlight) expect(await answer).toMatchObject({ kind: 'answered' });
  connections.close();
});

it('calls the streams in flight on a failed connection unknown', async () => {
  standIn.hold();
  const inFlight = send(3);
  await arrived(3);
  standIn.goAway(NGHTTP2_INTERNAL_ERROR);
  expect(kinds(await inFlight)).toEqual(['unknown']);
  standIn.release();
  expect(standIn.sends()).toBe(3);
});

it('pings a connection once that was idle for long', async () => {
  await send();
  clock.advance(5 * MINUTE);
  expect(kinds(await send(10))).toEqual(['accepted']);
  await send();
  expect([standIn.pings(), standIn.connections()]).toEqual([1, 1]);
});

it('replaces a connection that does not answer a ping, before a send is lost on it', async () => {
  await send();
  standIn.freeze();
  clock.advance(5 * MINUTE);
  expect(kinds(await send(10))).toEqual(['accepted']);
  expect(standIn.connections()).toBe(2);
});

it('replaces a dead connection after a send that got no answer', async () => {
  push = openPush(standIn, { timeoutMs: 2_500 });
  await send();
  standIn.freeze();
  expect(kinds(await send())).toEqual(['unknown']);
  expect(kinds(await send())).toEqual(['accepted']);
  expect(standIn.connections()).toBe(2);
});

it('accepts a payload of 4096 bytes and refuses a longer one without sending it', async () => {
  const body = (bytes: number) => ({ notification: { ...NOTIFICATION, body: 'x'.repeat(bytes) } });
  await push.send(pushDispatch(standIn, body(0)));
  const room = 4096 - Buffer.byteLength(standIn.last().body);
  expect(await push.send(pushDispatch(standIn, body(room)))).toMatchObject({ kind: 'accepted' });
  const before = standIn.sends();
  expect(await push.send(pushDispatch(standIn, body(room + 1)))).toMatchObject({ kind: 'refused', cause: 'content' });
  expect(standIn.sends()).toBe(before);
});

it.each(['', '../3/device/00', '00 11', '00?x=1', 'ZZ', '0'.repeat(401)])(
  'refuses an invalid device token without sending it: %j',
  async (token) => {
    const answer = await push.send(pushDispatch(standIn, { device: { platform: 'ios', token } }));
    expect(answer).toMatchObject({ kind: 'refused', cause: 'recipient', deadToken: true });
    expect(standIn.connections()).toBe(0);
  },
);

it('keeps a bounded number of connections', async () => {
  const connections = new Http2Connections({ now: () => PUSH_NOW, ca: standIn.options.apnsCa });
  const origin = standIn.options.apnsUrls?.production ?? '';
  for (let name = 0; name < 70; name += 1) {
    const reply = await connections.send(`${name}`, origin, { path: '/', headers: {}, body: '' }, 5_000);
    expect(reply.kind).toBe('answered');
  }
  await vi.waitFor(() => expect(standIn.open()).toBe(64), PATIENCE);
  connections.close();
  await vi.waitFor(() => expect(standIn.open()).toBe(0), PATIENCE);
});
