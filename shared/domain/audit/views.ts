import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { AuditEntry } from './entry.ts';

/** How long an entry is kept, in ms: 400 days. */
export const AUDIT_KEPT_MS = 400 * 24 * 3_600_000;

/** Filters of a list; an absent field does not filter. Times are ms, both inclusive. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An entry with the present name of its actor; undefined if the actor is gone. */
export type NamedEntry = AuditEntry & { readonly actorName?: string | undefined };

/** An entry as the API returns it (docs/spec/audit.md#reading-the-log). */
export const auditView = ({ id, at, actor, actorName, action, object, ip, requestId, details }: NamedEntry) => ({
  id,
  at: isoTime(at),
  actor: { ...actor, ...(actorName === undefined ? {} : { name: actorName }) },
  action,
  object,
  ...definedFields({ ip, requestId }),
  details,
});
