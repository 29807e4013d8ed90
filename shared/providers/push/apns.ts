import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import type { ApnsCredentials } from '../../domain/channels/push/credentials.ts';
import type { PushAnswer } from '../../domain/channels/push/transport.ts';
import type { RefusalCause } from '../../domain/message/provider-port.ts';
import { parseJson, refusal, retryAfterSeconds } from '../http.ts';
import { Http2Connections } from './http2-connections.ts';
import type { Http2Reply } from './http2-session.ts';
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

/** Longest payload of a notification, in bytes (Generating a remote notification). */
const MAX_PAYLOAD_BYTES = 4096;
/** Tokens must be refreshed between every 20 and every 60 minutes (Establishing a token-based connection to APNs). */
const TOKEN_LIFETIME_MS = 50 * 60_000;
/**
 * `iat` is rounded down to this, in ms, so that concurrent processes issue the same token: Apple counts token changes per key and refuses
 * too many (TooManyProviderTokenUpdates).
 */
const ISSUED_AT_STEP_MS = 10 * 60_000;
/** Longest apns-collapse-id, in bytes. */
const MAX_COLLAPSE_BYTES = 64;

/**
 * Refusal causes by APNs reason (Handling notification responses from APNs). Unlisted ones (InternalServerError) leave the outcome unknown.
 */
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
 * Reasons after which a device token is dead for good. BadDeviceToken and DeviceTokenNotForTopic are not among them: an app with the wrong
 * environment or bundle id gets them for all of its devices, which must not be lost.
 */
const DEAD_TOKEN_REASONS: ReadonlySet<string> = new Set(['ExpiredToken', 'Unregistered']);

const problem = z.object({ reason: z.string().regex(/^[A-Za-z]{1,60}$/) });

/** `apns-id` of a dispatch: a UUID derived from its id (RFC 9562, 5.8: version 8). */
const apnsIdOf = (dispatchId: string): string => {
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
        // A notification service extension of the app fetches the image and adds the buttons.
        ...(imageUrl !== undefined || actions.length > 0 ? { 'mutable-content': 1 } : {}),
      };
  return JSON.stringify({ ...appDataOf(notification, dispatchId), aps });
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
  // APNs refuses priority 10 for background notifications.
  'apns-priority': notification.silent ? '5' : '10',
  'apns-expiration': String(Math.floor(now / 1000) + TTL_SECONDS),
  // A repeated dispatch replaces itself on the screen.
  ...(Buffer.byteLength(dispatchId) <= MAX_COLLAPSE_BYTES ? { 'apns-collapse-id': dispatchId } : {}),
});

const refusalOf = (reply: Extract<Http2Reply, { kind: 'answered' }>, now: number): PushAnswer => {
  const reason = parseJson(problem, reply.body)?.reason;
  const summary = `apns: HTTP ${reply.status}${reason ? ` ${reason}` : ''}`;
  const cause = reason === undefined ? undefined : APNS_CAUSES[reason];
  if (reason === undefined || !cause) return { kind: 'unknown', detail: summary };
  if (DEAD_TOKEN_REASONS.has(reason)) return deadToken(summary);
  const retryAfter = reply.headers['retry-after'];
  return refusal(cause, summary, retryAfterSeconds(typeof retryAfter === 'string' ? retryAfter : undefined, now));
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
  /** CA certificates instead of the system's. */
  readonly ca?: string | undefined;
}

/** Apple Push Notification service over HTTP/2 with token-based authentication (Sending notification requests to APNs). */
export const createApns = (io: PushIo, { urls, ca }: ApnsOptions): PushService<ApnsCredentials> => {
  const connections = new Http2Connections({ now: io.now, ca });
  const tokens = new SingleFlightCache<string>();
  const tokenOf = (credentials: ApnsCredentials): Promise<string> =>
    tokens.get(cacheKeyOf(credentials), io.now(), async () => {
      const issued = Math.floor(io.now() / ISSUED_AT_STEP_MS) * ISSUED_AT_STEP_MS;
      const { keyId: kid, teamId: iss, privateKey } = credentials;
      const value = signJwt('ES256', createPrivateKey(privateKey), { kid }, { iss, iat: issued / 1000 });
      return { value, until: issued + TOKEN_LIFETIME_MS };
    });
  return {
    async send(request) {
      const { credentials, device, dispatchId } = request;
      // Checked because it becomes part of the path.
      if (!/^[0-9a-f]{2,400}$/i.test(device.token)) return deadToken('apns: the device token is not hexadecimal');
      const body = payloadOf(request);
      if (Buffer.byteLength(body) > MAX_PAYLOAD_BYTES)
        return refusal('content', `apns: the payload is longer than ${MAX_PAYLOAD_BYTES} bytes`);
      const headers = headersOf(request, await tokenOf(credentials), io.now());
      // APNs binds a connection to the team and key of the first token sent over it.
      const name = [urls[credentials.environment], credentials.teamId, credentials.keyId].join(' ');
      const apnsRequest = { path: `/3/device/${device.token}`, headers, body };
      const reply = await connections.send(name, urls[credentials.environment], apnsRequest, io.timeoutMs);
      return answerOf(reply, apnsIdOf(dispatchId), io.now());
    },
    close: () => connections.close(),
  };
};
