import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { DestinationsSchema } from '../domain/sending/destination-settings.ts';
import { QuietHoursSchema } from '../domain/sending/quiet-hours.ts';
import { dateTime, environment, oneLine, openObject, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const Organization = openObject('Organization', 'The organization behind a credential.', {
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
});

const reads = { tag: 'Organization', permission: 'organization:read', uses: { table: 'read' } } as const;
const writes = { tag: 'Organization', permission: 'organization:write', uses: { table: 'write' } } as const;

export const getOrganization = defineOperation({
  ...reads,
  id: 'organization.get',
  route: 'GET /v2/organizations/me',
  summary: "Read the credential's organization",
  answer: Organization,
  errors: ['NOT_FOUND'],
});

export const changeOrganization = defineOperation({
  ...writes,
  id: 'organization.change',
  route: 'PATCH /v2/organizations/me',
  summary: "Change the credential's organization",
  description: 'In the environment of the credential. Absent fields stay as they are.',
  body: z
    .strictObject({ name: oneLine(200, 'The name of the organization.', 'Loja Azul').optional() })
    .meta({ id: 'ChangeOrganization', description: 'The changes.', example: { name: 'Loja Azul' } }),
  answer: Organization,
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
});

const clockTime = (description: string, example: string) => z.string().nullable().meta({ description, example });

export const QuietHours = openObject('QuietHours', 'Daily hours in which asynchronous messages are deferred.', {
  inicio: clockTime('Start of the quiet hours, in local time of the time zone; null when none are set.', '22:00'),
  fim: clockTime('End of the quiet hours; on the next day if it is before `inicio`.', '08:00'),
  timeZone: z.string().nullable().meta({ description: 'An IANA time zone.', example: 'America/Sao_Paulo' }),
  channels: z
    .array(z.enum(CHANNELS))
    .meta({ description: 'The channels that they apply to.', example: ['whatsapp', 'sms'] }),
});

export const getQuietHours = defineOperation({
  ...reads,
  id: 'organization.get-quiet-hours',
  route: 'GET /v2/organizations/me/quiet-hours',
  summary: 'Read the quiet hours',
  description: 'None by default.',
  answer: QuietHours,
});

export const setQuietHours = defineOperation({
  ...writes,
  id: 'organization.set-quiet-hours',
  route: 'PUT /v2/organizations/me/quiet-hours',
  summary: 'Set the quiet hours',
  description:
    'Asynchronous messages on these channels wait until the hours end; force bypasses them, and synchronous sends are not deferred. Without channels, nothing is deferred. Takes effect within ten seconds.',
  body: QuietHoursSchema.meta({
    id: 'SetQuietHours',
    description: 'Daily hours in which asynchronous messages are deferred.',
    example: { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['whatsapp', 'sms'] },
  }),
  answer: QuietHours,
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
});

const channelDestinations = openObject('ChannelDestinations', 'The countries that a channel may send to.', {
  mode: z
    .enum(['all', 'only'])
    .meta({ description: '`all`: every country; `only`: the listed ones.', example: 'only' }),
  countries: z
    .array(z.string())
    .meta({ description: 'ISO 3166-1 alpha-2 codes; used in the mode `only`.', example: ['BR', 'PT'] }),
});

export const Destinations = openObject('Destinations', 'The countries that the organization sends to, by channel.', {
  sms: channelDestinations,
  rcs: channelDestinations,
  whatsapp: channelDestinations,
});

export const getDestinations = defineOperation({
  ...reads,
  id: 'organization.get-destinations',
  route: 'GET /v2/organizations/me/destinations',
  summary: 'Read the open countries',
  description: 'All of them by default.',
  answer: Destinations,
});

export const setDestinations = defineOperation({
  ...writes,
  id: 'organization.set-destinations',
  route: 'PUT /v2/organizations/me/destinations',
  summary: 'Open or close countries',
  description:
    'Sends to a country that is not open are refused with 422, `meta.motivo` destination_closed. The country is that of the number, even if countries share a calling code. A channel that is left out is open everywhere. Takes effect within ten seconds.',
  body: DestinationsSchema.meta({
    id: 'SetDestinations',
    description: 'The countries that the organization sends to, by channel.',
    example: { sms: { mode: 'only', countries: ['BR', 'PT'] } },
  }),
  answer: Destinations,
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
});
