import * as z from 'zod';
import { KEY_SCOPES, MAX_OLD_SECRETS, OVERLAP_HOURS } from '../domain/access/keys.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import type { Scope } from '../domain/core/scopes.ts';
import { dateTime, environment, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'What a person calls the key.', example: 'Checkout service' });
const scopes = z
  .array(z.enum(KEY_SCOPES as [Scope, ...Scope[]]))
  .min(1)
  .max(KEY_SCOPES.length)
  .meta({
    description: "What the key may do. `contacts:pii` belongs to a person's session and stands on no key.",
    example: ['sms:send', 'sms:read'],
  });

const keyFields = {
  id: idSchema('apiKey', 'The id of the key: `key_` and 21 random characters. It stays when the secret is rotated.'),
  name,
  env: environment,
  scopes,
  last4: z.string().length(4).meta({ description: 'The last four characters of the current secret.', example: 'x7Qa' }),
  createdAt: dateTime('When the key was created.'),
  expiresAt: dateTime('From this moment on the key is refused. Absent: it does not expire.').optional(),
  rotatedAt: dateTime('When the secret was last rotated.').optional(),
  oldSecretsValidUntil: dateTime('Until when the secret before the current one still works.').optional(),
  revokedAt: dateTime('When the key was revoked.').optional(),
};

export const ApiKey = z.object(keyFields).meta({ id: 'ApiKey', description: 'An API key, without its secret.' });

export const IssuedApiKey = z
  .object({
    ...keyFields,
    key: z.string().meta({
      description:
        'The secret: send it as `Authorization: Bearer`. Shown in this answer only; the service keeps a SHA-256 of it.',
      example: 'svc_test_5nH2vKq8RtYb3LxWm9ZcJd7FgP1sTa4UeQo6BiXk',
    }),
  })
  .meta({ id: 'IssuedApiKey', description: 'An API key with its new secret.' });

export const CreateApiKey = z
  .strictObject({
    name,
    scopes,
    expiresAt: dateTime('From this moment on the key is refused; it must be in the future.').optional(),
  })
  .meta({ id: 'CreateApiKey', description: 'A key to create, in the environment of the credential.' });

export const RotateApiKey = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(OVERLAP_HOURS.maximum)
      .optional()
      .meta({
        description: `For how many hours the old secret works on: 0 to ${OVERLAP_HOURS.maximum}; ${OVERLAP_HOURS.standard} when absent. 0 ends every old secret at once.`,
        example: 24,
      }),
  })
  .meta({ id: 'RotateApiKey', description: 'How to rotate.' });

const params = z.object({ id: pathId('apiKey', 'The id of the key.') });

export const listKeys = defineOperation({
  id: 'keys.list',
  method: 'GET',
  path: '/v2/api-keys',
  tag: 'API keys',
  summary: 'List API keys, newest first',
  description:
    'Keys of the organization in the environment of the credential, expired and revoked ones included. A key created a moment ago may be missing from the items for about a second.',
  permission: 'keys:read',
  request: { query: z.strictObject({ limit: limit(50, 200), skip }) },
  responses: { 200: pageOf(ApiKey, 'keys').meta({ id: 'ApiKeyPage', description: 'A page of API keys.' }) },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { table: 'read' },
});

export const createKey = defineOperation({
  id: 'keys.create',
  method: 'POST',
  path: '/v2/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    'The secret is shown in this answer and never again. A key grants no scope that the caller lacks: 403. Raises apikey.created.',
  permission: 'keys:write',
  request: { body: CreateApiKey },
  responses: { 201: IssuedApiKey },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'] },
});

export const rotateKey = defineOperation({
  id: 'keys.rotate',
  method: 'POST',
  path: '/v2/api-keys/{id}/rotate',
  tag: 'API keys',
  summary: 'Give an API key a new secret',
  description: `The id, the scopes and the expiry stay. The old secret works on for \`overlapHours\`, so that callers can be changed one after another; at most ${MAX_OLD_SECRETS} old secrets work at a time, and none longer than the newest overlap. 403 when the key holds a scope that the caller lacks, since the answer shows its secret. 409 for a revoked or expired key. Raises apikey.rotated.`,
  permission: 'keys:write',
  request: { params, body: RotateApiKey },
  responses: { 200: IssuedApiKey },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'] },
});

export const revokeKey = defineOperation({
  id: 'keys.revoke',
  method: 'DELETE',
  path: '/v2/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description:
    'Every secret of the key is refused within 60 seconds, those of an overlap included. The key stays in the list with `revokedAt`; revoking it again changes nothing.',
  permission: 'keys:write',
  request: { params },
  responses: { 204: null },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  uses: { table: 'write' },
});
