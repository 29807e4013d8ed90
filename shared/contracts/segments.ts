import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { FILTER_FIELDS, FILTER_OPERATORS } from '../domain/segments/segment.ts';
import {
  boundedText,
  byCursor,
  closedObject,
  count,
  cursorPageOf,
  dateTime,
  flag,
  oneLine,
  openObject,
  optionalBoundedText,
  paged,
  pageOf,
  part,
  pathId,
} from './common.ts';
import { Contact } from './contacts.ts';
import { defineOperation } from './define-operation.ts';

const Filter = closedObject('SegmentFilter', 'One condition (docs/spec/segments.md#filters).', {
  field: z.enum(FILTER_FIELDS).meta({ description: 'The property of the contact that is compared.', example: 'tag' }),
  operator: z.enum(FILTER_OPERATORS).meta({
    description:
      'tag: is, isNot; attribute: is, isNot, contains, gt, lt, exists; optIn: is; lastInteraction: before, after, withinDays, olderThanDays; channel: has, hasNot.',
    example: 'is',
  }),
  value: z
    .union([z.string().max(1_024), z.number(), z.boolean()])
    .optional()
    .meta({
      description: 'The value that it is compared with; a number of days, a date or a time, depending on the operator.',
      example: 'vip',
    }),
  key: optionalBoundedText(64, 'The name of the attribute; for the field attribute only.', 'plan'),
});

/** A tree's own limits are checked by rules; the bound here only limits the size of bodies. */
export const FilterTree = z
  .strictObject({
    kind: z.enum(['leaf', 'group']).meta({ description: 'A condition, or a group of conditions.', example: 'leaf' }),
    filter: Filter.optional(),
    operator: z.enum(['and', 'or']).optional().meta({ description: 'How a group combines its nodes.', example: 'or' }),
    get nodes() {
      return z.array(FilterTree).max(100).optional();
    },
  })
  .meta({
    id: 'SegmentFilterTree',
    description: 'Conditions combined with and and or, at most 100, nested at most 10 deep.',
  });

const name = oneLine(200, 'The name, unique in the environment without case and accents.', 'VIPs de São Paulo');
const description = boundedText(1_000, 'A description for people.', 'Bought twice this year');
const filters = z
  .array(Filter)
  .min(1)
  .max(100)
  .meta({ description: 'Conditions that must all hold. Ignored if there is a filterTree.' });

const segmentFields = {
  id: idSchema('segment'),
  name,
  description: description.optional(),
  filters,
  filterTree: FilterTree.optional(),
  size: count('How many contacts the segment has, as of evaluatedAt.', 128),
  evaluatedAt: dateTime('When the size was counted.'),
  createdAt: dateTime('When the segment was created.'),
  updatedAt: dateTime('When it last changed.'),
};
const Segment = openObject('Segment', 'A named, dynamic list of contacts: those that meet its filters.', segmentFields);

const params = z.object({ segmentId: pathId('segment', 'The id of the segment.') });
const tag = 'Segments';
/** Who evaluates a segment stores what the index was found to hold, and has it brought up to date. */
const reads = { permission: 'contacts:read', tag, uses: { table: 'write' } } as const;
const writes = { permission: 'contacts:write', tag, uses: { table: 'write' } } as const;

export const listSegments = defineOperation({
  ...reads,
  id: 'segments.list',
  route: 'GET /v2/segments',
  summary: 'List segments, newest first',
  description: 'With their sizes.',
  query: z.strictObject({
    q: optionalBoundedText(200, 'Only segments whose name contains this, ignoring case and accents.', 'vip'),
    ...paged(50, 200),
  }),
  answer: pageOf(Segment, 'SegmentPage', 'segments'),
});

export const createSegment = defineOperation({
  ...writes,
  id: 'segments.create',
  route: 'POST /v2/segments',
  summary: 'Create a segment',
  description:
    'A name that another segment has is 409 with `meta.segmentId`. `filterTree` takes precedence over `filters`. An organization has at most 200 segments.',
  body: closedObject('CreateSegment', 'A segment to create.', {
    name,
    description: description.optional(),
    filters,
    filterTree: FilterTree.optional(),
  }),
  // 200 by the interface: segments answer it for every operation but DELETE.
  answer: Segment,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const previewSegment = defineOperation({
  ...reads,
  id: 'segments.preview',
  route: 'POST /v2/segments/preview',
  summary: 'Count the contacts that match filters',
  description: 'Saves nothing.',
  body: closedObject('PreviewSegment', 'Filters to try.', { filters, filterTree: FilterTree.optional() }),
  answer: openObject('SegmentPreview', 'The contacts that match the filters now.', {
    count: count('How many contacts meet the filters.', 128),
    sample: z.array(idSchema('contact')).meta({ description: 'The newest of them, at most 20.' }),
    evaluatedAt: dateTime('When they were counted.'),
  }),
  errors: ['VALIDATION_ERROR'],
});

export const getSegment = defineOperation({
  ...reads,
  id: 'segments.get',
  route: 'GET /v2/segments/{segmentId}',
  summary: 'Read a segment',
  description: 'With its size.',
  params,
  answer: Segment,
});

export const updateSegment = defineOperation({
  ...writes,
  id: 'segments.update',
  route: 'PATCH /v2/segments/{segmentId}',
  summary: 'Change a segment',
  description:
    'Absent fields stay; null clears `description` and `filterTree`. A stored `filterTree` takes precedence over new `filters`, too.',
  params,
  body: closedObject('UpdateSegment', 'The changes to a segment.', {
    name: name.optional(),
    description: description.nullable().optional(),
    filters: filters.optional(),
    filterTree: FilterTree.nullable().optional(),
  }),
  answer: Segment,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteSegment = defineOperation({
  ...writes,
  id: 'segments.delete',
  route: 'DELETE /v2/segments/{segmentId}',
  summary: 'Delete a segment',
  description: 'Permanent. Its contacts are not deleted.',
  params,
  responses: { 204: null },
});

export const listSegmentContacts = defineOperation({
  ...reads,
  id: 'segments.contacts',
  route: 'GET /v2/segments/{segmentId}/contacts',
  summary: "List a segment's contacts, newest first",
  description:
    'By cursor: a contact that enters or leaves between two pages makes no other contact appear twice or be missed.',
  params,
  query: z.strictObject({ ...byCursor(50, 200) }),
  answer: cursorPageOf(Contact, 'SegmentContactPage', 'the contacts of a segment', 'contacts'),
  errors: ['BAD_REQUEST'],
  uses: { table: 'write', rootKeys: ['cursors'] },
});

export const explainSegmentContact = defineOperation({
  ...reads,
  id: 'segments.explain',
  uses: { table: 'read' },
  route: 'GET /v2/segments/{segmentId}/contacts/{contactId}',
  summary: 'Why a contact is in a segment, or not',
  description: 'Condition by condition, from left to right.',
  params: params.extend({ contactId: pathId('contact', 'The id of the contact.') }),
  answer: openObject('SegmentExplanation', 'A contact and a segment.', {
    segmentId: idSchema('segment'),
    contactId: idSchema('contact'),
    member: flag('Whether the contact is in the segment.', true),
    conditions: z
      .array(part('A condition.', { filter: Filter, met: flag('Whether the contact meets it.', true) }))
      .meta({ description: 'The conditions that apply: those of the filterTree if there is one.' }),
    since: dateTime(
      'When the contact last entered or left the segment; absent until its first members are determined, and while a change is being processed.',
    ).optional(),
    evaluatedAt: dateTime('When they were evaluated.'),
  }),
});
