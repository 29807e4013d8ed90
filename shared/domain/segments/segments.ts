import { digestOf } from '../audience/digest.ts';
import { type FilterTree, matches } from '../audience/filters.ts';
import type { Found } from '../audience/found.ts';
import { treeSelection } from '../audience/selection.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import { canonical } from '../core/canonical.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, isId, newId } from '../core/ids.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import { parseDescription } from './parse.ts';
import type { Description, SaveOutcome, Segment, SegmentPorts, SizedSegment } from './segment.ts';

/** How many contacts a preview lists. */
const SAMPLE = 20;

const missing = () => refuse('NOT_FOUND', 'There is no such segment.');
const taken = (segmentId: Id<'segment'>) =>
  refuse('CONFLICT', { detail: 'Another segment has this name.', meta: { code: 'NOME_JA_CADASTRADO', segmentId } });

/** The tree of a stored segment, which is always valid. */
export const treeOfSegment = (segment: Segment): FilterTree => {
  const tree = parseDescription(segment);
  if (isRefusal(tree)) throw new TypeError('a stored segment is not valid');
  return tree;
};

/** Whether a contact is in a segment now; undefined if the organization has no such segment. One read. */
export const segmentMembership = async (
  ports: Pick<SegmentPorts, 'clock' | 'store'>,
  tenant: Tenant,
  id: string,
): Promise<((contact: Contact) => boolean) | undefined> => {
  const segment = isId('segment', id) ? await ports.store.read(tenant.organizationId, id) : undefined;
  if (!segment) return undefined;
  const [tree, now] = [treeOfSegment(segment), ports.clock()];
  return (contact) => matches(tree, digestOf(contact), now);
};

/** The contacts of a segment at `now` (ms). */
export const selectSegment = (ports: Pick<SegmentPorts, 'index'>, segment: Segment, now: number): Promise<Found> =>
  ports.index.find(segment.organizationId, treeSelection(treeOfSegment(segment), now));

const sized = async (ports: SegmentPorts, segment: Segment): Promise<SizedSegment> => {
  const now = ports.clock();
  const found = await selectSegment(ports, segment, now);
  return { ...segment, size: found.count, evaluatedAt: now };
};

/** The number of contacts that match some conditions now, with the newest of them. Stores nothing. */
export const previewSegment = async (
  ports: Omit<SegmentPorts, 'store'>,
  { organizationId }: Tenant,
  description: Description,
): Promise<{ count: number; sample: Id<'contact'>[]; evaluatedAt: number } | Refusal<'VALIDATION_ERROR'>> => {
  const tree = parseDescription(description, description);
  if (isRefusal(tree)) return tree;
  const evaluatedAt = ports.clock();
  const found = await ports.index.find(organizationId, treeSelection(tree, evaluatedAt));
  const contacts = await ports.index.contacts(organizationId, await found.numbers({ skip: 0, limit: SAMPLE }));
  return { count: found.count, sample: contacts.map(({ id }) => id), evaluatedAt };
};

export interface NewSegment extends Description {
  readonly name: string;
  readonly description?: string | undefined;
}

/** Saves a new segment. 409 naming the segment that has the name; of two concurrent ones, one is saved. */
export const createSegment = async (
  ports: SegmentPorts,
  { organizationId, env }: Tenant,
  input: NewSegment,
): Promise<SizedSegment | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const tree = parseDescription(input, input);
  if (isRefusal(tree)) return tree;
  const now = ports.clock();
  const segment: Segment = {
    ...input,
    id: newId('segment'),
    organizationId,
    env,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const outcome = await ports.store.create(segment);
  if (outcome.kind === 'taken') return taken(outcome.segmentId);
  if (outcome.kind !== 'saved') return refuse('CONFLICT', 'The organization has reached its maximum of segments.');
  return sized(ports, segment);
};

/** A segment of the caller's organization. */
export const findSegment = async (
  { store }: Pick<SegmentPorts, 'store'>,
  { organizationId }: Tenant,
  id: Id<'segment'>,
): Promise<Segment | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? missing();

/** A segment with its size. */
export const getSegment = async (
  ports: SegmentPorts,
  actor: Tenant,
  id: Id<'segment'>,
): Promise<SizedSegment | Refusal<'NOT_FOUND'>> => {
  const segment = await findSegment(ports, actor, id);
  return isRefusal(segment) ? segment : sized(ports, segment);
};

/** A page of segments with their sizes, newest first. */
export const listSegments = async (
  ports: SegmentPorts,
  { organizationId }: Tenant,
  q: string | undefined,
  page: PageRequest,
): Promise<Page<SizedSegment>> => {
  const { items, total } = await ports.store.page(organizationId, q, page);
  const evaluatedAt = ports.clock();
  const selections = items.map((segment) => treeSelection(treeOfSegment(segment), evaluatedAt));
  const all = await ports.index.findEach(organizationId, selections);
  return {
    items: items.map((segment, at) => ({ ...segment, size: all[at]?.count ?? 0, evaluatedAt })),
    total,
  };
};

export type SegmentPatch = Patch<NewSegment, 'description' | 'filterTree'>;
/** Changes a segment (JSON Merge Patch). A tree stays, and takes precedence over new filters, until a change replaces or clears it. */
const changed = (segment: Segment, patch: SegmentPatch, now: number): Segment => {
  const { filters, filterTree = segment.filterTree, description = segment.description } = patch;
  return {
    ...segment,
    ...definedFields({ name: patch.name, filters }),
    filterTree: filterTree ?? undefined,
    description: description ?? undefined,
    updatedAt: now,
    version: segment.version + 1,
  };
};

/** Whether two segments have the same conditions. */
export const isSameDescription = (one: Description, other: Description): boolean => {
  const [left, right] = [one, other].map(({ filters, filterTree }) =>
    JSON.stringify(canonical({ filters, filterTree })),
  );
  return left === right;
};

/** Whether a change has no effect. */
const isSame = (before: Segment, after: Segment): boolean => {
  const isNamedSo = before.name === after.name && before.description === after.description;
  return isNamedSo && isSameDescription(before, after);
};

const savedOr = (outcome: SaveOutcome) => (outcome.kind === 'taken' ? taken(outcome.segmentId) : CONFLICT);

/** Changes a segment; absent fields stay. */
export const changeSegment = (
  ports: SegmentPorts,
  actor: Tenant,
  id: Id<'segment'>,
  patch: SegmentPatch,
): Promise<SizedSegment | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The segment', async () => {
    const before = await findSegment(ports, actor, id);
    if (isRefusal(before)) return before;
    const after = changed(before, patch, ports.clock());
    if (isSame(before, after)) return sized(ports, before);
    const tree = parseDescription(after, patch);
    if (isRefusal(tree)) return tree;
    const outcome = await ports.store.change(before, after);
    return outcome.kind === 'saved' ? sized(ports, after) : savedOr(outcome);
  });

/** Deletes a segment; its contacts stay. */
export const deleteSegment = (
  ports: SegmentPorts,
  actor: Tenant,
  id: Id<'segment'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The segment',
    () => findSegment(ports, actor, id),
    (segment) => ports.store.remove(segment, ports.clock()),
  );
