import type { ProviderAnswer, RefusedAnswer } from '../../message/provider-port.ts';
import type { PushCredentials } from './credentials.ts';

/** Platforms of push devices (docs/spec/push.md#apps). */
export const PUSH_PLATFORMS = ['ios', 'android', 'web'] as const;
export type PushPlatform = (typeof PUSH_PLATFORMS)[number];

/** The credentials that each platform uses. */
export const CREDENTIALS_OF = {
  ios: 'apns',
  android: 'fcm',
  web: 'vapid',
} as const satisfies Readonly<Record<PushPlatform, keyof PushCredentials>>;

/** A push destination. All fields come from a device and are untrusted. */
export interface PushTarget {
  readonly platform: PushPlatform;
  /** The registration token; on the web the subscription's endpoint, an https URL. */
  readonly token: string;
  /** The browser's public key and auth secret in base64url (RFC 8291, 2); required on the web, unused elsewhere. */
  readonly p256dh?: string | undefined;
  readonly auth?: string | undefined;
}

export interface PushAction {
  readonly label: string;
  /** URL that the button opens; absent if it opens the app. */
  readonly link?: string | undefined;
}

/** Content of a notification. */
export interface PushNotification {
  readonly title: string;
  readonly body: string;
  /** URL opened by a tap. */
  readonly deepLink?: string | undefined;
  readonly imageUrl?: string | undefined;
  readonly actions?: readonly PushAction[] | undefined;
  /** Additional data for the app, delivered with `dispatchId`, `deepLink`, `imageUrl` and `actions`, whose names are reserved. */
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Wakes the app without showing anything; title, body and image are omitted. */
  readonly silent?: boolean | undefined;
}

/** One notification to one device. */
export interface PushDispatch {
  /** The app's parsed credentials. */
  readonly app: PushCredentials;
  readonly device: PushTarget;
  readonly notification: PushNotification;
  /** Our reference: passed to the app, and used to collapse a repeated dispatch where the push service supports it. */
  readonly dispatchId: string;
}

/**
 * Answer of a push service. As with every provider (ProviderAnswer), `refused` is certain and `unknown` is never retried automatically.
 * `deadToken`: the service reports the token as permanently invalid.
 */
export type PushAnswer = Exclude<ProviderAnswer, RefusedAnswer> | PushRefusal;
export interface PushRefusal extends RefusedAnswer {
  readonly deadToken?: true;
}

/** Sends notifications through the push service of the device's platform. */
export interface PushTransport {
  /**
   * Sends one notification once. Never throws; returns `unknown` after the configured timeout. Without credentials for the platform it
   * returns a `credentials` refusal that names the missing setting in `detail`.
   */
  send(dispatch: PushDispatch): Promise<PushAnswer>;
  /** Closes idle connections; a later send reopens them. */
  close(): void;
}
