import type { Id } from '../core/ids.ts';

/** A static list: contacts that the caller's system put together (docs/spec/lists.md#list-shape). Times in ms. */
export interface StaticList {
  readonly id: Id<'list'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly description?: string | undefined;
  /** How many contacts it has now. */
  readonly size: number;
  readonly createdAt: number;
  /** When it last changed, its members included. */
  readonly updatedAt: number;
}

/** Lists of an organization, at most. */
export const MAX_LISTS = 1_000;

/** What names are compared by: without case, and in one Unicode form. Accents tell names apart, as they tell words apart. */
export const comparedName = (name: string): string => name.normalize('NFKC').toLowerCase().normalize('NFKC');

/** A list as the API returns it. */
export const listView = ({ id, name, description, size, createdAt, updatedAt }: StaticList) => ({
  id,
  name,
  description,
  size,
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
});
