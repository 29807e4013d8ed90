import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { MAX_LISTS } from '../domain/lists/list.ts';
import { MAX_IDENTIFIERS, MAX_NOT_FOUND, tooManyOf } from '../domain/lists/members.ts';
import {
  boundedText,
  closedObject,
  count,
  dateTime,
  oneLine,
  openObject,
  optionalBoundedText,
  part,
  pathId,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

const MAX_DESCRIPTION = 500;
const MAX_IDENTIFIER = 128;

const name = oneLine(
  128,
  'The name, unique within the organization and the environment whatever its case.',
  'Clientes VIP',
);
const description = optionalBoundedText(
  MAX_DESCRIPTION,
  'The purpose of the list, as free text.',
  'Quem comprou mais de três vezes no ano',
);

const StaticList = openObject('StaticList', "A set of contacts that the caller's system maintains.", {
  id: idSchema('list'),
  name,
  description,
  size: count('How many contacts are in the list now.', 1_250),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed, its members included.'),
});

const identifiers = (what: string, example: string) =>
  z
    .array(z.string().min(1).max(MAX_IDENTIFIER))
    .max(MAX_IDENTIFIERS)
    .optional()
    .meta({ description: what, example: [example] });
const ListMembers = z
  .strictObject({
    externalIds: identifiers("The callers' own ids of contacts (`externalId`).", 'loja:42:8f14e45f'),
    contactIds: identifiers('Ids of contacts.', 'cnt_4hJ9sKq2LmN8pRt5VwXz1'),
    phones: identifiers('Phones in E.164.', '+5511999991234'),
  })
  .superRefine((given, context) => {
    const kind = tooManyOf(given);
    if (kind)
      context.addIssue({
        code: 'custom',
        path: [kind],
        message: `is beyond ${MAX_IDENTIFIERS} identifiers in one call, of all kinds together`,
      });
  })
  .meta({
    id: 'ListMembers',
    description: `Contacts, by identifiers of any kinds together: at most ${MAX_IDENTIFIERS.toLocaleString('en')} in one call.`,
  });

const missing = (what: string) =>
  z.array(z.string()).meta({ description: `${what} that name no contact, at most ${MAX_NOT_FOUND} of them.` });
const Membership = openObject('ListMembership', 'The changes of a call to the members of a list.', {
  listId: idSchema('list'),
  matched: count('How many contacts the identifiers name.', 2),
  added: count('How many of them were not in the list, and are now.', 1),
  removed: count('How many contacts left the list.', 0),
  total: count('How many contacts are in the list now.', 1_251),
  notFoundCount: count('How many of the identifiers name no contact; a repeated one counts once.', 1),
  notFound: part('A sample of the identifiers that name no contact.', {
    externalIds: missing('External ids'),
    contactIds: missing('Ids'),
    phones: missing('Phones, as they were sent,'),
  }),
});

const params = z.object({ id: pathId('list', 'The id of the list.') });
const tag = 'Static lists';
const reads = { permission: 'contacts:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'contacts:write', tag, uses: { table: 'write' } } as const;
/** The maximum number of identifiers means that many rows to read and parse. */
const edits = {
  permission: 'contacts:write',
  tag,
  params,
  body: ListMembers,
  answer: Membership,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', rootKeys: ['recipients'] },
  personFilters: ['phones'],
  memoryMb: 1024,
  timeoutSeconds: 28,
} as const;
const LOOKUPS = 'Without pii:full at most 60 phones a minute are counted, each call as 60 at most; then 429.';

export const allLists = defineOperation({
  ...reads,
  id: 'lists.all',
  route: 'GET /v2/lists',
  summary: 'List static lists, newest first',
  description: `All of them: an organization has at most ${MAX_LISTS.toLocaleString('en')}.`,
  answer: openObject('StaticLists', 'The static lists of the organization.', {
    items: z.array(StaticList).meta({ description: 'The lists, newest first.' }),
  }),
});

export const createList = defineOperation({
  ...writes,
  id: 'lists.create',
  route: 'POST /v2/lists',
  summary: 'Create a static list',
  description:
    'Empty at first. A name that another list has, in whatever case, is 409 with its id in `meta.listId`; so is a list above the maximum of an organization.',
  body: closedObject('CreateList', 'A new static list.', { name, description }),
  responses: { 201: StaticList },
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
});

export const getList = defineOperation({
  ...reads,
  id: 'lists.get',
  route: 'GET /v2/lists/{id}',
  summary: 'Read a static list',
  params,
  answer: StaticList,
  errors: ['VALIDATION_ERROR'],
});

export const changeList = defineOperation({
  ...writes,
  id: 'lists.change',
  route: 'PATCH /v2/lists/{id}',
  summary: 'Change a static list',
  description: 'JSON Merge Patch: absent fields stay, `description: null` clears. Its members do not change.',
  params,
  body: closedObject('ChangeList', 'A change to a static list.', {
    name: name.optional(),
    description: boundedText(MAX_DESCRIPTION, 'The purpose of the list.', 'Clientes de 2026').nullable().optional(),
  }),
  answer: StaticList,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteList = defineOperation({
  ...writes,
  id: 'lists.delete',
  route: 'DELETE /v2/lists/{id}',
  summary: 'Delete a static list',
  description: 'Its contacts stay. Its name can be used again.',
  params,
  responses: { 204: null },
  errors: ['VALIDATION_ERROR'],
});

export const addMembers = defineOperation({
  ...edits,
  id: 'lists.add-members',
  route: 'POST /v2/lists/{id}/members',
  summary: 'Add contacts to a list',
  description: `Existing members stay. Contacts that do not exist are not created: import them first. All are added at once, or none. ${LOOKUPS}`,
});

export const replaceMembers = defineOperation({
  ...edits,
  id: 'lists.replace-members',
  route: 'PUT /v2/lists/{id}/members',
  summary: 'Replace the members of a list',
  description: `The named contacts are added, all others are removed, atomically. If no identifier names a contact it is 422 and the list is not changed: to empty a list, remove its members. ${LOOKUPS}`,
});

export const removeMembers = defineOperation({
  ...edits,
  id: 'lists.remove-members',
  route: 'POST /v2/lists/{id}/members/remove',
  summary: 'Remove contacts from a list',
  description: `The contacts themselves are not deleted. All are removed at once, or none. ${LOOKUPS}`,
});
