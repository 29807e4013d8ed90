import type { Id } from './ids.ts';

/** Kinds of objects that others link to and that may be deleted while linked. */
export type LinkedKind = 'card' | 'company' | 'contact';
export type LinkedId = { readonly [K in LinkedKind]: Id<K> }[LinkedKind];

/**
 * Deleted objects that others may still link to (docs/crm.md#links): a contact that was merged maps to the surviving
 * contact, everything else to undefined. Ids that are missing here still exist.
 */
export type Tombstones = ReadonlyMap<LinkedId, Id<'contact'> | undefined>;
export const NO_TOMBSTONES: Tombstones = new Map();

/** Resolves a link: the object itself, the contact that it was merged into, or undefined if that is deleted. */
export const linkNow = <K extends LinkedKind>(tombstones: Tombstones, id: Id<K> | undefined): Id<K> | undefined => {
  const linked = id as LinkedId | undefined;
  if (linked === undefined || !tombstones.has(linked)) return id;
  // Only contacts can be merged, so the replacement has the same kind of id.
  return linkNow(tombstones, tombstones.get(linked) as Id<K> | undefined);
};

/**
 * Resolves the links in these fields: a link to a deleted object becomes undefined. Objects without such links are
 * returned as they are.
 */
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

/** The ids in these fields of the objects. */
export const linksOf = <T extends object, F extends keyof T>(
  objects: readonly T[],
  fields: readonly F[],
): readonly LinkedId[] =>
  objects.flatMap((object) => fields.flatMap((field) => (object[field] as LinkedId | undefined) ?? []));
