import type { Id } from '../core/ids.ts';

/** A static list: contacts that the caller's system put together (docs/spec/lists.md#list-shape). Times in ms. */
export interface StaticList {
  readonly id: Id<'list'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly description?: string | undefined;
  /** The current number of contacts. */
  readonly size: number;
  readonly createdAt: number;
  /** When it or its members last changed. */
  readonly updatedAt: number;
}

/** Maximum lists per organization. */
export const MAX_LISTS = 1_000;

/** The form in which names are compared: without case, and in one Unicode form. Accents are significant. */
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
