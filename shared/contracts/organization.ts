import * as z from 'zod';
import { ACCOUNT_STATUSES } from '../domain/access/accounts.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { QuietHoursSchema } from '../domain/sending/quiet-hours.ts';
import { dateTime, environment, paged, pageOf, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const Organization = z
  .object({
    id: idSchema('organization'),
    name: text('The name of the organization.', 'Loja Azul'),
    env: environment,
    smsPerSecond: z.int().min(1).optional().meta({
      description: 'Maximum SMS per second, as contracted. Absent: no limit.',
      example: 50,
    }),
    createdAt: dateTime('When the organization was created.'),
  })
  .meta({ id: 'Organization', description: 'The organization behind a credential.' });

export const Account = z
  .object({
    id: idSchema('account'),
    name: text('The name of the person.', 'Ana Souza'),
    email: z.email().meta({ description: 'The e-mail address of the person.', example: 'ana@example.com' }),
    status: z.enum(ACCOUNT_STATUSES).meta({
      description: 'Only an active account can act, or be made responsible for a company or a card.',
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
  request: { query: z.strictObject({ ...paged(50, 200) }) },
  responses: { 200: pageOf(Account, 'accounts').meta({ id: 'AccountPage', description: 'A page of accounts.' }) },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { table: 'read' },
});

const clockTime = (description: string, example: string) => z.string().nullable().meta({ description, example });

export const QuietHours = z
  .object({
    inicio: clockTime('Start of the quiet hours, in local time of the time zone; null when none are set.', '22:00'),
    fim: clockTime('End of the quiet hours; on the next day if it is before `inicio`.', '08:00'),
    timeZone: z.string().nullable().meta({ description: 'An IANA time zone.', example: 'America/Sao_Paulo' }),
    channels: z
      .array(z.enum(CHANNELS))
      .meta({ description: 'The channels that they apply to.', example: ['whatsapp', 'sms'] }),
  })
  .meta({ id: 'QuietHours', description: 'Daily hours in which asynchronous messages are deferred.' });

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
    'Asynchronous messages on these channels wait until the hours end; force bypasses them, and synchronous sends are not deferred. Without channels, nothing is deferred. Takes effect within ten seconds.',
  permission: 'messages:send',
  request: {
    body: QuietHoursSchema.meta({
      id: 'SetQuietHours',
      description: 'Daily hours in which asynchronous messages are deferred.',
      example: { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['whatsapp', 'sms'] },
    }),
  },
  responses: { 200: QuietHours },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});
