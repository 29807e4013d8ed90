import type { Id } from './ids.ts';

/** The kinds of objects that others name and that may be deleted while they do. */
export type LinkedKind = 'card' | 'company' | 'contact';
export type LinkedId = { readonly [K in LinkedKind]: Id<K> }[LinkedKind];

/**
 * Deleted objects that something may still name (docs/crm.md#links): a contact that was merged into another with that one's id, all else with nothing. An id that
 * it doesn't have names something that is there.
 */
export type Tombstones = ReadonlyMap<LinkedId, Id<'contact'> | undefined>;
export const NO_TOMBSTONES: Tombstones = new Map();

/** What a link names now: the object itself, the contact that it became by merges, or nothing once that is deleted. */
export const linkNow = <K extends LinkedKind>(tombstones: Tombstones, id: Id<K> | undefined): Id<K> | undefined => {
  const linked = id as LinkedId | undefined;
  if (linked === undefined || !tombstones.has(linked)) return id;
  // Only contacts become others: what stands in the place of an id is of its kind.
  return linkNow(tombstones, tombstones.get(linked) as Id<K> | undefined);
};

/** Objects with the links in these fields as they are now: one to a deleted object is undefined. Objects without such a link stay as they are. */
export const withLinksNow = <T extends object, F extends keyof T>(
  tombstones: Tombstones,
  objects: readonly T[],
  fields: readonly F[],
): readonly T[] => {
  if (tombstones.size === 0) return objects;
  return objects.map((object) => {
    const now = fields.map(
      (field) => [field, linkNow(tombstones, object[field] as Id<LinkedKind> | undefined)] as const,
    );
    return now.every(([field, link]) => object[field] === link) ? object : { ...object, ...Object.fromEntries(now) };
  });
};

/** The ids that objects have in these fields. */
export const linksOf = <T extends object, F extends keyof T>(
  objects: readonly T[],
  fields: readonly F[],
): readonly LinkedId[] =>
  objects.flatMap((object) => fields.flatMap((field) => (object[field] as LinkedId | undefined) ?? []));
