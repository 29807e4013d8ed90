import type { ProviderAnswer, RefusedAnswer } from '../messages/provider.ts';
import type { PushCredentials } from './credentials.ts';

/** The platforms of push devices (decisions, part 6). */
export const PUSH_PLATFORMS = ['ios', 'android', 'web'] as const;
export type PushPlatform = (typeof PUSH_PLATFORMS)[number];

/** The credentials that carry a platform, as an app's settings name them. */
export const CREDENTIALS_OF = {
  ios: 'apns',
  android: 'fcm',
  web: 'vapid',
} as const satisfies Readonly<Record<PushPlatform, keyof PushCredentials>>;

/** Where a notification goes. Everything in it came from a device and is untrusted. */
export interface PushTarget {
  readonly platform: PushPlatform;
  /** The device's registration token; on the web, the subscription's endpoint, which is an https address. */
  readonly token: string;
  /** The browser's public key and secret in base64url (RFC 8291, 2): needed on the web, unused elsewhere. */
  readonly p256dh?: string | undefined;
  readonly auth?: string | undefined;
}

export interface PushAction {
  readonly label: string;
  /** The address that the button leads to; absent where it opens the app. */
  readonly link?: string | undefined;
}

/** What a notification shows and carries. */
export interface PushNotification {
  readonly title: string;
  readonly body: string;
  /** Where a tap on it leads. */
  readonly deepLink?: string | undefined;
  readonly imageUrl?: string | undefined;
  readonly actions?: readonly PushAction[] | undefined;
  /** More for the app: each arrives beside `dispatchId`, `deepLink`, `imageUrl` and `actions`, whose names it may not take. */
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Wakes the app and shows nothing: title, body and image stay out. */
  readonly silent?: boolean | undefined;
}

/** One notification to one device. */
export interface PushDispatch {
  /** The app's credentials, parsed. */
  readonly app: PushCredentials;
  readonly device: PushTarget;
  readonly notification: PushNotification;
  /** Our reference: the app gets it, and platforms that can show a repeated dispatch as one. */
  readonly dispatchId: string;
}

/**
 * What a push service said. As with every provider (ProviderAnswer), `refused` is certain and `unknown` is never sent again by
 * itself. `deadToken`: the service's word that the token reaches no device any more and shall not be used again.
 */
export type PushAnswer = Exclude<ProviderAnswer, RefusedAnswer> | PushRefusal;
export interface PushRefusal extends RefusedAnswer {
  readonly deadToken?: true;
}

/** Hands notifications to the push services; the device's platform decides which. */
export interface PushTransport {
  /**
   * Sends one notification once. Never throws; gives up with `unknown` in the time that it was made with. An app without credentials
   * for the platform is refused as `credentials`, with the missing setting's name in `detail`.
   */
  send(dispatch: PushDispatch): Promise<PushAnswer>;
  /** Ends kept connections; a later send opens them again. */
  close(): void;
}
