import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import type { RefusalCause } from '../../domain/messages/provider.ts';
import type { ApnsCredentials } from '../../domain/push/credentials.ts';
import type { PushAnswer } from '../../domain/push/transport.ts';
import { parseJson, refusal, retryAfterSeconds } from '../http.ts';
import { Http2Connections } from './http2-connections.ts';
import type { Http2Reply } from './http2-session.ts';
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

/** The longest payload of a notification, in bytes (Generating a remote notification). */
const MOST_PAYLOAD_BYTES = 4096;
/** Tokens are refreshed no more often than every 20 minutes and no less than every 60 (Establishing a token-based connection to APNs). */
const TOKEN_MS = 50 * 60_000;
/**
 * Processes that start together date their tokens alike, in ms: Apple counts changes of the token per key, and takes many machines
 * with moments of their own for one that changes it too often.
 */
const ALIGN_MS = 10 * 60_000;
/** The longest apns-collapse-id, in bytes. */
const MOST_COLLAPSE_BYTES = 64;

/** The reasons of APNs (Handling notification responses from APNs). What is missing says nothing certain: InternalServerError. */
const APNS_CAUSES: Readonly<Record<string, RefusalCause>> = {
  BadDeviceToken: 'recipient',
  DeviceTokenNotForTopic: 'recipient',
  ExpiredToken: 'recipient',
  MissingDeviceToken: 'recipient',
  Unregistered: 'recipient',
  BadCollapseId: 'content',
  BadExpirationDate: 'content',
  BadMessageId: 'content',
  BadPath: 'content',
  BadPriority: 'content',
  DuplicateHeaders: 'content',
  InvalidPushType: 'content',
  MethodNotAllowed: 'content',
  PayloadEmpty: 'content',
  PayloadTooLarge: 'content',
  BadTopic: 'sender',
  MissingTopic: 'sender',
  TopicDisallowed: 'sender',
  BadCertificate: 'credentials',
  BadCertificateEnvironment: 'credentials',
  BadEnvironmentKeyInToken: 'credentials',
  ExpiredProviderToken: 'credentials',
  Forbidden: 'credentials',
  InvalidProviderToken: 'credentials',
  MissingProviderToken: 'credentials',
  UnrelatedKeyIdInToken: 'credentials',
  TooManyProviderTokenUpdates: 'throttled',
  TooManyRequests: 'throttled',
  IdleTimeout: 'unavailable',
  ServiceUnavailable: 'unavailable',
  Shutdown: 'unavailable',
};
/**
 * Reasons that a token does not recover from. BadDeviceToken and DeviceTokenNotForTopic are none: an app that was registered with the
 * wrong environment or bundle is told the same of every one of its devices, and none of them may be lost by that.
 */
const DEAD: ReadonlySet<string> = new Set(['ExpiredToken', 'Unregistered']);

const problem = z.object({ reason: z.string().regex(/^[A-Za-z]{1,60}$/) });

/** Our reference as the UUID that `apns-id` takes, always the same for a dispatch (RFC 9562, 5.8: version 8). */
export const apnsIdOf = (dispatchId: string): string => {
  const bytes = digestOf(dispatchId).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const payloadOf = ({ notification, dispatchId }: PushRequest<ApnsCredentials>): string => {
  const { title, body, imageUrl, actions = [], silent } = notification;
  const aps = silent
    ? { 'content-available': 1 }
    : {
        alert: { title, body },
        sound: 'default',
        // An extension of the app fetches the image and makes the buttons.
        ...(imageUrl !== undefined || actions.length > 0 ? { 'mutable-content': 1 } : {}),
      };
  return JSON.stringify({ ...fieldsOf(notification, dispatchId), aps });
};

const headersOf = (
  { credentials, notification, dispatchId }: PushRequest<ApnsCredentials>,
  jwt: string,
  now: number,
) => ({
  authorization: `bearer ${jwt}`,
  'apns-id': apnsIdOf(dispatchId),
  'apns-topic': credentials.bundleId,
  'apns-push-type': notification.silent ? 'background' : 'alert',
  // A background notification with priority 10 is an error.
  'apns-priority': notification.silent ? '5' : '10',
  'apns-expiration': String(Math.floor(now / 1000) + TTL_SECONDS),
  // A dispatch that comes twice is shown as one.
  ...(Buffer.byteLength(dispatchId) <= MOST_COLLAPSE_BYTES ? { 'apns-collapse-id': dispatchId } : {}),
});

const refusalOf = (reply: Extract<Http2Reply, { kind: 'answered' }>, now: number): PushAnswer => {
  const reason = parseJson(problem, reply.body)?.reason;
  const words = `apns: HTTP ${reply.status}${reason ? ` ${reason}` : ''}`;
  const cause = reason === undefined ? undefined : APNS_CAUSES[reason];
  if (reason === undefined || !cause) return { kind: 'unknown', detail: words };
  if (DEAD.has(reason)) return deadToken(words);
  const wait = reply.headers['retry-after'];
  return refusal(cause, words, retryAfterSeconds(typeof wait === 'string' ? wait : undefined, now));
};

const answerOf = (reply: Http2Reply, apnsId: string, now: number): PushAnswer => {
  if (reply.kind === 'not_sent') return refusal('unavailable', `apns cannot be reached: ${reply.detail}`);
  if (reply.kind === 'lost') return { kind: 'unknown', detail: `apns: ${reply.detail}` };
  if (reply.status !== 200) return refusalOf(reply, now);
  const named = reply.headers['apns-id'];
  return typeof named === 'string' && named.toLowerCase() === apnsId
    ? { kind: 'accepted', providerMessageId: apnsId }
    : { kind: 'unknown', detail: 'apns: HTTP 200 without our apns-id' };
};

export interface ApnsOptions {
  readonly urls: Readonly<Record<ApnsCredentials['environment'], string>>;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
}

/** Apple Push Notification service over HTTP/2 with token-based authentication (Sending notification requests to APNs). */
export const createApns = (io: PushIo, { urls, ca }: ApnsOptions): PushService<ApnsCredentials> => {
  const connections = new Http2Connections({ now: io.now, ca });
  const tokens = new Kept<string>();
  const tokenOf = (credentials: ApnsCredentials): Promise<string> =>
    tokens.get(keyOf(credentials), io.now(), async () => {
      const issued = Math.floor(io.now() / ALIGN_MS) * ALIGN_MS;
      const { keyId: kid, teamId: iss, privateKey } = credentials;
      const value = signJwt('ES256', createPrivateKey(privateKey), { kid }, { iss, iat: issued / 1000 });
      return { value, until: issued + TOKEN_MS };
    });
  return {
    async send(request) {
      const { credentials, device, dispatchId } = request;
      // The token becomes part of a path.
      if (!/^[0-9a-f]{2,400}$/i.test(device.token)) return deadToken('apns: the device token is not hexadecimal');
      const body = payloadOf(request);
      if (Buffer.byteLength(body) > MOST_PAYLOAD_BYTES)
        return refusal('content', `apns: the payload is longer than ${MOST_PAYLOAD_BYTES} bytes`);
      const headers = headersOf(request, await tokenOf(credentials), io.now());
      // A connection belongs to the team, and the key, whose token came over it first.
      const name = [urls[credentials.environment], credentials.teamId, credentials.keyId].join(' ');
      const asked = { path: `/3/device/${device.token}`, headers, body };
      const reply = await connections.send(name, urls[credentials.environment], asked, io.timeoutMs);
      return answerOf(reply, apnsIdOf(dispatchId), io.now());
    },
    close: () => connections.close(),
  };
};
