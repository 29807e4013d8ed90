import type { AudienceIndex } from '../audience/selection.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { Page, PageRequest } from '../message/lists.ts';

/** The fields of conditions, and their operators. */
export const FILTER_FIELDS = ['tag', 'attribute', 'optIn', 'lastInteraction', 'channel'] as const;
export const FILTER_OPERATORS = [
  'is',
  'isNot',
  'contains',
  'gt',
  'lt',
  'exists',
  'before',
  'after',
  'withinDays',
  'olderThanDays',
  'has',
  'hasNot',
] as const;

/** A condition as it is on the wire (docs/spec/segments.md#filters). */
export interface WireFilter {
  readonly field: (typeof FILTER_FIELDS)[number];
  readonly operator: (typeof FILTER_OPERATORS)[number];
  readonly value?: string | number | boolean | undefined;
  readonly key?: string | undefined;
}
/** A tree of conditions as it is on the wire. */
export interface WireTree {
  readonly kind: 'leaf' | 'group';
  readonly filter?: WireFilter | undefined;
  readonly operator?: 'and' | 'or' | undefined;
  readonly nodes?: readonly WireTree[] | undefined;
}
/** The conditions of a segment: `filterTree` takes precedence over `filters`. */
export interface Description {
  readonly filters: readonly WireFilter[];
  readonly filterTree?: WireTree | undefined;
}

/** A saved segment (docs/spec/segments.md). Times in ms. */
export interface Segment extends Tenant, Description {
  readonly id: Id<'segment'>;
  readonly name: string;
  readonly description?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}
/** A segment with the number of its contacts at a time (ms). */
export interface SizedSegment extends Segment {
  readonly size: number;
  readonly evaluatedAt: number;
}

/** Result of saving a segment; `segmentId` is the segment that already has the name. */
export type SaveOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'taken'; readonly segmentId: Id<'segment'> }
  | { readonly kind: 'limit_reached' };

/** Stores segments. */
export interface SegmentStore {
  create(segment: Segment): Promise<SaveOutcome>;
  change(before: Segment, after: Segment): Promise<SaveOutcome>;
  /** At a time (ms); false if the segment changed since it was read. */
  remove(segment: Segment, at: number): Promise<boolean>;
  read(organizationId: Id<'organization'>, id: Id<'segment'>): Promise<Segment | undefined>;
  /** Newest first; `q`: a part of the name, ignoring case and accents. */
  page(organizationId: Id<'organization'>, q: string | undefined, page: PageRequest): Promise<Page<Segment>>;
}

/** Ports of the segment rules. */
export interface SegmentPorts {
  readonly clock: Clock;
  readonly store: SegmentStore;
  readonly index: AudienceIndex;
}
