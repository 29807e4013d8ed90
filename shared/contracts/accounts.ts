import * as z from 'zod';
import { ACCOUNT_STATUSES } from '../domain/access/accounts.ts';
import { ACCOUNT_ROLES, ROLES } from '../domain/access/roles.ts';
import { MAX_ADDRESS_LENGTH, parseAddress } from '../domain/core/email-address.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { closedObject, dateTime, oneLine, openObject, paged, pageOf, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const tag = 'People';
const name = oneLine(200, 'The name of the person.', 'Ana Souza');
const role = z.enum(ROLES).meta({
  description:
    'What the person may do: `viewer` reads without personal data; `support` also replays webhooks, resends and cancels; `developer` also sends and manages keys, webhooks and templates; `admin` everything except owners and money; `owner` everything.',
  example: 'developer',
});

const Account = openObject('Account', 'A person of the organization.', {
  id: idSchema('account'),
  name: text('The name of the person.', 'Ana Souza'),
  email: z.email().meta({ description: 'The e-mail address of the person.', example: 'ana@example.com' }),
  role: z.enum(ACCOUNT_ROLES).meta({
    description:
      'What the person may do. `operator`: an operator of the stage, without access to the data of the organization.',
    example: 'developer',
  }),
  status: z.enum(ACCOUNT_STATUSES).meta({
    description:
      'Only an `active` account can act, or be made responsible for a company or a card. `invited`: the person has not signed in yet.',
    example: 'active',
  }),
  createdAt: dateTime('When the account was created.'),
});

const params = z.object({ id: pathId('account', 'The id of the account.') });
const reads = { tag, permission: 'accounts:read', uses: { table: 'read' } } as const;
const writes = { tag, permission: 'accounts:write', uses: { table: 'write' } } as const;
const NOT_ABOVE = '403 for an account of a role above that of the caller; a key manages no admin and no owner.';

export const listAccounts = defineOperation({
  ...reads,
  id: 'accounts.list',
  route: 'GET /v2/accounts',
  summary: 'List the people of the organization, newest first',
  description:
    'Those of the environment of the credential. Their ids are the values of `responsavelId`. An account created a moment ago may be missing for about a second.',
  query: z.strictObject({ ...paged(50, 200) }),
  answer: pageOf(Account, 'AccountPage', 'accounts'),
  errors: ['VALIDATION_ERROR'],
});

export const getAccount = defineOperation({
  ...reads,
  id: 'accounts.get',
  route: 'GET /v2/accounts/{id}',
  summary: 'Read a person',
  params,
  answer: Account,
});

export const createAccount = defineOperation({
  ...writes,
  id: 'accounts.create',
  route: 'POST /v2/accounts',
  summary: 'Invite a person',
  description: `Mails a link, which works for seven days; \`POST /sessions/links\` mails another. The account becomes active when the person signs in. ${NOT_ABOVE} 409 for an e-mail address that the organization already has, and for an organization that has reached its limit. The test environment sends no mails.`,
  body: closedObject('CreateAccount', 'A person to invite.', {
    name,
    email: z
      .string()
      .max(MAX_ADDRESS_LENGTH)
      .transform((text, context) => {
        const address = parseAddress(text);
        if (address !== undefined) return address;
        context.addIssue({ code: 'custom', message: 'must be an e-mail address' });
        return z.NEVER;
      })
      .meta({
        description: 'The e-mail address; unique in the organization, without regard to case.',
        example: 'ana@example.com',
      }),
    role,
  }),
  responses: { 201: Account },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['send'], rootKeys: ['people'] },
});

export const changeAccount = defineOperation({
  ...writes,
  id: 'accounts.change',
  route: 'PATCH /v2/accounts/{id}',
  summary: "Change a person's name or role",
  description: `Absent fields stay as they are. Open sessions have the new role within 60 seconds. The address cannot be changed: a person with another one is invited again. ${NOT_ABOVE} 409 if no active owner would be left.`,
  params,
  body: z
    .strictObject({ name: name.optional(), role: role.optional() })
    .meta({ id: 'ChangeAccount', description: 'The changes.', example: { role: 'support' } }),
  answer: Account,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const suspendAccount = defineOperation({
  ...writes,
  id: 'accounts.suspend',
  route: 'POST /v2/accounts/{id}/suspend',
  summary: 'Suspend a person',
  description: `Permanently ends the sessions and links of the account, within 60 seconds. Suspending again changes nothing. ${NOT_ABOVE} 409 if no active owner would be left.`,
  params,
  answer: Account,
  errors: ['CONFLICT'],
});

export const activateAccount = defineOperation({
  ...writes,
  id: 'accounts.activate',
  route: 'POST /v2/accounts/{id}/activate',
  summary: 'End the suspension of a person',
  description: `The account has its former status again: \`active\`, or \`invited\` if its person had not signed in. 409 for an open invitation, which only its person can accept. ${NOT_ABOVE}`,
  params,
  answer: Account,
  errors: ['CONFLICT'],
});

export const deleteAccount = defineOperation({
  ...writes,
  id: 'accounts.delete',
  route: 'DELETE /v2/accounts/{id}',
  summary: 'Remove a person',
  description: `Deletes name and address; sessions are refused within 60 seconds. Keys that the person created continue to work. ${NOT_ABOVE} 409 if no active owner would be left.`,
  params,
  responses: { 204: null },
  errors: ['CONFLICT'],
});
