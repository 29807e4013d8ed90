import * as z from 'zod';
import type { AuditEntry } from '../../domain/audit/entry.ts';
import type { Id } from '../../domain/core/ids.ts';
import { type Destinations, DestinationsSchema } from '../../domain/sending/destination-settings.ts';
import { type QuietHours, QuietHoursSchema } from '../../domain/sending/quiet-hours.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/** An organization's contracted or configured send settings; each absent until set. */
const settings = z.object({
  /** SMS per second at most. */
  smsPerSecond: z.int().min(1).optional(),
  /** Single sends a minute of all its credentials together. */
  sendsPerMinute: z.int().min(1).optional(),
  /** The sender of e-mails that name none. */
  emailFrom: z.string().optional(),
  quietHours: QuietHoursSchema.optional(),
  /** Allowed destinations by channel; everywhere when absent. */
  destinations: DestinationsSchema.optional(),
});
type Settings = z.output<typeof settings>;

/** Settings that may be slightly stale: all except the quiet hours, which are never cached. */
const kept = settings.omit({ quietHours: true });
export type KeptSettings = z.output<typeof kept>;

/** The settings of an organization that may be cached. One read of three attributes. */
export const readKeptSettings = async (table: Table, organizationId: Id<'organization'>): Promise<KeptSettings> => {
  const only = Object.keys(kept.shape);
  const found = await table.get(KEYS.organization(organizationId), { eventual: true, only });
  return found ? kept.parse(found) : {};
};

/** Sets one of an organization's settings, or removes it when undefined, with the audit entry. False if there is no such organization. */
export const setOrganization = async <K extends keyof Settings>(
  table: Table,
  id: Id<'organization'>,
  name: K,
  value: Settings[K],
  entry: AuditEntry,
): Promise<boolean> => {
  const written = await table.transact([
    {
      update: KEYS.organization(id),
      ...(value === undefined ? { remove: [name] } : { set: { [name]: value } }),
      when: EXISTS,
    },
    ...auditWrites(entry),
  ]);
  return written.ok;
};

/** The quiet hours on an organization's row; undefined when it has none. */
export const quietHoursOf = (found: Row | undefined): QuietHours | undefined =>
  found && settings.parse(found).quietHours;

/** The current quiet hours. One strongly consistent read, shared by concurrent callers: the messages of a bulk send are sent in parallel. */
export const readQuietHours = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<QuietHours | undefined> => {
  const [found] = await coalescedRead(table, [KEYS.organization(organizationId)]);
  return quietHoursOf(found);
};

/** The organization's allowed destinations; undefined for everywhere. One strongly consistent read. */
export const readDestinations = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<Destinations | undefined> => {
  const found = await table.get(KEYS.organization(organizationId), { only: ['destinations'] });
  return found && kept.parse(found).destinations;
};
