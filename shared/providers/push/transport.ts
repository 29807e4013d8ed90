import type { ProviderIo } from '../../domain/messages/provider.ts';
import { CREDENTIALS_OF, type PushAnswer, type PushDispatch, type PushTransport } from '../../domain/push/transport.ts';
import { refusal } from '../http.ts';
import { createConnections, type WebhookConnections } from '../webhooks/connections.ts';
import { createApns } from './apns.ts';
import { createFcm } from './fcm.ts';
import { GOOGLE_TOKEN_URL } from './google-tokens.ts';
import type { PushIo } from './notification.ts';
import { createWebPush } from './webpush.ts';

/** Where push services are and how long they may take. An operator's, never a tenant's: what is called here is trusted. */
export interface PushOptions {
  /** For a whole send, in ms. */
  readonly timeoutMs?: number | undefined;
  readonly fcmUrl?: string | undefined;
  readonly googleTokenUrl?: string | undefined;
  readonly apnsUrls?: { readonly production: string; readonly development: string } | undefined;
  /** Certificates to trust at Apple's addresses instead of the system's. */
  readonly apnsCa?: string | undefined;
  /** Connections to browsers' push services, which are strangers; public https hosts only unless others are given. */
  readonly connections?: WebhookConnections | undefined;
}

const TIMEOUT_MS = 10_000;
const FCM_URL = 'https://fcm.googleapis.com';
/** Sending notification requests to APNs, Establish a connection to APNs. */
const APNS_URLS = { production: 'https://api.push.apple.com', development: 'https://api.sandbox.push.apple.com' };

/** The product's push services behind one port; each is opened at its first send. */
export const createPushTransport = (
  io: Pick<ProviderIo, 'fetch' | 'now'>,
  options: PushOptions = {},
): PushTransport => {
  const { timeoutMs = TIMEOUT_MS, fcmUrl = FCM_URL, googleTokenUrl = GOOGLE_TOKEN_URL } = options;
  const { apnsUrls = APNS_URLS, apnsCa, connections = createConnections({ allowLoopbackHttp: false }) } = options;
  const pushIo: PushIo = { ...io, timeoutMs };
  const fcm = createFcm(pushIo, { fcm: fcmUrl, token: googleTokenUrl });
  const apns = createApns(pushIo, { urls: apnsUrls, ca: apnsCa });
  const webpush = createWebPush(pushIo, connections);
  const choose = ({ app, ...dispatch }: PushDispatch): Promise<PushAnswer> | PushAnswer => {
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
        return await choose(dispatch);
      } catch (fault) {
        return { kind: 'unknown', detail: `push: ${fault instanceof Error ? fault.name : 'unknown fault'}` };
      }
    },
    close() {
      for (const service of [fcm, apns, webpush]) service.close();
    },
  };
};
