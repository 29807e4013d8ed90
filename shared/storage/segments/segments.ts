import * as z from 'zod';
import { foldText } from '../../domain/core/fold-text.ts';
import type { Id } from '../../domain/core/ids.ts';
import {
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type SaveOutcome,
  type Segment,
  type SegmentStore,
  type WireTree,
} from '../../domain/segments/segment.ts';
import { isSameDescription } from '../../domain/segments/segments.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson, tenant, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, type CommitOutcome, commit } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { noteSegment } from '../contacts/standing.ts';
import { readRow } from '../read-row.ts';
import { restartSweep, sweepBegin } from './sweeps.ts';

/** Maximum segments per organization: a list reads them all, and each change of a contact is evaluated for each. */
const MAX_SEGMENTS = 200;
/** Maximum size of a description as JSON, in bytes. */
const MAX_UNPACKED = 1024 * 1024;

const filter = z.object({
  field: z.enum(FILTER_FIELDS),
  operator: z.enum(FILTER_OPERATORS),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  key: z.string().optional(),
});
const tree: z.ZodType<WireTree> = z.object({
  kind: z.enum(['leaf', 'group']),
  filter: filter.optional(),
  operator: z.enum(['and', 'or']).optional(),
  nodes: z.lazy(() => z.array(tree)).optional(),
});
const stored = z.object({ filters: z.array(filter), filterTree: tree.optional() });
type Stored = z.output<typeof stored>;

type SegmentFields = Omit<Segment, 'filters' | 'filterTree'> & { readonly filtered: Stored };
const segmentRows = defineRow<SegmentFields>()({
  attributes: {
    id: id('segment'),
    ...tenant,
    name: z.string(),
    description: z.string().optional(),
    filtered: packedJson(
      MAX_UNPACKED,
      (json): Stored => stored.parse(json),
      (value) => value,
    ),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  rename: { filtered: 'packed' },
  key: (segment) => KEYS.segment(segment.organizationId, segment.id),
});
/** Reads only the name of a segment. */
export const readSegmentName = segmentRows.pick('name');
/** Reads a segment's row. */
export const readSegment = (row: Parameters<typeof segmentRows.read>[0]): Segment => {
  const { filtered, ...segment } = segmentRows.read(row);
  return { ...segment, ...filtered };
};
const rowOf = ({ filters, filterTree, ...segment }: Segment) =>
  segmentRows.write({ ...segment, filtered: { filters: [...filters], filterTree } });

/** All segments of an organization, in the order of their ids. One consistent query. */
export const readSegments = async (table: Table, organizationId: Id<'organization'>): Promise<readonly Segment[]> => {
  const { pk: partition, sk: prefix } = KEYS.segment(organizationId, '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix } };
  return (await table.queryAll({ partition, sort, consistent: true })).map(readSegment);
};

const nameKey = ({ organizationId, name }: Segment) => KEYS.segmentName(organizationId, foldText(name));
const nameWrite = (segment: Segment): WriteOp => ({
  put: { ...nameKey(segment), org: segment.organizationId, segmentId: segment.id },
  when: ABSENT,
});
const freeName = (segment: Segment): WriteOp => ({
  delete: nameKey(segment),
  when: { text: '#segmentId = :id', values: { id: segment.id } },
});
/** A failure of the name's write identifies the segment that has it; of another one is `otherwise`. */
const outcomeOf = (outcome: CommitOutcome, otherwise: SaveOutcome): SaveOutcome => {
  if (outcome.kind !== 'refused') return outcome;
  return outcome.at > 0 ? otherwise : { kind: 'taken', segmentId: id('segment').parse(outcome.row?.segmentId) };
};

/** The maximum size of a page's segments as JSON, in bytes: a function's response is limited to 6 MB. */
const MAX_PAGE_BYTES = 2_500_000;
/** The first segments of a page that fit a response; at least one. */
const withinBytes = (segments: readonly Segment[]): Segment[] => {
  let bytes = 0;
  return segments.filter(({ filters, filterTree }, at) => {
    bytes += Buffer.byteLength(JSON.stringify([filters, filterTree]));
    return at === 0 || bytes <= MAX_PAGE_BYTES;
  });
};

/** Segments in the table of one stage. */
export const segmentStore = (table: Table): SegmentStore => ({
  async create(segment) {
    const limit = { organizationId: segment.organizationId, counted: 'segments', max: MAX_SEGMENTS } as const;
    const create = async (count: WriteOp) =>
      outcomeOf(await commit(table, { row: rowOf(segment), also: [nameWrite(segment), count, sweepBegin(segment)] }), {
        kind: 'limit_reached',
      });
    const outcome = await createWithin(table, limit, segment.id, create, ({ kind }) => kind === 'limit_reached');
    if (outcome.kind === 'saved') noteSegment(table, segment.organizationId);
    return outcome;
  },
  async change(before, after) {
    const names = nameKey(before).pk === nameKey(after).pk ? [] : [nameWrite(after), freeName(before)];
    const sweep = isSameDescription(before, after) ? [] : [restartSweep(after, after.updatedAt, false)];
    const commitment = { row: rowOf(after), over: before.version, also: [...names, ...sweep] };
    return outcomeOf(await commit(table, commitment), { kind: 'conflict' });
  },
  async remove(segment, at) {
    const { id, organizationId, version } = segment;
    const outcome = await table.transact([
      { delete: KEYS.segment(organizationId, id), when: atVersion(version) },
      freeName(segment),
      countDown(organizationId, 'segments', id),
      restartSweep(segment, at, true),
    ]);
    return outcome.ok;
  },
  read: (organizationId, segmentId) => readRow(table, KEYS.segment(organizationId, segmentId), readSegment),
  async page(organizationId, q, { skip, limit }) {
    const wanted = q === undefined ? undefined : foldText(q);
    const found = (await readSegments(table, organizationId))
      .filter(({ name }) => wanted === undefined || foldText(name).includes(wanted))
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    return { items: withinBytes(found.slice(skip, skip + limit)), total: found.length };
  },
});
