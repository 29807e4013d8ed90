import { auditEntry } from '../../domain/audit/entry.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import { NEVER_SENT } from '../../domain/contacts/frequency.ts';
import type { Actor } from '../../domain/core/actor.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { activityPage } from '../../storage/activities/activity-list.ts';
import { segmentsOfContact } from '../../storage/audience/memberships.ts';
import { auditWrites } from '../../storage/audit/audit-log.ts';
import { allConsents } from '../../storage/contacts/consent-history.ts';
import { readSentCounts } from '../../storage/contacts/sent-counts.ts';
import { listsOfContact } from '../../storage/lists/unlisted-contacts.ts';
import { cardPage } from '../../storage/pipelines/card-lists.ts';
import { devicesOfContact, pushDevices } from '../../storage/push/devices.ts';
import { clock, table, vaults } from '../process/aws.ts';

const DEVICES_IN_FLIGHT = 8;
/** Maximum cards and activities in an export; more are available through their lists, filtered by contact. */
const IN_CRM = { skip: 0, limit: 500 } as const;

/** The additional data of an export's first page, read once the export is recorded in the audit log. */
export const beginExport = async (actor: Actor, contact: Contact) => {
  const { id, number, organizationId } = contact;
  await table.transact(auditWrites(auditEntry(actor, { action: 'contact.exported', object: id, at: clock() })));
  const store = pushDevices(table, vaults.push);
  const [consents, ids, lists, segments, [sent], cards, activities] = await Promise.all([
    allConsents(table, id),
    devicesOfContact(table, id),
    listsOfContact(table, organizationId, number),
    segmentsOfContact(table, contact, clock()),
    readSentCounts(table, [id]),
    cardPage(table)(organizationId, { contactId: id }, IN_CRM),
    activityPage(table, organizationId, { contactId: id }, IN_CRM),
  ]);
  const devices = await mapConcurrently(ids, DEVICES_IN_FLIGHT, (deviceId) => store.read(organizationId, deviceId));
  return {
    consents,
    lists,
    segments,
    sent: sent ?? NEVER_SENT,
    cards: cards.items,
    activities: activities.items,
    devices: devices.filter((device) => device !== undefined),
  };
};
