import * as z from 'zod';
import { pushCredentials } from '../domain/channels/push/credentials.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  closedObject,
  count,
  dateTime,
  environment,
  flag,
  oneLine,
  openObject,
  optionalBoundedText,
  optionalFlag,
  optionalText,
  pathId,
} from './common.ts';
import { defineOperation } from './define-operation.ts';
import { pushPlatform } from './push-platform.ts';

const TAG = 'Push';
const MAX_TOKEN = 4_096;

const appId = idSchema('pushApp', 'The app that the device runs.');
const token = z
  .string()
  .min(1)
  .max(MAX_TOKEN)
  .regex(/^[^\p{Cc}\s]+$/u, 'must not contain spaces')
  .meta({
    description: "The device's registration token; on the web, the endpoint of the browser's subscription.",
    example: 'a1b2c3d4e5f60005',
  });
const appName = oneLine(100, 'A name for people.', 'Loja Azul');

const PushApp = openObject('PushApp', 'An app that push devices run; its credentials are never shown.', {
  id: idSchema('pushApp'),
  env: environment,
  name: appName,
  platforms: z.array(pushPlatform).meta({ description: 'The platforms that it has credentials for.' }),
  vapidPublicKey: optionalText('The public VAPID key, which browsers subscribe with (applicationServerKey).'),
  createdAt: dateTime('When the app was registered.'),
  updatedAt: dateTime('When the app was last changed.'),
});

const appParams = z.object({ id: pathId('pushApp', 'The id of the app.') });

const writes = {
  tag: TAG,
  permission: 'push:send',
  uses: { table: 'write', rootKeys: ['push', 'recipients'] },
} as const;

const reads = { tag: TAG, permission: 'push:read', uses: { table: 'read' } } as const;

export const createPushApp = defineOperation({
  ...writes,
  id: 'push.create-app',
  route: 'POST /v2/push/apps',
  summary: 'Register an app with its push credentials',
  description:
    'Each platform needs credentials of its own: FCM for android, APNs for ios, VAPID for web. They are stored sealed and never shown. The sandbox needs none. At most 50 apps.',
  body: closedObject('CreatePushApp', 'An app and the credentials of its platforms.', {
    name: appName,
    ...pushCredentials.shape,
  }),
  responses: { 201: PushApp },
  errors: ['VALIDATION_ERROR'],
});

export const listPushApps = defineOperation({
  ...reads,
  id: 'push.list-apps',
  route: 'GET /v2/push/apps',
  summary: 'List the apps, oldest first',
  answer: openObject('PushAppList', 'The apps of the environment.', {
    items: z.array(PushApp).meta({ description: 'All apps of the environment.' }),
    total: count('The number of apps.', 1),
  }),
});

export const getPushApp = defineOperation({
  ...reads,
  id: 'push.get-app',
  route: 'GET /v2/push/apps/{id}',
  summary: 'Read an app',
  params: appParams,
  answer: PushApp,
});

export const changePushApp = defineOperation({
  ...writes,
  id: 'push.change-app',
  route: 'PATCH /v2/push/apps/{id}',
  summary: "Change an app's name or credentials",
  description: "Absent fields stay; null removes a platform's credentials. Sends use new ones at once.",
  params: appParams,
  body: closedObject('ChangePushApp', 'A change to an app.', {
    name: appName.optional(),
    fcm: pushCredentials.shape.fcm.nullable(),
    apns: pushCredentials.shape.apns.nullable(),
    vapid: pushCredentials.shape.vapid.nullable(),
  }),
  answer: PushApp,
  errors: ['VALIDATION_ERROR'],
});

export const deletePushApp = defineOperation({
  ...writes,
  id: 'push.delete-app',
  route: 'DELETE /v2/push/apps/{id}',
  summary: 'Delete an app and its credentials',
  description: 'Its devices are excluded from all sends, including queued ones, and are not charged.',
  params: appParams,
  responses: { 204: null },
  uses: { table: 'write' },
});

const subscriptionKey = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}={0,2}$/, 'must be base64url')
    .optional()
    .meta({ description });

/** The body of a registration: docs/spec/push.md#devices. */
const RegisterPushToken = closedObject('RegisterPushToken', 'A device, and the person behind it.', {
  appId,
  token,
  platform: pushPlatform,
  p256dh: subscriptionKey("The browser's public key; required on the web."),
  auth: subscriptionKey("The browser's secret; required on the web."),
  externalId: optionalBoundedText(256, "The caller's own id of the person.", 'loja:42'),
  contactId: idSchema(
    'contact',
    'The contact that uses the device; nothing is sent to an opted-out contact.',
  ).optional(),
  userName: optionalBoundedText(256, "The person's name.", 'Ana Souza'),
  userEmail: optionalBoundedText(320, "The person's e-mail address.", 'ana@example.com'),
  userPhone: optionalBoundedText(64, "The person's phone.", '+5511999991234'),
  deviceName: optionalBoundedText(256, "The person's name for the device.", 'iPhone da Ana'),
  topics: z
    .array(z.string().min(1).max(64))
    .max(50)
    .optional()
    .meta({ description: 'The topics that the person is interested in.', example: ['ofertas'] }),
  optedIn: optionalFlag(
    'True reverts an opt-out. When absent, a new device is opted in, and a known one stays as it is.',
    true,
  ),
});

export const PushDevice = openObject('PushDevice', 'A push device; its token is never shown.', {
  id: idSchema('pushToken', 'The id of the device, for `tokenIds` of a send.'),
  appId,
  platform: pushPlatform,
  env: environment,
  optedIn: flag('Whether it receives sends.', true),
  optedOutAt: dateTime('When it opted out.').optional(),
  externalId: optionalText("The caller's own id of the person."),
  contactId: idSchema('contact').optional(),
  userName: optionalText("The person's name; masked without pii:full."),
  userEmail: optionalText("The person's address; masked without pii:full."),
  userPhone: optionalText("The person's phone; masked without pii:full."),
  deviceName: optionalText("The person's name for the device."),
  topics: z.array(z.string()).optional().meta({ description: 'The topics that the person is interested in.' }),
  createdAt: dateTime('When it was first registered.'),
  updatedAt: dateTime('When it was last registered or changed.'),
});

export const registerPushToken = defineOperation({
  ...writes,
  id: 'push.register-token',
  route: 'POST /v2/push/tokens',
  summary: 'Register or refresh a device',
  description:
    "Call it each time the app opens: it is idempotent per app and token. Omitted identification keeps its stored value, unless `contactId` differs from the stored one: then the former person's identification is deleted. A test key stores the device in the sandbox, where it receives sandbox pushes only; there the last four characters of the token determine the result of a push: 0006 and 0013 unreachable, 0008 a dead token, 0018 blocked, 0114 a push service without credit, any other delivered.",
  body: RegisterPushToken,
  answer: PushDevice,
  errors: ['NOT_FOUND'],
});

export const optOutPushToken = defineOperation({
  ...writes,
  id: 'push.opt-out-token',
  route: 'POST /v2/push/tokens/opt-out',
  summary: 'Opt a device out of further sends',
  description: "The device's row is kept. Registering the device again with `optedIn: true` reverts it.",
  body: closedObject('OptOutPushToken', 'The device that opts out.', { appId, token }),
  answer: PushDevice,
  errors: ['NOT_FOUND'],
});
