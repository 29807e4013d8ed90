import { createPrivateKey } from 'node:crypto';
import type { VapidCredentials } from '../../domain/channels/push/credentials.ts';
import type { PushAnswer } from '../../domain/channels/push/transport.ts';
import { webPushFault } from '../../domain/channels/push/web-push-hosts.ts';
import type { RefusalCause } from '../../domain/message/provider-port.ts';
import { refusal, retryAfterSeconds } from '../http.ts';
import type { WebhookConnections } from '../webhooks/connections.ts';
import { signJwt } from './jwt.ts';
import {
  appDataOf,
  deadToken,
  digestOf,
  type PushIo,
  type PushRequest,
  type PushService,
  TTL_SECONDS,
} from './notification.ts';
import { cacheKeyOf, SingleFlightCache } from './single-flight-cache.ts';
import { encryptWebPush, MAX_CONTENT_BYTES, readKeys } from './webpush-encryption.ts';
import { type PostReply, postToPushEndpoint } from './webpush-post.ts';

/** Lifetime of a VAPID token, in ms; at most 24 hours (RFC 8292, 2). */
const TOKEN_LIFETIME_MS = 12 * 3_600_000;
/** A token is renewed this long before it expires, in ms, to tolerate clock skew at the push service. */
const EXPIRY_MARGIN_MS = 3_600_000;

/** Refusal causes by HTTP status (RFC 8030, 5 and 7.3; RFC 8292, 4.2; RFC 9110, 15). Unlisted ones leave the outcome unknown. */
const CAUSES: Readonly<Record<number, RefusalCause>> = {
  400: 'content',
  401: 'credentials',
  403: 'credentials',
  413: 'content',
  429: 'throttled',
};
/** The subscription no longer exists. */
const EXPIRED_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** A topic has at most 32 characters of base64url (RFC 8030, 5.4). A repeated dispatch replaces itself. */
const topicOf = (dispatchId: string): string =>
  /^[A-Za-z0-9_-]{1,32}$/.test(dispatchId) ? dispatchId : digestOf(dispatchId).toString('base64url').slice(0, 32);

/** The Authorization header with a VAPID token (RFC 8292, 3), valid for the push service's origin only. */
const signVapid = ({ publicKey, privateKey, subject }: VapidCredentials, origin: string, until: number): string => {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: privateKey, x, y } });
  const claims = { aud: origin, exp: Math.floor(until / 1000), sub: subject };
  return `vapid t=${signJwt('ES256', key, {}, claims)}, k=${publicKey}`;
};

const contentOf = ({ notification, dispatchId }: PushRequest<VapidCredentials>): Buffer => {
  const { title, body, silent } = notification;
  const fields = appDataOf(notification, dispatchId);
  return Buffer.from(JSON.stringify(silent ? { ...fields, silent: true } : { ...fields, title, body }));
};

/** The message's URL at the push service, if it returned a storable one; otherwise our dispatch id. */
const messageName = (location: string | undefined, dispatchId: string): string =>
  location !== undefined && /^[\x21-\x7e]{1,500}$/.test(location) ? location : dispatchId;

const answerOf = (reply: PostReply, dispatchId: string, now: number): PushAnswer => {
  if (reply.kind === 'denied') return refusal('recipient', `webpush: ${reply.detail}`);
  if (reply.kind === 'not_sent') return refusal('unavailable', `webpush: no connection: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `webpush: ${reply.detail}` };
  const { status, headers } = reply;
  const detail = `webpush: HTTP ${status}`;
  if (status >= 200 && status < 300)
    return { kind: 'accepted', providerMessageId: messageName(headers.location, dispatchId) };
  if (EXPIRED_STATUSES.has(status)) return deadToken(detail);
  const retryAfter = retryAfterSeconds(headers['retry-after'], now);
  const cause = CAUSES[status];
  if (cause) return refusal(cause, detail, retryAfter);
  // Redirects concern the browser (RFC 8030, 8.3); we never follow an untrusted host's. The message was not accepted.
  if (status >= 300 && status < 400) return refusal('unavailable', `${detail}, a redirect`);
  // 503 with Retry-After means not accepted; any other failure leaves the outcome unknown.
  if (status === 503 && retryAfter !== undefined) return refusal('unavailable', detail, retryAfter);
  return { kind: 'unknown', detail };
};

/**
 * Web Push: RFC 8030, with encryption (RFC 8291) and VAPID (RFC 8292). Endpoints are untrusted URLs: only those of the known push services and
 * of `hosts` are called.
 */
export const createWebPush = (
  io: PushIo,
  connections: WebhookConnections,
  hosts: readonly string[] = [],
): PushService<VapidCredentials> => {
  const policy = { allowLoopbackHttp: connections.allowLoopbackHttp, hosts };
  const tokens = new SingleFlightCache<string>();
  const authorization = (credentials: VapidCredentials, origin: string): Promise<string> =>
    tokens.get(cacheKeyOf(credentials, origin), io.now(), async () => {
      const end = io.now() + TOKEN_LIFETIME_MS;
      return { value: signVapid(credentials, origin, end), until: end - EXPIRY_MARGIN_MS };
    });
  return {
    async send(request) {
      const { credentials, device, notification, dispatchId } = request;
      const origin = URL.parse(device.token)?.origin;
      const keys = readKeys(device.p256dh, device.auth);
      if (origin === undefined || !keys) return deadToken('webpush: the subscription has no address or keys');
      const fault = webPushFault(device.token, policy);
      if (fault !== undefined) return refusal('recipient', `webpush: the address ${fault}`);
      const content = contentOf(request);
      if (content.byteLength > MAX_CONTENT_BYTES)
        return refusal('content', `webpush: the content is longer than ${MAX_CONTENT_BYTES} bytes`);
      const body = encryptWebPush(content, keys);
      if (!body) return deadToken('webpush: the subscription has an invalid key');
      const reply = await postToPushEndpoint(
        {
          url: device.token,
          headers: {
            authorization: await authorization(credentials, origin),
            'content-type': 'application/octet-stream',
            'content-encoding': 'aes128gcm',
            ttl: String(TTL_SECONDS),
            urgency: notification.silent ? 'normal' : 'high',
            topic: topicOf(dispatchId),
          },
          body,
          timeoutMs: io.timeoutMs,
        },
        connections,
      );
      return answerOf(reply, dispatchId, io.now());
    },
    close: () => connections.close(),
  };
};
