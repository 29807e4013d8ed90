import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  byCursor,
  closedObject,
  coins,
  count,
  cursorPageOf,
  dateTime,
  environment,
  openObject,
  optionalText,
  part,
  pathId,
  text,
} from './common.ts';
import { defineOperation } from './define-operation.ts';
import { reads, writes } from './operator.ts';

const Breaker = part('The circuit breaker of a route.', {
  route: text('The route.', 'premium'),
  state: z.enum(['closed', 'half_open', 'open']).meta({
    description: '`open`: the provider is skipped on the route. `half_open`: one call tries it again.',
    example: 'closed',
  }),
  since: dateTime('When it opened.').optional(),
  until: dateTime('Until when the provider is skipped.').optional(),
  lastProbeAt: dateTime('When a call last tried the provider again.').optional(),
  failures: count('Failed calls of the last ten seconds, as far as the processes have reported them.', 0),
  successes: count('Successful calls of the same time.', 0),
});

export const listProviders = defineOperation({
  ...reads,
  id: 'operator.list-providers',
  route: 'GET /v2/operator/providers',
  summary: 'List the providers of the stage with their circuit breakers',
  answer: openObject('ProviderList', 'The providers that are set up.', {
    items: z
      .array(
        openObject('ProviderHealth', 'A provider that is set up in the stage. Never its settings.', {
          channel: text('The channel.', 'sms'),
          provider: text('The provider.', 'twilio'),
          updatedAt: dateTime('When its settings were last changed.'),
          breakers: z.array(Breaker).meta({ description: 'One for each route of the channel.' }),
        }),
      )
      .meta({ description: 'Every provider that the operator set up.' }),
  }),
  uses: { table: 'write' },
});

export const changeBreaker = defineOperation({
  ...writes,
  id: 'operator.change-breaker',
  route: 'POST /v2/operator/breakers',
  summary: 'Probe a provider, or close its circuit breaker',
  description:
    '`probe` ends the pause of an open circuit breaker: the next send tries the provider, and its result closes or reopens the breaker; 409 for one that is not open. `reset` closes it in any state; a second call changes nothing. Every process sees the change within five seconds.',
  body: closedObject('ChangeBreaker', 'A change of a circuit breaker.', {
    channel: z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' }),
    provider: z
      .string()
      .regex(/^[a-z_]{1,64}$/)
      .meta({ description: 'The provider.', example: 'twilio' }),
    route: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .meta({ description: 'The route.', example: 'premium' }),
    action: z.enum(['probe', 'reset']).meta({ description: 'What to do.', example: 'probe' }),
  }),
  answer: Breaker.meta({ id: 'Breaker', description: 'The circuit breaker of a route.' }),
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});

const organizationFields = {
  id: idSchema('organization'),
  name: text('Its name.', 'Loja Exemplo'),
  env: environment,
  createdAt: dateTime('When it was created.'),
};

export const listOrganizations = defineOperation({
  ...reads,
  id: 'operator.list-organizations',
  route: 'GET /v2/operator/organizations',
  summary: 'List the organizations of the stage, newest first',
  query: z.strictObject(byCursor(50, 200)),
  answer: cursorPageOf(
    openObject('OrganizationSummary', 'An organization.', organizationFields),
    'OrganizationSummaryPage',
    'organizations',
    'organizations',
  ),
  uses: { table: 'write', rootKeys: ['cursors'] },
});

export const getOrganization = defineOperation({
  ...reads,
  id: 'operator.get-organization',
  route: 'GET /v2/operator/organizations/{id}',
  summary: 'Read an organization with its wallet and limits',
  params: z.object({ id: pathId('organization', 'The id of the organization.') }),
  answer: openObject('OrganizationState', 'An organization as the operator sees it.', {
    ...organizationFields,
    wallet: part('Its wallet in this environment.', {
      balanceCoins: coins('The available balance.'),
      heldCoins: coins('The coins held for messages in progress.'),
      lowBalanceCoins: coins('Below this balance it is warned.'),
    }),
    limits: part('Its limits of sends.', {
      smsPerSecond: z
        .int()
        .nullable()
        .meta({ description: 'SMS per second at most; null without a limit.', example: 50 }),
      sendsPerMinute: count('Single sends per minute of all its credentials together; enforced for live keys.', 3_000),
    }),
    emailFrom: optionalText('The default sender of its e-mails.', 'Loja <ola@loja.example>'),
    counts: part('How many objects it has.', {
      accounts: count('People.', 3),
      keys: count('API keys ever created.', 2),
      contacts: count('Contacts.', 1_200),
    }),
  }),
  uses: { table: 'write' },
});
