import * as z from 'zod';
import { ACCOUNT_ROLES } from '../domain/access/roles.ts';
import { ENVIRONMENTS } from '../domain/core/actor.ts';
import { MAX_ADDRESS_LENGTH } from '../domain/core/email-address.ts';
import { idSchema, looseId } from '../domain/core/id-schema.ts';
import { SCOPES } from '../domain/core/scopes.ts';
import { boundedText, closedObject, dateTime, environment, flag, openObject, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const tag = 'People';
const open = { tag, permission: 'public' } as const;
/** Lets the edge route a call without a credential; the stage itself ignores it. */
const query = z.strictObject({
  env: z.enum(ENVIRONMENTS).optional().meta({
    description: 'The environment to sign in to; live when absent.',
    example: 'test',
    param: {},
  }),
});

export const requestSignInLink = defineOperation({
  ...open,
  id: 'sessions.request-link',
  route: 'POST /sessions/links',
  summary: 'Request a link to sign in',
  description:
    'Mails a link for each organization in which the address has an account that is not suspended. The answer is the same whether or not there is one. A link works once, for 15 minutes; a link that accepts an invitation works for seven days. An address gets a burst of five mails, then one every three minutes; 429 for too many requests from one IP address.',
  query,
  body: closedObject('RequestSignInLink', 'The person who wants to sign in.', {
    email: boundedText(MAX_ADDRESS_LENGTH, 'The e-mail address of the person.', 'ana@example.com'),
  }),
  responses: { 202: null },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['send'], rootKeys: ['people'] },
});

const NewSession = openObject('NewSession', 'An opened session, and its person.', {
  token: text(
    'Send it as `Authorization: Bearer`. Shown in this response only.',
    'svc_session_5nH2vKq8RtYb3LxWm9ZcJd7FgP1sTa4UeQo6BiXk',
  ),
  expiresAt: dateTime('The token is refused from this time on.'),
  session: openObject('OpenedSession', 'The session of the token.', {
    id: idSchema('session'),
    expiresAt: dateTime(
      'When the session ends, however often it is renewed. Without a cookie its token ends at the same time.',
    ),
  }),
  person: openObject('SignedInPerson', 'Who signed in.', {
    accountId: idSchema('account'),
    name: text('The name of the person.', 'Ana Souza'),
    email: z.email().meta({ description: 'The e-mail address of the person.', example: 'ana@example.com' }),
    role: z
      .enum(ACCOUNT_ROLES)
      .meta({ description: 'The role of the person in the organization.', example: 'developer' }),
  }),
  organization: openObject('SignedInOrganization', 'The organization of the session.', {
    id: idSchema('organization'),
    name: text('The name of the organization.', 'Loja Azul'),
    env: environment,
  }),
  scopes: z.array(z.enum(SCOPES)).meta({
    description: 'The current scopes of the role. A change of role applies to open sessions within 60 seconds.',
    example: ['messages:read'],
  }),
});

export const createSession = defineOperation({
  ...open,
  id: 'sessions.create',
  route: 'POST /sessions',
  summary: 'Sign in with a link',
  description:
    "Opens a session of 12 hours with the scopes of the account's role. The token works once, and accepts an open invitation. 401 for a token that is unknown, used or expired, or whose account is suspended. With `cookie`, for pages of the service: the session's token works for 15 minutes, and an HttpOnly cookie renews it by `POST /sessions/refresh`; 403 for a request that comes from a page of another origin.",
  query,
  body: closedObject('CreateSession', 'The token of a link.', {
    token: boundedText(
      128,
      'The token of the link: the part after `#`.',
      'svc_link_live_5nH2vKq8RtYb3LxWm9ZcJd7FgP1sTa4UeQo6BiXk',
    ),
    cookie: flag('Keeps the browser signed in by a cookie.', true).optional(),
  }),
  responses: { 201: NewSession },
  errors: ['UNAUTHORIZED', 'VALIDATION_ERROR'],
  uses: { table: 'write', writes: ['credentials'] },
});

export const refreshSession = defineOperation({
  ...open,
  id: 'sessions.refresh',
  route: 'POST /sessions/refresh',
  summary: "Renew a browser's session by its cookie",
  description:
    'Answers a token for 15 minutes and replaces the cookie; earlier tokens work until they expire, at most ten at a time. The session itself still ends 12 hours after it was opened. For pages of the service only: 403 unless `Sec-Fetch-Site` is `same-origin` or `Origin` is the address of the service. 401 without a cookie of an open session. A cookie that was replaced over a minute ago is in the hands of two parties, and ends the session.',
  query,
  responses: { 201: NewSession },
  errors: ['UNAUTHORIZED', 'VALIDATION_ERROR'],
  uses: { table: 'write', writes: ['credentials'] },
});

export const showSignIn = defineOperation({
  ...open,
  id: 'sessions.page',
  route: 'GET /sign-in',
  summary: 'Show the page that sign-in links lead to',
  description:
    'Its button sends the token, the part after `#`, to `POST /sessions` and shows the credential. Nothing is sent before, and the page loads nothing from other hosts.',
  answer: { contentType: 'text/html; charset=utf-8', description: 'The page, in Portuguese.' },
  uses: { table: 'none' },
});

const Session = openObject('Session', 'An open session of a person.', {
  id: idSchema('session'),
  accountId: idSchema('account'),
  createdAt: dateTime('When the person signed in.'),
  expiresAt: dateTime('The session is refused from this time on.'),
  current: flag('Whether it is the session of this call.', true),
});

const own = { tag, permission: { session: 'accounts:read' } } as const;

export const listSessions = defineOperation({
  ...own,
  id: 'sessions.list',
  route: 'GET /v2/sessions',
  summary: 'List open sessions, newest first',
  description:
    'Those of the caller; with `accountId`, those of a person whom the caller may manage, else 404. At most 200. One opened a moment ago may be missing for about a second.',
  query: z.strictObject({
    accountId: looseId('account', boundedText(128, 'The person whose sessions to list.'))
      .optional()
      .meta({ description: 'The person whose sessions to list; the caller when absent.' }),
  }),
  answer: openObject('SessionList', 'Open sessions of a person.', {
    items: z.array(Session).meta({ description: 'The open sessions, newest first.' }),
  }),
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'read' },
});

export const deleteSession = defineOperation({
  ...own,
  id: 'sessions.delete',
  route: 'DELETE /v2/sessions/{id}',
  summary: 'End a session',
  description:
    'It is refused within 60 seconds. The caller may end its own sessions, and those of a person whom it may manage; any other session is 404, and so is one that has ended.',
  params: z.object({ id: pathId('session', 'The id of the session.') }),
  responses: { 204: null },
  uses: { table: 'write', writes: ['credentials'] },
});
