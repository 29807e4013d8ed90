import { type ContactPageRequest, foundContactPage } from '../audience/contact-page.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import type { CursorItems } from '../core/cursor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { SegmentPorts } from './segment.ts';
import { findSegment, selectSegment } from './segments.ts';

/** A page of a segment's contacts, newest first. 400 for a cursor of another list. */
export const segmentContactPage = async (
  ports: SegmentPorts,
  actor: Tenant,
  id: Id<'segment'>,
  request: ContactPageRequest,
): Promise<CursorItems<Contact> | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const segment = await findSegment(ports, actor, id);
  if (isRefusal(segment)) return segment;
  const found = await selectSegment(ports, segment, ports.clock());
  return foundContactPage(ports.index, actor.organizationId, found, request);
};
