import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { DestinationsSchema } from '../domain/sending/destination-settings.ts';
import { QuietHoursSchema } from '../domain/sending/quiet-hours.ts';
import { boundedText, dateTime, environment, text } from './common.ts';
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
    sendsPerMinute: z.int().min(1).optional().meta({
      description:
        'Maximum single sends a minute of all its credentials together. Absent in the test environment: no limit.',
      example: 3000,
    }),
    createdAt: dateTime('When the organization was created.'),
  })
  .meta({ id: 'Organization', description: 'The organization behind a credential.' });

export const getOrganization = defineOperation({
  id: 'organization.get',
  method: 'GET',
  path: '/v2/organizations/me',
  tag: 'Organization',
  summary: "Read the credential's organization",
  permission: 'organization:read',
  request: {},
  responses: { 200: Organization },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});

export const changeOrganization = defineOperation({
  id: 'organization.change',
  method: 'PATCH',
  path: '/v2/organizations/me',
  tag: 'Organization',
  summary: "Change the credential's organization",
  description: 'In the environment of the credential. Absent fields stay as they are.',
  permission: 'organization:write',
  request: {
    body: z
      .strictObject({ name: boundedText(200, 'The name of the organization.', 'Loja Azul').optional() })
      .meta({ id: 'ChangeOrganization', description: 'The changes.', example: { name: 'Loja Azul' } }),
  },
  responses: { 200: Organization },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
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
  permission: 'organization:read',
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
  permission: 'organization:write',
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

const channelDestinations = z
  .object({
    mode: z
      .enum(['all', 'only'])
      .meta({ description: '`all`: every country; `only`: the listed ones.', example: 'only' }),
    countries: z
      .array(z.string())
      .meta({ description: 'ISO 3166-1 alpha-2 codes; they count in the mode `only`.', example: ['BR', 'PT'] }),
  })
  .meta({ id: 'ChannelDestinations', description: 'The countries that a channel may send to.' });

export const Destinations = z
  .object({ sms: channelDestinations, rcs: channelDestinations, whatsapp: channelDestinations })
  .meta({ id: 'Destinations', description: 'Where the organization sends, by channel.' });

const destinations = { path: '/v2/organizations/me/destinations', tag: 'Organization' } as const;

export const getDestinations = defineOperation({
  ...destinations,
  id: 'organization.get-destinations',
  method: 'GET',
  summary: 'Read the countries that are open',
  description: 'All of them by default.',
  permission: 'organization:read',
  request: {},
  responses: { 200: Destinations },
  errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read' },
});

export const setDestinations = defineOperation({
  ...destinations,
  id: 'organization.set-destinations',
  method: 'PUT',
  summary: 'Open or close countries',
  description:
    'Sends to a country that is not open are refused with 422, `meta.motivo` destination_closed. The country is that of the number, also where countries share a calling code. A channel that is left out is open everywhere. Takes effect within ten seconds.',
  permission: 'organization:write',
  request: {
    body: DestinationsSchema.meta({
      id: 'SetDestinations',
      description: 'Where the organization sends, by channel.',
      example: { sms: { mode: 'only', countries: ['BR', 'PT'] } },
    }),
  },
  responses: { 200: Destinations },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});
