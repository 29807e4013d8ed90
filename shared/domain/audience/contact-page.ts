import * as z from 'zod';
import type { Contact } from '../contacts/contact.ts';
import { fittingContacts } from '../contacts/views.ts';
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
 * A page of the contacts of a selection, newest first; shorter if they would not fit into one response. A cursor is the number of the last contact, so that contacts that enter or leave the
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
  const contacts = await index.contacts(organizationId, numbers.slice(0, limit));
  const items = fittingContacts(contacts);
  // A contact of the page may be gone by now: where all others fit, the next page begins after the last number.
  const last = items.length < contacts.length ? items.at(-1)?.number : numbers[limit - 1];
  const more = items.length < contacts.length || numbers.length > limit;
  return { items, ...(more && last !== undefined ? { nextCursor: encodeCursor(vault, scope, last) } : {}) };
};
