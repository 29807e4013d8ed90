import * as z from 'zod';
import { AUDIT_ACTIONS, AUDIT_ACTOR_KINDS } from '../domain/audit/entry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { byCursor, count, cursorPageOf, dateTime, openObject, optionalText, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const ACTION_EXAMPLE = 'webhook.changed' satisfies (typeof AUDIT_ACTIONS)[number];

const AuditActor = openObject('AuditActor', 'Who acted.', {
  id: text(
    'The id of the API key or account; `operator` for the operator of the service.',
    'key_4hJ9sKq2LmN8pRt5VwXz1',
  ),
  kind: z.enum(AUDIT_ACTOR_KINDS).meta({
    description: 'An API key, a person in a session (account), or the operator of the service.',
    example: 'key',
  }),
  name: optionalText(
    'The current name of the key or person; absent for the operator and for a deleted key or person.',
    'Checkout',
  ),
});

const AuditDetails = openObject(
  'AuditDetails',
  'Details of the act. Never personal data, a secret, or a text that was sent.',
  {
    fields: z
      .array(z.string())
      .optional()
      .meta({
        description: 'The names of the fields that were set, never their values.',
        example: ['url', 'events'],
      }),
    channel: optionalText('The channel concerned.', 'sms'),
    route: optionalText('The route concerned.', 'premium'),
    providers: z.array(z.string()).optional().meta({ description: 'The providers of a route, in their order.' }),
    coins: z.int().optional().meta({ description: 'A sum in coins: 1 coin = R$ 0.0001.', example: 10_000 }),
    count: count('How many objects were concerned.', 12).optional(),
    effectiveFrom: dateTime('The time from which it applies.').optional(),
    overlapHours: count('For how many hours the old secret remains valid.', 24).optional(),
    onlyThis: z
      .boolean()
      .optional()
      .meta({ description: 'For a revocation: whether the keys below were kept.', example: false }),
    cookieReused: z.boolean().optional().meta({
      description:
        "Of a session's end: whether a cookie was presented that had been replaced, so that two parties had it.",
      example: true,
    }),
  },
);

export const AuditEntry = openObject(
  'AuditEntry',
  'One act that changed how the organization is set up, or one lookup of a person.',
  {
    id: idSchema('auditEntry'),
    at: dateTime('When it was done.'),
    actor: AuditActor,
    action: z.enum(AUDIT_ACTIONS).meta({ description: 'What was done.', example: ACTION_EXAMPLE }),
    object: text('The id of the object of the act.', 'wbh_4hJ9sKq2LmN8pRt5VwXz1'),
    ip: optionalText('The address that the request came from; absent for the operator.', '203.0.113.10'),
    requestId: optionalText('The `requestId` of the request.', 'req_4hJ9sKq2LmN8pRt5VwXz1'),
    details: AuditDetails,
  },
);

export const listAudit = defineOperation({
  id: 'audit.list',
  route: 'GET /v2/audit',
  tag: 'Audit',
  summary: 'Read the audit log, newest first',
  description:
    'The acts in the environment of the credential, with actor and address. Kept for 400 days. Filters can be combined; the list ends where `nextCursor` is absent.',
  permission: 'audit:read',
  query: z.strictObject({
    actor: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'Only acts of this key or account, or of `operator`.' }),
    action: z.enum(AUDIT_ACTIONS).optional().meta({ description: 'Only acts of this kind.' }),
    object: z.string().min(1).max(256).optional().meta({ description: 'Only acts on this object.' }),
    from: dateTime('Only acts at or after this time.').optional(),
    to: dateTime('Only acts at or before this time.').optional(),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(AuditEntry, 'AuditPage', 'the audit log', 'entries'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});
