import {
  CREDENTIALS_OF,
  type PushAnswer,
  type PushDispatch,
  type PushTransport,
} from '../../domain/channels/push/transport.ts';
import type { ProviderIo } from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';
import { createConnections, type WebhookConnections } from '../webhooks/connections.ts';
import { createApns } from './apns.ts';
import { createFcm } from './fcm.ts';
import { GOOGLE_TOKEN_URL } from './google-tokens.ts';
import type { PushIo } from './notification.ts';
import { createWebPush } from './webpush.ts';

/** Addresses and timeouts of the push services. Set by the operator, never by tenants: the addresses are trusted. */
export interface PushOptions {
  /** For a whole send, in ms. */
  readonly timeoutMs?: number | undefined;
  readonly fcmUrl?: string | undefined;
  readonly googleTokenUrl?: string | undefined;
  readonly apnsUrls?: { readonly production: string; readonly development: string } | undefined;
  /** CA certificates for APNs instead of the system's. */
  readonly apnsCa?: string | undefined;
  /** Connections to browsers' push services; by default they reach public HTTPS hosts only. */
  readonly connections?: WebhookConnections | undefined;
  /** Hosts of browsers' push services beside the known ones. */
  readonly webPushHosts?: readonly string[] | undefined;
}

const TIMEOUT_MS = 10_000;
const FCM_URL = 'https://fcm.googleapis.com';
/** Sending notification requests to APNs, Establish a connection to APNs. */
const APNS_URLS = { production: 'https://api.push.apple.com', development: 'https://api.sandbox.push.apple.com' };

/** FCM, APNs and Web Push behind the domain's push port. `send` never throws. */
export const createPushTransport = (io: ProviderIo, options: PushOptions = {}): PushTransport => {
  const { timeoutMs = TIMEOUT_MS, fcmUrl = FCM_URL, googleTokenUrl = GOOGLE_TOKEN_URL } = options;
  const { apnsUrls = APNS_URLS, apnsCa, connections = createConnections({ allowLoopbackHttp: false }) } = options;
  const pushIo: PushIo = { ...io, timeoutMs };
  const fcm = createFcm(pushIo, { fcm: fcmUrl, token: googleTokenUrl });
  const apns = createApns(pushIo, { urls: apnsUrls, ca: apnsCa });
  const webpush = createWebPush(pushIo, connections, options.webPushHosts);
  const sendByPlatform = ({ app, ...dispatch }: PushDispatch): Promise<PushAnswer> | PushAnswer => {
    const { platform } = dispatch.device;
    if (platform === 'ios' && app.apns) return apns.send({ ...dispatch, credentials: app.apns });
    if (platform === 'android' && app.fcm) return fcm.send({ ...dispatch, credentials: app.fcm });
    if (platform === 'web' && app.vapid) return webpush.send({ ...dispatch, credentials: app.vapid });
    return refusal(
      'credentials',
      `the app has no \`${CREDENTIALS_OF[platform]}\` credentials, which ${platform} needs`,
    );
  };
  return {
    async send(dispatch) {
      try {
        return await sendByPlatform(dispatch);
      } catch (fault) {
        return { kind: 'unknown', detail: `push: ${fault instanceof Error ? fault.name : 'unknown fault'}` };
      }
    },
    close() {
      for (const service of [fcm, apns, webpush]) service.close();
    },
  };
};
