import * as z from 'zod';
import { pushCredentials } from '../domain/channels/push/credentials.ts';
import { PUSH_PLATFORMS } from '../domain/channels/push/transport.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { dateTime, environment, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

const TAG = 'Push';
const MAX_TOKEN = 4_096;

export const pushPlatform = z
  .enum(PUSH_PLATFORMS)
  .meta({ description: 'What the device is: ios by APNs, android by FCM, web by Web Push.', example: 'ios' });
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
const appName = z.string().min(1).max(100).meta({ description: 'What people call the app.', example: 'Loja Azul' });

const PushApp = z
  .object({
    id: idSchema('pushApp'),
    env: environment,
    name: appName,
    platforms: z.array(pushPlatform).meta({ description: 'The platforms that it holds credentials for.' }),
    vapidPublicKey: z.string().optional().meta({
      description: 'The public VAPID key, which browsers subscribe with (applicationServerKey).',
    }),
    createdAt: dateTime('When the app was registered.'),
    updatedAt: dateTime('When the app was last changed.'),
  })
  .meta({ id: 'PushApp', description: 'An app that push devices run; its credentials are never shown.' });

const errors = ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'] as const;
const appParams = z.object({ id: pathId('pushApp', 'The id of the app.') });

export const createPushApp = defineOperation({
  id: 'push.create-app',
  method: 'POST',
  path: '/v2/push/apps',
  tag: TAG,
  summary: 'Register an app with its push credentials',
  description:
    'Each platform is reached with credentials of its own: FCM for android, APNs for ios, VAPID for web. They are sealed when they are stored and never shown. In the sandbox none is needed. At most 50 apps.',
  permission: 'push:send',
  request: {
    body: z
      .strictObject({ name: appName, ...pushCredentials.shape })
      .meta({ id: 'CreatePushApp', description: 'An app and the credentials of its platforms.' }),
  },
  responses: { 201: PushApp },
  errors: [...errors, 'VALIDATION_ERROR'],
  uses: { table: 'write', vault: true },
});

export const listPushApps = defineOperation({
  id: 'push.list-apps',
  method: 'GET',
  path: '/v2/push/apps',
  tag: TAG,
  summary: 'List the apps, oldest first',
  permission: 'push:read',
  request: {},
  responses: {
    200: z
      .object({
        items: z.array(PushApp).meta({ description: 'All apps of the environment.' }),
        total: z.int().min(0).meta({ description: 'How many there are.', example: 1 }),
      })
      .meta({ id: 'PushAppList', description: 'The apps of the environment.' }),
  },
  errors,
  uses: { table: 'read' },
});

export const getPushApp = defineOperation({
  id: 'push.get-app',
  method: 'GET',
  path: '/v2/push/apps/{id}',
  tag: TAG,
  summary: 'Read an app',
  permission: 'push:read',
  request: { params: appParams },
  responses: { 200: PushApp },
  errors: [...errors, 'NOT_FOUND'],
  uses: { table: 'read' },
});

export const changePushApp = defineOperation({
  id: 'push.change-app',
  method: 'PATCH',
  path: '/v2/push/apps/{id}',
  tag: TAG,
  summary: "Change an app's name or credentials",
  description: 'What is absent stays; null takes the credentials of a platform away. Sends use the new ones at once.',
  permission: 'push:send',
  request: {
    params: appParams,
    body: z
      .strictObject({
        name: appName.optional(),
        fcm: pushCredentials.shape.fcm.nullable(),
        apns: pushCredentials.shape.apns.nullable(),
        vapid: pushCredentials.shape.vapid.nullable(),
      })
      .meta({ id: 'ChangePushApp', description: 'What is to change.' }),
  },
  responses: { 200: PushApp },
  errors: [...errors, 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write', vault: true },
});

export const deletePushApp = defineOperation({
  id: 'push.delete-app',
  method: 'DELETE',
  path: '/v2/push/apps/{id}',
  tag: TAG,
  summary: 'Delete an app and its credentials',
  description: 'Its devices leave all sends, those that are queued included, and are not charged.',
  permission: 'push:send',
  request: { params: appParams },
  responses: { 204: null },
  errors: [...errors, 'NOT_FOUND'],
  uses: { table: 'write' },
});

const optionalText = (description: string, example: string, maxLength = 256) =>
  z.string().min(1).max(maxLength).optional().meta({ description, example });
const subscriptionKey = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}={0,2}$/, 'must be base64url')
    .optional()
    .meta({ description });

/** The body of a registration: docs/spec/push.md#devices. */
const RegisterPushToken = z
  .strictObject({
    appId,
    token,
    platform: pushPlatform,
    p256dh: subscriptionKey("The browser's public key; required on the web."),
    auth: subscriptionKey("The browser's secret; required on the web."),
    externalId: optionalText("The caller's own id of the person.", 'loja:42'),
    contactId: idSchema('contact', 'The contact whose device it is; an opted-out contact is not reached.').optional(),
    userName: optionalText("The person's name.", 'Ana Souza'),
    userEmail: optionalText("The person's e-mail address.", 'ana@example.com', 320),
    userPhone: optionalText("The person's phone.", '+5511999991234', 64),
    deviceName: optionalText('What the person calls the device.', 'iPhone da Ana'),
    topics: z
      .array(z.string().min(1).max(64))
      .max(50)
      .optional()
      .meta({ description: 'What the person wants to hear of.', example: ['ofertas'] }),
    optedIn: z.boolean().optional().meta({
      description:
        'True takes an opt-out back. A new device that does not say is opted in; a known one stays as it is.',
      example: true,
    }),
  })
  .meta({ id: 'RegisterPushToken', description: 'A device, and the person behind it.' });

const PushDevice = z
  .object({
    id: idSchema('pushToken', 'Names the device in `tokenIds` of a send.'),
    appId,
    platform: pushPlatform,
    env: environment,
    optedIn: z.boolean().meta({ description: 'Whether sends reach it.', example: true }),
    optedOutAt: dateTime('When it opted out.').optional(),
    externalId: z.string().optional().meta({ description: "The caller's own id of the person." }),
    contactId: idSchema('contact').optional(),
    userName: z.string().optional().meta({ description: "The person's name; masked without pii:full." }),
    userEmail: z.string().optional().meta({ description: "The person's address; masked without pii:full." }),
    userPhone: z.string().optional().meta({ description: "The person's phone; masked without pii:full." }),
    deviceName: z.string().optional().meta({ description: 'What the person calls the device.' }),
    topics: z.array(z.string()).optional().meta({ description: 'What the person wants to hear of.' }),
    createdAt: dateTime('When it was first registered.'),
    updatedAt: dateTime('When it was last registered or changed.'),
  })
  .meta({ id: 'PushDevice', description: 'A push device; its token is never shown.' });

export const registerPushToken = defineOperation({
  id: 'push.register-token',
  method: 'POST',
  path: '/v2/push/tokens',
  tag: TAG,
  summary: 'Register or refresh a device',
  description:
    'Call it at every app open: it is idempotent per app and token. Identification that is omitted keeps its stored value, unless `contactId` names another contact than before: then nothing of the former person stays. A test key stores the device in the sandbox, where it receives sandbox pushes only; there the last four characters of the token decide what becomes of a push: 0006 and 0013 unreachable, 0008 a dead token, 0018 blocked, 0114 a push service without credit, any other delivered.',
  permission: 'push:send',
  request: { body: RegisterPushToken },
  responses: { 200: PushDevice },
  errors: [...errors, 'NOT_FOUND'],
  uses: { table: 'write', vault: true },
});

export const optOutPushToken = defineOperation({
  id: 'push.opt-out-token',
  method: 'POST',
  path: '/v2/push/tokens/opt-out',
  tag: TAG,
  summary: 'Take a device out of all following sends',
  description: 'The row stays. Registering the device again with `optedIn: true` brings it back.',
  permission: 'push:send',
  request: {
    body: z.strictObject({ appId, token }).meta({ id: 'OptOutPushToken', description: 'The device that opts out.' }),
  },
  responses: { 200: PushDevice },
  errors: [...errors, 'NOT_FOUND'],
  uses: { table: 'write', vault: true },
});
