import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { Explanation } from './explain.ts';
import type { MembershipStatus } from './membership.ts';
import type { SizedSegment, WireFilter, WireTree } from './segment.ts';

const filterView = ({ field, operator, value, key }: WireFilter) => ({
  field,
  operator,
  ...definedFields({ value, key }),
});
type FilterView = ReturnType<typeof filterView>;
interface TreeView {
  readonly kind: WireTree['kind'];
  readonly operator?: 'and' | 'or';
  readonly filter?: FilterView;
  readonly nodes?: TreeView[];
}
const treeView = ({ kind, filter, operator, nodes }: WireTree): TreeView => ({
  kind,
  ...definedFields({ filter: filter && filterView(filter), operator, nodes: nodes?.map(treeView) }),
});

/** A segment as the API returns it. */
export const segmentView = (segment: SizedSegment) => ({
  id: segment.id,
  name: segment.name,
  ...definedFields({
    description: segment.description,
    filterTree: segment.filterTree && treeView(segment.filterTree),
  }),
  filters: segment.filters.map(filterView),
  size: segment.size,
  evaluatedAt: isoTime(segment.evaluatedAt),
  createdAt: isoTime(segment.createdAt),
  updatedAt: isoTime(segment.updatedAt),
});

/** An explanation as the API returns it. */
export const explanationView = ({ segmentId, contactId, isMember, conditions, since, evaluatedAt }: Explanation) => ({
  segmentId,
  contactId,
  member: isMember,
  conditions: conditions.map(({ filter, isMet }) => ({ filter: filterView(filter), met: isMet })),
  ...definedFields({ since: since === undefined ? undefined : isoTime(since) }),
  evaluatedAt: isoTime(evaluatedAt),
});

/** A segment, with a contact's membership. */
export interface KeptSegment extends MembershipStatus {
  readonly id: Id<'segment'>;
  /** Absent for a deleted one. */
  readonly name?: string | undefined;
}
/** The membership of a contact in a segment, as its export shows it. */
export const keptSegmentView = ({ id, name, isMember, since }: KeptSegment) => ({
  id,
  member: isMember,
  ...definedFields({ name, since: since === undefined ? undefined : isoTime(since) }),
});
