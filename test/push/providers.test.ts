import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import * as z from 'zod';
import {
  apnsCredentials,
  fcmCredentials,
  pushCredentials,
  vapidCredentials,
} from '../../shared/domain/channels/push/credentials.ts';
import { CREDENTIALS_OF, PUSH_PLATFORMS } from '../../shared/domain/channels/push/transport.ts';
import { vapidKeys } from '../support/providers/webpush-stand-in.ts';

const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (modulusLength = 2048) => pem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
const ec = (namedCurve = 'P-256') => pem(generateKeyPairSync('ec', { namedCurve }).privateKey);
const RSA = rsa();
const P256 = ec();

const fcm = {
  project_id: 'loja-de-teste',
  private_key_id: 'k1',
  private_key: RSA,
  client_email: 'a@loja.iam.gserviceaccount.com',
};
const apns = { keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', privateKey: P256, bundleId: 'br.com.loja.App' };
const vapid = vapidKeys();

it('accepts the key file of a service account as downloaded, and drops the addresses in it', () => {
  const file = { type: 'service_account', ...fcm, client_id: '1', token_uri: 'https://oauth2.googleapis.com/token' };
  expect(fcmCredentials.parse(file)).toEqual(fcm);
});

it('accepts the credentials of every platform, all together or none', () => {
  expect(pushCredentials.parse({ fcm, apns, vapid })).toEqual({
    fcm,
    apns: { ...apns, environment: 'production' },
    vapid,
  });
  expect(pushCredentials.parse({})).toEqual({});
  for (const platform of PUSH_PLATFORMS) expect(pushCredentials.shape).toHaveProperty(CREDENTIALS_OF[platform]);
});

it.each([
  ['a short RSA key', fcmCredentials, { ...fcm, private_key: rsa(1024) }, 'private_key'],
  ['a key of another kind for FCM', fcmCredentials, { ...fcm, private_key: P256 }, 'private_key'],
  ['text that is not a key', fcmCredentials, { ...fcm, private_key: 'segredo' }, 'private_key'],
  ['a project that changes the path', fcmCredentials, { ...fcm, project_id: '../x/segredo' }, 'project_id'],
  ['a key of another kind for APNs', apnsCredentials, { ...apns, privateKey: RSA }, 'privateKey'],
  ['a key on another curve', apnsCredentials, { ...apns, privateKey: ec('P-384') }, 'privateKey'],
  ['a malformed key id', apnsCredentials, { ...apns, keyId: 'segredo' }, 'keyId'],
  ['a bundle id with a line break', apnsCredentials, { ...apns, bundleId: 'a\r\nsegredo: 1' }, 'bundleId'],
  ['a VAPID key of another pair', vapidCredentials, { ...vapid, privateKey: vapidKeys().privateKey }, 'privateKey'],
  ['a VAPID key outside of the curve', vapidCredentials, { ...vapid, privateKey: 'A'.repeat(43) }, 'privateKey'],
  ['a subject that is no contact address', vapidCredentials, { ...vapid, subject: 'segredo' }, 'subject'],
] as const)('refuses, naming the field without repeating its value: %s', (_, schema, input, field) => {
  const { error } = schema.safeParse(input);
  expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  const value = String((input as Readonly<Record<string, unknown>>)[field]);
  expect(error?.issues.some(({ message }) => message.includes(value.slice(0, 40)) || message.includes('segredo'))).toBe(
    false,
  );
});

it('describes every credential in the documentation', () => {
  const document = z.toJSONSchema(pushCredentials, { io: 'input' }) as {
    readonly properties: Readonly<Record<string, { readonly description?: string; readonly properties: object }>>;
  };
  for (const { description, properties } of Object.values(document.properties)) {
    expect(description).toBeTruthy();
    for (const property of Object.values(properties)) expect(property).toHaveProperty('description');
  }
});
