import type { NumberSet } from '../audience/number-set.ts';
import { type AudienceIndex, allOf, numbersSelection, type Selection, treeSelection } from '../audience/selection.ts';
import type { FieldError } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { ListStore } from '../lists/ports.ts';
import type { SegmentStore } from '../segments/segment.ts';
import { treeOfSegment } from '../segments/segments.ts';

/** The exported contacts: those in the given list and in the given segment; all if neither is given. */
export interface ContactSource {
  readonly listId?: Id<'list'>;
  readonly segmentId?: Id<'segment'>;
}
/** The stores of lists and segments for exports. */
export interface SourceStores {
  readonly lists: Pick<ListStore, 'read'>;
  readonly segments: Pick<SegmentStore, 'read'>;
}

/** The fields of a source whose list or segment does not exist. */
export const unknownSources = async (
  { lists, segments }: SourceStores,
  organizationId: Id<'organization'>,
  { listId, segmentId }: ContactSource,
): Promise<FieldError[]> => {
  const [list, segment] = await Promise.all([
    listId === undefined || lists.read(organizationId, listId),
    segmentId === undefined || segments.read(organizationId, segmentId),
  ]);
  return [
    ...(list ? [] : [{ path: 'listId', message: 'names no list of the organization' }]),
    ...(segment ? [] : [{ path: 'segmentId', message: 'names no segment of the organization' }]),
  ];
};

export interface SourcePorts {
  readonly index: AudienceIndex;
  readonly segments: Pick<SegmentStore, 'read'>;
  /** The numbers of the contacts of a list; undefined when there is no such list. */
  membersOf(organizationId: Id<'organization'>, listId: Id<'list'>): Promise<NumberSet | undefined>;
}

/** The selection of a source at `now` (ms); undefined for all contacts, `gone` if its list or segment was deleted. */
export const sourceSelection = async (
  { segments, membersOf }: Omit<SourcePorts, 'index'>,
  organizationId: Id<'organization'>,
  { listId, segmentId }: ContactSource,
  now: number,
): Promise<Selection | 'gone' | undefined> => {
  const selections: Selection[] = [];
  if (listId !== undefined) {
    const members = await membersOf(organizationId, listId);
    if (!members) return 'gone';
    selections.push(numbersSelection(members));
  }
  if (segmentId !== undefined) {
    const segment = await segments.read(organizationId, segmentId);
    if (!segment) return 'gone';
    selections.push(treeSelection(treeOfSegment(segment), now));
  }
  const [first, ...others] = selections;
  return first && allOf([first, ...others]);
};
