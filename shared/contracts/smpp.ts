import * as z from 'zod';
import { MAX_IP_RANGES } from '../domain/access/keys.ts';
import { smsFields } from '../domain/channels/sms/request.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { BINDS, DLR_FORMATS, SMPP_ROUTES, WINDOW } from '../domain/smpp/account.ts';
import { closedObject, dateTime, oneLine, openObject, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { ipRanges } from './keys.ts';

const name = oneLine(100, 'A name for people.', 'Billing gateway');
const route = z.enum(SMPP_ROUTES).meta({
  description: 'The route of its messages: `premium` for communication, `otp` for transactional texts.',
  example: 'premium',
});
const senderId = smsFields.senderId
  .unwrap()
  .meta({ description: 'The sender of messages whose source address is empty.', example: 'LOJA' });
const addresses = ipRanges(
  `The addresses that it may bind from: 1 to ${MAX_IP_RANGES} addresses or CIDR blocks. Absent: from anywhere. From any other address: ESME_RBINDFAIL.`,
);
const number = ({ standard, maximum }: typeof BINDS | typeof WINDOW, what: string) =>
  z
    .int()
    .min(1)
    .max(maximum)
    .meta({ description: `${what}: 1 to ${maximum}; ${standard} when absent.`, example: standard });
const maxBinds = number(BINDS, 'How many binds it may have at once, in all containers together');
const window = number(WINDOW, 'How many requests of a bind may be without a response; one more is ESME_RTHROTTLED');
const dlrFormat = z.enum(DLR_FORMATS).meta({
  description:
    'How dates in the text of a delivery receipt are written: `minutes` (`YYMMDDhhmm`, as in the specification) or `seconds` (`YYMMDDhhmmss`). `minutes` when absent.',
  example: 'minutes',
});

const fields = {
  id: idSchema('smppAccount'),
  name,
  systemId: z
    .string()
    .max(15)
    .meta({ description: 'The `system_id` of its binds; it never changes.', example: 'test_Zc4LxWm9Yb' }),
  route,
  senderId: senderId.optional(),
  allowedIps: addresses.optional(),
  maxBinds,
  window,
  dlrFormat,
  createdBy: z
    .union([idSchema('account'), idSchema('apiKey')])
    .optional()
    .meta({
      description: 'Who created it: a person (`acc_…`) or a key (`key_…`). Absent: the operator.',
      example: 'key_3nH2vKq8RtYb3LxWm9ZcJ',
    }),
  passwordChangedAt: dateTime('When its password was created.'),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
};
const SmppAccount = openObject('SmppAccount', 'An account that binds over SMPP, without its password.', fields);
const IssuedSmppAccount = openObject('IssuedSmppAccount', 'An SMPP account with its new password.', {
  ...fields,
  password: z.string().length(8).meta({
    description: 'The password of its binds. Shown in this response only.',
    example: 'k3Qx8TzB',
  }),
});

const params = z.object({ id: pathId('smppAccount', 'The id of the SMPP account.') });
const tag = 'SMPP';
const reads = { tag, permission: 'keys:read', uses: { table: 'read' } } as const;
const writes = { tag, permission: 'keys:write', uses: { table: 'write', writes: ['smpp_accounts'] } } as const;

export const listSmppAccounts = defineOperation({
  ...reads,
  id: 'smpp.list',
  route: 'GET /v2/smpp/accounts',
  summary: 'List SMPP accounts, newest first',
  description: 'All of them: an organization has at most 100 in an environment.',
  answer: openObject('SmppAccountList', 'The SMPP accounts of the environment.', {
    items: z.array(SmppAccount).meta({ description: 'The SMPP accounts of the environment, newest first.' }),
  }),
});

export const createSmppAccount = defineOperation({
  ...writes,
  id: 'smpp.create',
  route: 'POST /v2/smpp/accounts',
  summary: 'Create an SMPP account',
  description:
    'It sends SMS for the organization, in the environment of the credential. The password is shown in this response and never again. 403 for a caller without `sms:send` and `sms:read`, the scopes of the account, and for addresses that the caller may not call from. 409 when the organization has 100.',
  body: closedObject('CreateSmppAccount', 'An SMPP account to create.', {
    name,
    route,
    senderId: senderId.optional(),
    allowedIps: addresses.optional(),
    maxBinds: maxBinds.optional(),
    window: window.optional(),
    dlrFormat: dlrFormat.optional(),
  }),
  responses: { 201: IssuedSmppAccount },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getSmppAccount = defineOperation({
  ...reads,
  id: 'smpp.get',
  route: 'GET /v2/smpp/accounts/{id}',
  summary: 'Read an SMPP account',
  params,
  answer: SmppAccount,
});

export const changeSmppAccount = defineOperation({
  ...writes,
  id: 'smpp.change',
  route: 'PATCH /v2/smpp/accounts/{id}',
  summary: 'Change an SMPP account',
  description:
    'The change reaches open binds within a minute. To set addresses, the caller needs `sms:send` and `sms:read`, and must itself be allowed to call from all of them: else 403.',
  params,
  body: z
    .strictObject({
      name: name.optional(),
      route: route.optional(),
      senderId: senderId.nullable().optional(),
      allowedIps: addresses.nullable().optional(),
      maxBinds: maxBinds.optional(),
      window: window.optional(),
      dlrFormat: dlrFormat.optional(),
    })
    .refine((change) => Object.keys(change).length > 0, 'must change something')
    .meta({
      id: 'ChangeSmppAccount',
      description: 'What to change of an SMPP account; null removes its sender or its list of addresses.',
    }),
  answer: SmppAccount,
  errors: ['VALIDATION_ERROR'],
});

export const rotateSmppPassword = defineOperation({
  ...writes,
  id: 'smpp.rotate-password',
  route: 'POST /v2/smpp/accounts/{id}/rotate-password',
  summary: 'Rotate the password of an SMPP account',
  description:
    'The former password is refused at once; open binds stay open. 403 for a caller without `sms:send` and `sms:read`, or that may not call from the addresses of the account, since the response shows the password.',
  params,
  answer: IssuedSmppAccount,
});

export const deleteSmppAccount = defineOperation({
  ...writes,
  id: 'smpp.delete',
  route: 'DELETE /v2/smpp/accounts/{id}',
  summary: 'Delete an SMPP account',
  description: 'New binds are refused at once, and its open binds end within a minute. Its messages are kept.',
  params,
  responses: { 204: null },
});
