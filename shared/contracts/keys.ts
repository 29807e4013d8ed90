import * as z from 'zod';
import { isIpRange } from '../domain/access/ip-ranges.ts';
import { KEY_SCOPES, MAX_IP_RANGES } from '../domain/access/keys.ts';
import { MAX_OLD_SECRETS, OVERLAP_HOURS } from '../domain/access/rotate-key.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import type { Scope } from '../domain/core/scopes.ts';
import { closedObject, dateTime, environment, oneLine, openObject, paged, pageOf, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const name = oneLine(100, 'A name for people.', 'Checkout service');
const scopes = z
  .array(z.enum(KEY_SCOPES as [Scope, ...Scope[]]))
  .min(1)
  .max(KEY_SCOPES.length)
  .meta({
    description: "The permissions of the key. `contacts:pii` is for a person's session only; no key can have it.",
    example: ['sms:send', 'sms:read'],
  });

export const ipRanges = (description: string) =>
  z
    .array(
      z
        .string()
        .max(60)
        .refine(isIpRange, 'must be an IPv4 or IPv6 address or CIDR block without bits after its prefix'),
    )
    .min(1)
    .max(MAX_IP_RANGES)
    .meta({ description, example: ['203.0.113.0/24', '2001:db8::/32'] });

const keyFields = {
  id: idSchema(
    'apiKey',
    'The id of the key: `key_` and 21 random characters. A rotation of the secret does not change it.',
  ),
  name,
  env: environment,
  scopes,
  createdBy: z
    .union([idSchema('account'), idSchema('apiKey')])
    .optional()
    .meta({
      description:
        'Who created the key: a person (`acc_…`), or a key (`key_…`), with which it expires and is revoked. Absent: the operator.',
      example: 'key_3nH2vKq8RtYb3LxWm9ZcJ',
    }),
  allowedIps: ipRanges(
    'The addresses that the key may be used from, within those of the keys above it. Absent: any.',
  ).optional(),
  last4: z.string().length(4).meta({ description: 'The last four characters of the current secret.', example: 'x7Qa' }),
  createdAt: dateTime('When the key was created.'),
  expiresAt: dateTime('The key is refused from this time on. Absent: it does not expire.').optional(),
  rotatedAt: dateTime('When the secret was last rotated.').optional(),
  oldSecretsValidUntil: dateTime('Until when the previous secret still works.').optional(),
  revokedAt: dateTime('When the key was revoked, itself or with a key above it.').optional(),
  lastUsedAt: dateTime('When the key was last used, up to 5 minutes behind.').optional(),
  lastUsedIp: text('The address of that use.', '203.0.113.7').optional(),
};

export const ApiKey = openObject('ApiKey', 'An API key, without its secret.', keyFields);

export const IssuedApiKey = openObject('IssuedApiKey', 'An API key with its new secret.', {
  ...keyFields,
  key: text(
    'The secret: send it as `Authorization: Bearer`. Shown in this response only; the service stores its SHA-256.',
    'svc_test_5nH2vKq8RtYb3LxWm9ZcJd7FgP1sTa4UeQo6BiXk',
  ),
});

export const CreateApiKey = closedObject('CreateApiKey', 'A key to create, in the environment of the credential.', {
  name,
  scopes,
  expiresAt: dateTime(
    'The key is refused from this time on; it must be in the future. No later than that of the key that creates it.',
  ).optional(),
  allowedIps: ipRanges(
    `From where the key may be used: 1 to ${MAX_IP_RANGES} addresses or CIDR blocks. Absent: the addresses of the key that creates it. From any other address: 403 with \`meta.motivo\` ip_not_allowed.`,
  ).optional(),
});

export const ChangeApiKey = z
  .strictObject({
    name: name.optional(),
    allowedIps: ipRanges('The new list, in place of the old one; null removes the list of the key.')
      .nullable()
      .optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must change something')
  .meta({ id: 'ChangeApiKey', description: 'What to change of a key.' });

export const RotateApiKey = closedObject('RotateApiKey', 'The overlap of a rotation.', {
  overlapHours: z
    .int()
    .min(0)
    .max(OVERLAP_HOURS.maximum)
    .optional()
    .meta({
      description: `For how many hours the old secret keeps working: 0 to ${OVERLAP_HOURS.maximum}; ${OVERLAP_HOURS.standard} when absent. 0 ends every old secret at once.`,
      example: 24,
    }),
});

const params = z.object({ id: pathId('apiKey', 'The id of the key.') });

const reads = { tag: 'API keys', permission: 'keys:read', uses: { table: 'read' } } as const;

export const listKeys = defineOperation({
  ...reads,
  id: 'keys.list',
  route: 'GET /v2/api-keys',
  summary: 'List API keys, newest first',
  description:
    'Keys of the organization in the environment of the credential, including expired and revoked ones. A key created a moment ago may be missing for about a second.',
  query: z.strictObject({ ...paged(50, 200) }),
  answer: pageOf(ApiKey, 'ApiKeyPage', 'keys', 'API keys'),
  errors: ['VALIDATION_ERROR'],
});

export const getKey = defineOperation({
  ...reads,
  id: 'keys.get',
  route: 'GET /v2/api-keys/{id}',
  summary: 'Read an API key',
  description: 'A key of the organization in the environment of the credential, revoked or not.',
  params,
  answer: ApiKey,
});

const writes = {
  tag: 'API keys',
  permission: 'keys:write',
  uses: { table: 'write', queues: ['events'], writes: ['credentials'] },
} as const;

export const createKey = defineOperation({
  ...writes,
  id: 'keys.create',
  route: 'POST /v2/api-keys',
  summary: 'Create an API key',
  description:
    'The secret is shown in this response and never again. 403 for a scope that the caller lacks, or an address that it may not call from. A key that was created by a key expires no later than that key, and is revoked with it. Raises apikey.created.',
  body: CreateApiKey,
  responses: { 201: IssuedApiKey },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
});

export const rotateKey = defineOperation({
  ...writes,
  id: 'keys.rotate',
  route: 'POST /v2/api-keys/{id}/rotate',
  summary: "Rotate an API key's secret",
  description: `The id, the scopes and the expiry do not change. The old secret keeps working for \`overlapHours\`, so that callers can be changed one after another; at most ${MAX_OLD_SECRETS} old secrets work at a time, and none longer than the newest overlap. A key can rotate only itself and the keys below it, a person in a session any key: else 403, and also if the key has a scope that the caller lacks, or may be used from addresses that the caller lacks, since the response shows its secret. 409 for a revoked or expired key. Raises apikey.rotated.`,
  params,
  body: RotateApiKey,
  answer: IssuedApiKey,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const changeKey = defineOperation({
  ...writes,
  id: 'keys.change',
  route: 'PATCH /v2/api-keys/{id}',
  summary: 'Change an API key',
  description:
    'Its name, and where it may be used from, which takes effect within 60 seconds. To set addresses, the caller needs every scope of the key, and must itself be allowed to call from all of them: else 403. 409 for a revoked or expired key.',
  params,
  body: ChangeApiKey,
  answer: ApiKey,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});

export const revokeKey = defineOperation({
  ...writes,
  id: 'keys.revoke',
  route: 'DELETE /v2/api-keys/{id}',
  summary: 'Revoke an API key',
  description:
    'Every secret of the key, including those of an overlap, is refused within 60 seconds, and so is every key below it, unless `only=this` keeps these. The key stays in the list with `revokedAt`. Revoking it again without `only` revokes the keys that were kept, and changes nothing else.',
  params,
  query: z.strictObject({
    only: z.literal('this').optional().meta({ description: 'Keeps the keys that this one created.', example: 'this' }),
  }),
  responses: { 204: null },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', writes: ['credentials'] },
});
