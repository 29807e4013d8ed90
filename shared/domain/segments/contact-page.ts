import * as z from 'zod';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import { type CursorItems, encodeCursor, type GivenCursor, openCursor } from '../core/cursor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { SegmentPorts } from './segment.ts';
import { findSegment, selectSegment } from './segments.ts';

/** The requested page, and the scope in which its cursors are valid. */
interface Request extends GivenCursor {
  readonly limit: number;
}
const position = z.number();

/**
 * A page of a segment's contacts, newest first. A cursor is the number of the last contact, so that who enters or leaves meanwhile shifts nobody. 400
 * for a cursor of another list.
 */
export const segmentContactPage = async (
  ports: SegmentPorts,
  actor: Tenant,
  id: Id<'segment'>,
  request: Request,
): Promise<CursorItems<Contact> | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const { vault, scope, limit } = request;
  const segment = await findSegment(ports, actor, id);
  if (isRefusal(segment)) return segment;
  const below = openCursor(position, request) ?? Number.POSITIVE_INFINITY;
  if (isRefusal(below)) return below;
  const found = await selectSegment(ports, segment, ports.clock());
  const numbers = await found.numbers({ skip: 0, limit: limit + 1, below });
  const items = await ports.index.contacts(actor.organizationId, numbers.slice(0, limit));
  const last = numbers[limit - 1];
  const more = numbers.length > limit && last !== undefined;
  return { items, ...(more ? { nextCursor: encodeCursor(vault, scope, last) } : {}) };
};
