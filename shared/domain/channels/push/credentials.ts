import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { orUndefined } from '../../core/or-undefined.ts';

/** Parses a PEM private key; undefined if invalid. The parser's message is dropped, since it could reveal the secret. */
const privateKeyOf = (pem: string): KeyObject | undefined => orUndefined(() => createPrivateKey(pem));

/** RS256 needs RSA keys of at least 2048 bits (RFC 7518, 3.3). */
const isRsaKey = (pem: string): boolean => {
  const key = privateKeyOf(pem);
  return key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
};
/** ES256 needs P-256 keys (RFC 7518, 3.4), called prime256v1 in OpenSSL. */
const isP256Key = (pem: string): boolean => {
  const key = privateKeyOf(pem);
  return key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
};
const MAX_PEM = 8192;

/**
 * A Google service account's JSON key file (https://cloud.google.com/iam/docs/keys-create-delete). Other fields are dropped: its URLs
 * (token_uri) are untrusted and never called.
 */
export const fcmCredentials = z
  .object({
    project_id: z
      .string()
      .regex(/^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'must be the id of a Google Cloud project')
      .describe('The Firebase project of the app.'),
    private_key_id: z.string().min(1).max(100).optional().describe('The id of the key, which its signatures name.'),
    private_key: z
      .string()
      .max(MAX_PEM)
      .refine(isRsaKey, 'must be an RSA private key in PEM, of at least 2048 bits')
      .describe('The private key in PEM.'),
    client_email: z.email().max(254).describe("The service account's address."),
  })
  .describe('The JSON key file of a service account that may send by Firebase Cloud Messaging.');
export type FcmCredentials = z.infer<typeof fcmCredentials>;

const appleId = z.string().regex(/^[A-Z0-9]{10}$/, 'must be 10 capital letters and digits');

/** A signing key of an Apple developer account (Establishing a token-based connection to APNs). */
export const apnsCredentials = z
  .strictObject({
    keyId: appleId.describe('The key id of the signing key.'),
    teamId: appleId.describe('The team id of the developer account.'),
    privateKey: z
      .string()
      .max(MAX_PEM)
      .refine(isP256Key, 'must be a P-256 private key in PEM, as the .p8 file has it')
      .describe('The signing key: the content of the .p8 file.'),
    bundleId: z
      .string()
      .regex(/^[A-Za-z0-9.-]{1,155}$/, 'must be a bundle id')
      .describe("The app's bundle id, which is the topic of its notifications."),
    environment: z
      .enum(['production', 'development'])
      .default('production')
      .describe('The APNs environment that issued the device tokens.'),
  })
  .describe('Token-based access to the Apple Push Notification service.');
export type ApnsCredentials = z.infer<typeof apnsCredentials>;

/** Whether a VAPID private key (32 bytes, base64url) matches a public key (uncompressed point of 65 bytes). */
const isVapidPair = ({ publicKey, privateKey }: { publicKey: string; privateKey: string }): boolean => {
  const curve = createECDH('prime256v1');
  const found = orUndefined(() => {
    curve.setPrivateKey(Buffer.from(privateKey, 'base64url'));
    return curve.getPublicKey('base64url');
  });
  return found === publicKey;
};

/** VAPID keys of an application server (RFC 8292), in the usual base64url format. */
export const vapidCredentials = z
  .strictObject({
    publicKey: z
      .string()
      .regex(/^[A-Za-z0-9_-]{87}$/, 'must be 65 bytes in base64url')
      .describe('The public key that browsers subscribed with (applicationServerKey), in base64url.'),
    privateKey: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url')
      .describe('The private key, in base64url.'),
    subject: z
      .string()
      .max(300)
      .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: address')
      .describe('The contact address for push services: a mailto: or https: address.'),
  })
  .refine(isVapidPair, { path: ['privateKey'], message: 'must belong to publicKey' })
  .describe('The VAPID keys of a web app.');
export type VapidCredentials = z.infer<typeof vapidCredentials>;

/** An app's credentials, by platform; each optional. */
export const pushCredentials = z.strictObject({
  fcm: fcmCredentials.optional(),
  apns: apnsCredentials.optional(),
  vapid: vapidCredentials.optional(),
});
export type PushCredentials = z.infer<typeof pushCredentials>;
