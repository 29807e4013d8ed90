import * as z from 'zod';
import { ACCOUNT_STATUSES } from '../domain/access/accounts.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { QuietHoursSchema } from '../domain/sending/quiet-hours.ts';
import { dateTime, environment, limit, pageOf, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const Organization = z
  .object({
    id: idSchema('organization'),
    name: z.string().meta({ description: 'The name of the organization.', example: 'Loja Azul' }),
    env: environment,
    smsPerSecond: z.int().min(1).optional().meta({
      description: 'How many SMS per second are accepted at most, as contracted. Absent: no ceiling.',
      example: 50,
    }),
    createdAt: dateTime('When the organization was created.'),
  })
  .meta({ id: 'Organization', description: 'The organization behind a credential.' });

export const Account = z
  .object({
    id: idSchema('account'),
    name: z.string().meta({ description: 'The name of the person.', example: 'Ana Souza' }),
    email: z.email().meta({ description: 'The e-mail address of the person.', example: 'ana@example.com' }),
    status: z.enum(ACCOUNT_STATUSES).meta({
      description: 'Only an active account acts; it alone may be made responsible for a company or a card.',
      example: 'active',
    }),
    createdAt: dateTime('When the account was created.'),
  })
  .meta({ id: 'Account', description: 'A person of the organization.' });

export const getOrganization = defineOperation({
  id: 'organization.get',
  method: 'GET',
  path: '/v2/organizations/me',
  tag: 'Organization',
  summary: "Read the credential's organization",
  permission: 'wallet:read',
  request: {},
  responses: { 200: Organization },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});

export const listAccounts = defineOperation({
  id: 'accounts.list',
  method: 'GET',
  path: '/v2/accounts',
  tag: 'Organization',
  summary: 'List the people of the organization, newest first',
  description: 'The same people in both environments. Their ids are what `responsavelId` takes.',
  permission: 'crm:read',
  request: { query: z.strictObject({ limit: limit(50, 200), skip }) },
  responses: { 200: pageOf(Account, 'accounts').meta({ id: 'AccountPage', description: 'A page of accounts.' }) },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { table: 'read' },
});

const clockTime = (description: string, example: string) => z.string().nullable().meta({ description, example });

export const QuietHours = z
  .object({
    inicio: clockTime('When the quiet begins, on the wall of the time zone; null when none is set.', '22:00'),
    fim: clockTime('When it ends; before `inicio` it is the next day.', '08:00'),
    timeZone: z
      .string()
      .nullable()
      .meta({ description: 'A time zone of the IANA list.', example: 'America/Sao_Paulo' }),
    channels: z
      .array(z.enum(CHANNELS))
      .meta({ description: 'The channels that are quiet.', example: ['whatsapp', 'sms'] }),
  })
  .meta({ id: 'QuietHours', description: 'Hours in which messages that can wait are deferred.' });

const quietHours = { path: '/v2/organizations/me/quiet-hours', tag: 'Organization' } as const;

export const getQuietHours = defineOperation({
  ...quietHours,
  id: 'organization.get-quiet-hours',
  method: 'GET',
  summary: 'Read the quiet hours',
  description: 'None by default.',
  permission: 'messages:read',
  request: {},
  responses: { 200: QuietHours },
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read' },
});

export const setQuietHours = defineOperation({
  ...quietHours,
  id: 'organization.set-quiet-hours',
  method: 'PUT',
  summary: 'Set the quiet hours',
  description:
    'Messages that leave by themselves on these channels wait for the end of the hours; force bypasses them, and sends whose caller waits for the provider are not deferred. No channels: nothing is quiet. In effect within ten seconds.',
  permission: 'messages:send',
  request: {
    body: QuietHoursSchema.meta({
      id: 'SetQuietHours',
      description: 'Hours in which messages that can wait are deferred.',
      example: { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['whatsapp', 'sms'] },
    }),
  },
  responses: { 200: QuietHours },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});
