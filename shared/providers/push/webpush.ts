import { createPrivateKey } from 'node:crypto';
import type { RefusalCause } from '../../domain/messages/provider.ts';
import type { VapidCredentials } from '../../domain/push/credentials.ts';
import type { PushAnswer } from '../../domain/push/transport.ts';
import { refusal, retryAfterSeconds } from '../http.ts';
import type { WebhookConnections } from '../webhooks/connections.ts';
import { signJwt } from './jwt.ts';
import { Kept, keyOf } from './kept.ts';
import {
  deadToken,
  digestOf,
  fieldsOf,
  type PushIo,
  type PushRequest,
  type PushService,
  TTL_SECONDS,
} from './notification.ts';
import { encryptWebPush, MOST_CONTENT_BYTES, readKeys } from './webpush-encryption.ts';
import { type PostReply, postToStranger } from './webpush-post.ts';

/** How long a VAPID token is good, in ms; 24 hours at most (RFC 8292, 2). */
const TOKEN_MS = 12 * 3_600_000;
/** A token is replaced so long before its end, in ms, that a wrong clock at the push service does not matter. */
const MARGIN_MS = 3_600_000;

/** What statuses mean (RFC 8030, 5 and 7.3; RFC 8292, 4.2; RFC 9110, 15). What is missing says nothing certain. */
const CAUSES: Readonly<Record<number, RefusalCause>> = {
  400: 'content',
  401: 'credentials',
  403: 'credentials',
  413: 'content',
  429: 'throttled',
};
/** The subscription has ended. */
const DEAD: ReadonlySet<number> = new Set([404, 410]);

/** A topic: at most 32 characters of base64url (RFC 8030, 5.4). A dispatch that comes twice replaces itself. */
const topicOf = (dispatchId: string): string =>
  /^[A-Za-z0-9_-]{1,32}$/.test(dispatchId) ? dispatchId : digestOf(dispatchId).toString('base64url').slice(0, 32);

/** The token as an `Authorization` header has it (RFC 8292, 3), signed for the push service's origin alone. */
const signVapid = ({ publicKey, privateKey, subject }: VapidCredentials, origin: string, until: number): string => {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: privateKey, x, y } });
  const claims = { aud: origin, exp: Math.floor(until / 1000), sub: subject };
  return `vapid t=${signJwt('ES256', key, {}, claims)}, k=${publicKey}`;
};

const contentOf = ({ notification, dispatchId }: PushRequest<VapidCredentials>): Buffer => {
  const { title, body, silent } = notification;
  const fields = fieldsOf(notification, dispatchId);
  return Buffer.from(JSON.stringify(silent ? { ...fields, silent: true } : { ...fields, title, body }));
};

/** The address of the message at the push service where it gives one that can be kept, else our reference. */
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
  if (DEAD.has(status)) return deadToken(detail);
  const wait = retryAfterSeconds(headers['retry-after'], now);
  const cause = CAUSES[status];
  if (cause) return refusal(cause, detail, wait);
  // Elsewhere is where the browser may look (RFC 8030, 8.3), not where a stranger sends us; nothing was taken here.
  if (status >= 300 && status < 400) return refusal('unavailable', `${detail}, a redirect`);
  // A service that says when to come again says that it did not take this; any other failure leaves that open.
  if (status === 503 && wait !== undefined) return refusal('unavailable', detail, wait);
  return { kind: 'unknown', detail };
};

/** Web Push: RFC 8030 with the encryption of RFC 8291 and the identification of RFC 8292. Endpoints are strangers' addresses. */
export const createWebPush = (io: PushIo, connections: WebhookConnections): PushService<VapidCredentials> => {
  const tokens = new Kept<string>();
  const authorization = (credentials: VapidCredentials, origin: string): Promise<string> =>
    tokens.get(keyOf(credentials, origin), io.now(), async () => {
      const end = io.now() + TOKEN_MS;
      return { value: signVapid(credentials, origin, end), until: end - MARGIN_MS };
    });
  return {
    async send(request) {
      const { credentials, device, notification, dispatchId } = request;
      const origin = URL.parse(device.token)?.origin;
      const keys = readKeys(device.p256dh, device.auth);
      if (origin === undefined || !keys) return deadToken('webpush: the subscription has no address or keys');
      const content = contentOf(request);
      if (content.byteLength > MOST_CONTENT_BYTES)
        return refusal('content', `webpush: the content is longer than ${MOST_CONTENT_BYTES} bytes`);
      const body = encryptWebPush(content, keys);
      if (!body) return deadToken('webpush: the subscription has a key that is none');
      const reply = await postToStranger(
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
