import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { ApnsCredentials } from '../../../shared/domain/channels/push/credentials.ts';
import { CERT } from '../webhooks/endpoints.ts';
import { startNetwork } from './push-network.ts';
import { type AcceptedPush, GATEWAY_PAGE, type PushStandIn, verifyJwt } from './push-stand-in.ts';
import { json, type Play, playAnswer, type StandInAnswer, THROTTLED_SECONDS } from './stand-in.ts';

const KEY = readFileSync(new URL('../webhooks/tls-test-only.key.pem', import.meta.url), 'utf8');

/** The statuses of the reasons (Handling notification responses from APNs). */
const STATUSES: Readonly<Record<string, number>> = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  InvalidPushType: 400,
  IdleTimeout: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
};

const account = (keyId: string): ApnsCredentials => ({
  keyId,
  teamId: 'TEAM551100',
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  bundleId: 'br.com.loja.App',
  environment: 'production',
});

/** The headers of a notification, each in its documented form. */
const requestHeaders = z.object({
  ':path': z.string().regex(/^\/3\/device\/[0-9a-fA-F]+$/),
  'apns-id': z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  'apns-push-type': z.enum(['alert', 'background']),
  'apns-priority': z.enum(['5', '10']),
  'apns-expiration': z.string().regex(/^\d+$/),
  'apns-collapse-id': z.string().max(64).optional(),
});
const payload = z.looseObject({
  aps: z.strictObject({
    alert: z.strictObject({ title: z.string(), body: z.string() }).optional(),
    sound: z.literal('default').optional(),
    'mutable-content': z.literal(1).optional(),
    'content-available': z.literal(1).optional(),
  }),
});

const refused = (reason: string): StandInAnswer =>
  reason in STATUSES ? json(STATUSES[reason] ?? 400, { reason }) : { ...GATEWAY_PAGE, status: Number(reason) };

/** Checks provider tokens: signature, key, team, age, and how often one replaces another (Establishing a token-based connection). */
const tokenCheck = (known: ApnsCredentials, now: () => number) => {
  const seen: { issued: number; at: number }[] = [];
  const check = (header: string): string | undefined => {
    const token = /^bearer (\S+)$/.exec(header)?.[1];
    if (!token) return 'MissingProviderToken';
    const jwt = verifyJwt(token, 'ES256', createPublicKey(known.privateKey));
    const { iss, iat } = jwt?.claims ?? {};
    if (jwt?.header.kid !== known.keyId || iss !== known.teamId || typeof iat !== 'number')
      return 'InvalidProviderToken';
    const age = now() / 1000 - iat;
    if (age < -60 || age > 3_600) return 'ExpiredProviderToken';
    if (seen.at(-1)?.issued !== iat) {
      if (now() - (seen.at(-1)?.at ?? 0) < 20 * 60_000) return 'TooManyProviderTokenUpdates';
      seen.push({ issued: iat, at: now() });
    }
    return undefined;
  };
  return { check, seen };
};

export interface ApnsSettings {
  readonly maxConcurrentStreams?: number;
}

const acceptedOf = (headers: http2.IncomingHttpHeaders, body: string, now: number): AcceptedPush => {
  const { aps, ...fields } = payload.parse(JSON.parse(body));
  const found = requestHeaders.parse(headers);
  return {
    token: found[':path'].replace('/3/device/', ''),
    providerMessageId: found['apns-id'],
    shown: aps.alert,
    fields,
    urgent: found['apns-priority'] === '10',
    ttlSeconds: Number(found['apns-expiration']) - Math.floor(now / 1000),
    collapse: found['apns-collapse-id'],
  };
};

/** The fault of a notification, as APNs' reason. */
const faultOf = (headers: http2.IncomingHttpHeaders, body: string, known: ApnsCredentials): string | undefined => {
  const found = requestHeaders.safeParse(headers);
  if (headers[':method'] !== 'POST') return 'MethodNotAllowed';
  if (!found.success) return 'BadMessageId';
  if (headers['apns-topic'] !== known.bundleId) return 'TopicDisallowed';
  if (Buffer.byteLength(body) > 4_096) return 'PayloadTooLarge';
  const read = payload.safeParse(JSON.parse(body));
  if (!read.success) return 'PayloadEmpty';
  const background = found.data['apns-push-type'] === 'background';
  if (background !== (read.data.aps['content-available'] === 1)) return 'InvalidPushType';
  return background && found.data['apns-priority'] !== '5' ? 'BadPriority' : undefined;
};

/** Starts the HTTP/2 server; every send goes through `answer`. */
const startHttp2 = async (
  settings: ApnsSettings,
  answer: (
    headers: http2.IncomingHttpHeaders,
    body: string,
  ) => Promise<StandInAnswer | 'silence' | 'reset' | 'refuse_stream'>,
) => {
  const sessions = new Set<http2.ServerHttp2Session>();
  const count = { streams: 0, most: 0, pings: 0 };
  const server = http2.createSecureServer({ key: KEY, cert: CERT, settings });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
    session.on('ping', () => {
      count.pings += 1;
    });
  });
  server.on('sessionError', () => {});
  const serve = async (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    count.streams += 1;
    count.most = Math.max(count.most, count.streams);
    stream
      .on('error', () => {})
      .on('close', () => {
        count.streams -= 1;
      });
    const found = await answer(headers, await text(stream));
    if (found === 'silence') return;
    if (found === 'reset') network.reset();
    else if (found === 'refuse_stream') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    else if (!stream.destroyed) {
      stream.respond({ ':status': found.status, ...found.headers });
      stream.end(found.body);
    }
  };
  server.on('stream', (stream, headers) => {
    serve(stream, headers).catch(() => stream.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const network = await startNetwork((server.address() as AddressInfo).port);
  const close = async () => {
    await network.close();
    for (const session of sessions) session.destroy();
    await new Promise((closed) => server.close(closed));
  };
  return { origin: `https://localhost:${network.port}`, network, sessions, count, close };
};

/** Starts a stand-in of the Apple Push Notification service. */
export const startApnsStandIn = async (now: () => number, settings: ApnsSettings = {}) => {
  const known = account('KEY5511AAA');
  const pushes: AcceptedPush[] = [];
  const plays: Play[] = [];
  const tokens = tokenCheck(known, now);
  let sends = 0;
  let held: { readonly done: Promise<void>; readonly release: () => void } | undefined;
  let last: { headers: http2.IncomingHttpHeaders; body: string } = { headers: {}, body: '' };
  let dropped = 0;
  let unprocessed = 0;
  const server = await startHttp2(settings, async (headers, body) => {
    const order = ++sends;
    last = { headers, body };
    await held?.done;
    if (order <= dropped) return 'silence';
    if (unprocessed-- > 0) return 'refuse_stream';
    const fault = tokens.check(String(headers.authorization)) ?? faultOf(headers, body, known);
    if (fault) return refused(fault);
    const named = { 'apns-id': String(headers['apns-id']) };
    return playAnswer(plays.shift() ?? 'accept', {
      accept: () => {
        pushes.push(acceptedOf(headers, body, now()));
        return { status: 200, headers: named, body: '' };
      },
      refuse: refused,
      throttle: () => json(429, { reason: 'TooManyRequests' }, { 'retry-after': String(THROTTLED_SECONDS) }),
      serverError: () => refused('InternalServerError'),
      malformed: () => ({ status: 200, headers: {}, body: '{"half": ' }),
      wrongContentType: () => GATEWAY_PAGE,
    });
  });
  const { origin, count, close } = server;
  const standIn: PushStandIn = {
    options: { apnsUrls: { production: origin, development: origin }, apnsCa: CERT },
    app: { apns: known },
    device: { platform: 'ios', token: 'a5511b9182c0ffee00112233445566778899aabbccddeeff0011223344556677' },
    strangers: { apns: account('KEY5511BBB') },
    sends: () => sends,
    pushes,
    script: (...more) => void plays.push(...more),
    close,
  };
  return {
    ...standIn,
    /** When each provider token was first seen and issued, in ms and in seconds. */
    tokens: tokens.seen,
    /** Connections so far, and the most streams that were open at once. */
    connections: server.network.made,
    mostStreams: () => count.most,
    pings: () => count.pings,
    /** Connections that are open now. */
    open: server.network.open,
    /** Sends GOAWAY on every connection; streams above `lastStreamId` were not processed. */
    goAway: (code: number, lastStreamId?: number) => {
      for (const session of server.sessions) session.goaway(code, lastStreamId);
    },
    /** Holds answers back until `release`. */
    hold: () => {
      const { promise: done, resolve: release } = Promise.withResolvers<void>();
      held = { done, release };
    },
    release: () => held?.release(),
    /** Refuses the next streams without processing them (RFC 9113, 8.7). */
    refuseStreams: (times: number) => {
      unprocessed = times;
    },
    /** Never answers the requests that are held back now. */
    drop: () => {
      dropped = sends;
    },
    /** Silences the current connections below HTTP/2: nothing arrives or returns any more, pings included. */
    freeze: server.network.freeze,
    /** The last send as it was received. */
    last: () => last,
  };
};
export type ApnsStandIn = Awaited<ReturnType<typeof startApnsStandIn>>;
