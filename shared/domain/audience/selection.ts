import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import type { Id } from '../core/ids.ts';
import type { BlockSet } from './block.ts';
import type { ColumnName, readBase } from './columns.ts';
import { type ContactDigest, digestOf } from './digest.ts';
import { type BlockColumns, baseWhere, columnsOf, evaluate, presentIn, updatedSince } from './evaluate.ts';
import { type FilterTree, matches } from './filters.ts';

/** A selection of contacts: told by a block's columns, and equally by a contact itself. */
export interface Selection {
  readonly columns: ReadonlySet<ColumnName>;
  readonly inBlock: (columns: BlockColumns) => BlockSet;
  readonly holds: (contact: ContactDigest) => boolean;
}

/** The contacts that a tree describes at `now` (ms). */
export const treeSelection = (tree: FilterTree, now: number): Selection => ({
  columns: columnsOf(tree),
  inBlock: (columns) => evaluate(tree, columns, now),
  holds: (contact) => matches(tree, contact, now),
});

/** What lists of contacts are filtered by (docs/spec/contacts.md#lists-of-contacts). */
export interface ContactFilter {
  readonly tag?: string | undefined;
  readonly optInStatus?: OptInStatus | undefined;
  readonly source?: ContactSource | undefined;
  /** ms. */
  readonly updatedSince?: number | undefined;
}

/** The contacts that meet all parts of a filter. */
export const filterSelection = ({ tag, optInStatus, source, updatedSince: since }: ContactFilter): Selection => {
  const tagged =
    tag === undefined
      ? undefined
      : treeSelection({ kind: 'leaf', filter: { field: 'tag', operator: 'is', value: tag } }, 0);
  return {
    columns: new Set<ColumnName>([
      'base',
      ...(tagged?.columns ?? []),
      ...(since === undefined ? [] : (['updates'] as const)),
    ]),
    inBlock: (columns) => {
      const isAsked = (base: ReturnType<typeof readBase>) =>
        (optInStatus === undefined || base.optIn === optInStatus) && (source === undefined || base.source === source);
      const parts = [
        ...(tagged ? [tagged.inBlock(columns)] : []),
        ...(since === undefined ? [] : [updatedSince(columns, since)]),
      ];
      const asked = baseWhere(columns, (base) => base.present && isAsked(base));
      return parts.reduce((set, part) => set.and(part), asked.and(presentIn(columns)));
    },
    holds: (contact) =>
      (tagged?.holds(contact) ?? true) &&
      (optInStatus === undefined || contact.optIn === optInStatus) &&
      (source === undefined || contact.source === source) &&
      (since === undefined || contact.updatedAt >= since),
  };
};

/** Whether a contact is selected. */
export const isSelected = (selection: Selection, contact: Contact): boolean => selection.holds(digestOf(contact));

/** The contacts that a selection found in an organization, as blocks of their numbers. */
export type Found = ReadonlyMap<number, BlockSet>;

/** Finds contacts by the audience's index. */
export interface AudienceIndex {
  /** All contacts of the organization that are selected. What was changed before the call is in the answer. */
  select(organizationId: Id<'organization'>, selection: Selection): Promise<Found>;
  /** The contacts with these numbers, in their order; those that are gone are left out. */
  contacts(organizationId: Id<'organization'>, numbers: readonly number[]): Promise<readonly Contact[]>;
}
