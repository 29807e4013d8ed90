import * as z from 'zod';
import { ACCOUNT_STATUSES } from '../domain/access/accounts.ts';
import { dateTime, environment, idOf, limit, pageOf, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

export const Organization = z
  .object({
    id: idOf('organization'),
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
    id: idOf('account'),
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
