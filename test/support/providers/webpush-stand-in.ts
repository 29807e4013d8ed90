import { createECDH, createPublicKey, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import type { VapidCredentials } from '../../../shared/domain/channels/push/credentials.ts';
import { connectionsTo, httpsEndpoint } from '../webhooks/endpoints.ts';
import { type AcceptedPush, GATEWAY_PAGE, type PushStandIn, verifyJwt } from './push-stand-in.ts';
import { json, type Play, playAnswer, type StandInAnswer, THROTTLED_SECONDS } from './stand-in.ts';
import { type BrowserKeys, openPushMessage } from './webpush-decoder.ts';

/** The push service's name, as in its certificate; the tests' connections lead it to this machine. */
const ORIGIN = 'https://hooks.example.com';
/** The longest body that it accepts, in bytes (RFC 8030, 7.2). */
const MAX_BYTES = 4_096;
const LONGEST_TOKEN_SECONDS = 24 * 3_600;

const pair = () => {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateOf(curve.getPrivateKey()) };
};
/** Numbers lose their leading zeros, keys do not. */
const privateOf = (bytes: Buffer): string =>
  Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]).toString('base64url');

/** Creates an application server's keys. */
export const vapidKeys = (): VapidCredentials => ({ ...pair(), subject: 'mailto:push@loja.example' });
/** Creates a browser's keys. */
export const browserKeys = (): BrowserKeys => {
  const { publicKey: p256dh, privateKey } = pair();
  return { p256dh, privateKey, auth: randomBytes(16).toString('base64url') };
};

const content = z.looseObject({
  title: z.string().optional(),
  body: z.string().optional(),
  silent: z.literal(true).optional(),
});
const headers = z.object({
  ttl: z.string().regex(/^\d+$/),
  urgency: z.enum(['very-low', 'low', 'normal', 'high']),
  topic: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/),
  'content-encoding': z.literal('aes128gcm'),
  'content-length': z.string().regex(/^\d+$/),
});

/** The status that refuses an `Authorization` header not made with the browser's application server key (RFC 8292, 2, 3 and 4.2). */
const vapidFault = (header: string, known: VapidCredentials, now: number): number | undefined => {
  const { t = '', k = '' } = /^vapid t=(?<t>[\w.-]+), k=(?<k>[\w-]+)$/.exec(header)?.groups ?? {};
  const point = Buffer.from(k, 'base64url');
  if (point.length !== 65) return 401;
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const jwt = verifyJwt(t, 'ES256', createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } }));
  const { aud, exp, sub } = jwt?.claims ?? {};
  const left = typeof exp === 'number' ? exp - now / 1000 : -1;
  if (aud !== ORIGIN || left <= 0 || left > LONGEST_TOKEN_SECONDS || typeof sub !== 'string') return 401;
  return k === known.publicKey ? undefined : 403;
};

const answers = (accept: () => StandInAnswer) => ({
  accept,
  refuse: (code: string): StandInAnswer => ({ ...GATEWAY_PAGE, status: Number(code) }),
  throttle: () => json(429, { errno: 201 }, { 'retry-after': String(THROTTLED_SECONDS) }),
  serverError: () => json(500, { errno: 999 }),
  // No status can be read out of it.
  malformed: (): StandInAnswer => ({ status: 0, headers: {}, body: 'HTTP/1.1 what\r\n\r\n' }),
  wrongContentType: () => GATEWAY_PAGE,
});

/** Starts a stand-in of a browser's push service (RFC 8030), which opens every message as the browser would. */
export const startWebPushStandIn = async (now: () => number) => {
  const known = vapidKeys();
  const browser = browserKeys();
  const pushes: AcceptedPush[] = [];
  const plays: Play[] = [];
  let sends = 0;
  let last: { headers: IncomingMessage['headers']; body: Buffer } = { headers: {}, body: Buffer.alloc(0) };
  const acceptedOf = (path: string, body: Buffer): StandInAnswer => {
    const {
      title,
      body: shown,
      silent,
      ...fields
    } = content.parse(JSON.parse(openPushMessage(body, browser).toString('utf8')));
    const { ttl, urgency, topic } = headers.parse(last.headers);
    const location = `${ORIGIN}/m/${pushes.length + 1}`;
    pushes.push({
      token: `${ORIGIN}${path}`,
      providerMessageId: location,
      shown: silent ? undefined : { title: title ?? '', body: shown ?? '' },
      fields,
      urgent: urgency === 'high',
      ttlSeconds: Number(ttl),
      collapse: topic,
    });
    return { status: 201, headers: { location }, body: '' };
  };
  const answer = (request: IncomingMessage, body: Buffer): StandInAnswer | 'silence' | 'reset' => {
    const fault = vapidFault(request.headers.authorization ?? '', known, now());
    if (fault) return json(fault, {});
    if (body.length > MAX_BYTES) return json(413, {});
    if (request.method !== 'POST' || !headers.safeParse(request.headers).success) return json(400, {});
    return playAnswer(
      plays.shift() ?? 'accept',
      answers(() => acceptedOf(request.url ?? '', body)),
    );
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    sends += 1;
    const body = await buffer(request);
    last = { headers: request.headers, body };
    const found = answer(request, body);
    if (found === 'silence') return;
    if (found === 'reset') request.socket.destroy();
    else if (found.status === 0) request.socket.end(found.body);
    else response.writeHead(found.status, { ...found.headers }).end(found.body);
  };
  const server = await httpsEndpoint((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const connections = connectionsTo(server.port);
  const standIn: PushStandIn = {
    options: { connections },
    app: { vapid: known },
    device: { platform: 'web', token: `${ORIGIN}/push/segredo-5511`, p256dh: browser.p256dh, auth: browser.auth },
    strangers: { vapid: vapidKeys() },
    sends: () => sends,
    pushes,
    script: (...more) => void plays.push(...more),
    async close() {
      connections.close();
      await server.close();
    },
  };
  return {
    ...standIn,
    /** The last send as it was received. */
    last: () => last,
    connections,
    browser,
    vapid: known,
    reached: server.connections,
  };
};
export type WebPushStandIn = Awaited<ReturnType<typeof startWebPushStandIn>>;
