import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { OptInStatus } from './contact.ts';

/** A change of a contact's consent, as it was recorded; kept until the contact is erased. */
export interface ConsentChange {
  readonly contactId: Id<'contact'>;
  readonly organizationId: Id<'organization'>;
  /** ms. */
  readonly at: number;
  readonly status: OptInStatus;
  readonly source?: string | undefined;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly reason?: string | undefined;
  /** The event of a withdrawal that a merged contact made. */
  readonly eventId?: Id<'event'> | undefined;
}

/** A change of consent as the API returns it (docs/spec/contacts.md#consent-history). */
export const consentView = ({ at, status, source, ip, userAgent, reason }: ConsentChange) => ({
  at: isoTime(at),
  status,
  ...definedFields({ source, ip, userAgent, reason }),
});
