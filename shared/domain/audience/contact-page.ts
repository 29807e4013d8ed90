import * as z from 'zod';
import type { Contact } from '../contacts/contact.ts';
import { type CursorItems, encodeCursor, type GivenCursor, openCursor } from '../core/cursor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Found } from './found.ts';
import type { AudienceIndex } from './selection.ts';

/** The requested page, and the scope in which its cursors are valid. */
export interface ContactPageRequest extends GivenCursor {
  readonly limit: number;
}
const position = z.number();

/**
 * A page of the contacts of a selection, newest first. A cursor is the number of the last contact, so that contacts that enter or leave the
 * selection meanwhile shift no others. 400 for a cursor of another list.
 */
export const foundContactPage = async (
  index: AudienceIndex,
  organizationId: Id<'organization'>,
  found: Found,
  request: ContactPageRequest,
): Promise<CursorItems<Contact> | Refusal<'BAD_REQUEST'>> => {
  const { vault, scope, limit } = request;
  const below = openCursor(position, request) ?? Number.POSITIVE_INFINITY;
  if (isRefusal(below)) return below;
  const numbers = await found.numbers({ skip: 0, limit: limit + 1, below });
  const items = await index.contacts(organizationId, numbers.slice(0, limit));
  const last = numbers[limit - 1];
  const more = numbers.length > limit && last !== undefined;
  return { items, ...(more ? { nextCursor: encodeCursor(vault, scope, last) } : {}) };
};
