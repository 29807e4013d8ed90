import type { ChangeOutcome, ContactStore, CreateOutcome } from '../../domain/contacts/ports.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Publishable } from '../../queues/queues.ts';
import { organizationExists } from '../access/organizations.ts';
import { KEYS } from '../access-patterns.ts';
import { tagWorkItems, tagWritesFor } from '../automation/tagged-contacts.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { withCompanyNow } from './company-links.ts';
import { takeContactNumbers } from './contact-numbers.ts';
import { changeWrites, companyWrites, createWrites, verdictOf } from './contact-writes.ts';
import { consentWrites, readContact } from './contacts.ts';
import { clearOptOuts, readUnsubscribedAt } from './recipient-opt-outs.ts';
import { changesDue } from './standing.ts';

type Raised = (events: readonly DomainEvent[]) => void;
type Publish = (workItems: readonly Publishable[]) => void;

/** Stores a new contact with its event, in one transaction. */
const create =
  (table: Table, raised: Raised, publish: Publish): ContactStore['create'] =>
  async (contact, event): Promise<CreateOutcome> => {
    if (!(await organizationExists(table, contact.organizationId))) return { kind: 'unknown_organization' };
    const writes = createWrites(contact, await changesDue(table, contact.organizationId));
    const tags = (await tagWritesFor(table, contact.organizationId, [{ after: contact }]))({ after: contact });
    const events = await takenEvents(table, contact.organizationId, [event]);
    const outcome = await table.transact([...writes.map(({ write }) => write), ...tags, ...events.map(eventWrite)]);
    const verdict = outcome.ok ? undefined : verdictOf(contact, writes, outcome.reasons);
    // A phone row of this contact means that an earlier attempt was committed and its response lost.
    if (outcome.ok || verdict?.kind === 'phone_own') {
      raised(events);
      publish(tagWorkItems(tags, contact.organizationId));
      return { kind: 'created' };
    }
    if (!verdict || verdict.kind === 'own') throw new Unavailable('The contact could not be stored.');
    return verdict;
  };

/** Stores a changed contact, in one transaction. If the response was lost, a retry is stale, and finds the change when it reads again. */
const change =
  (table: Table, raised: Raised, publish: Publish): ContactStore['change'] =>
  async (before, after, event): Promise<ChangeOutcome> => {
    const writes = [
      ...changeWrites(before, after, await changesDue(table, after.organizationId)),
      ...companyWrites({ before, after }),
    ];
    const events = await takenEvents(table, after.organizationId, event ? [event] : []);
    const tags = (await tagWritesFor(table, after.organizationId, [{ before, after }]))({ before, after });
    const outcome = await table.transact([...writes.map(({ write }) => write), ...tags, ...events.map(eventWrite)]);
    if (outcome.ok) {
      raised(events);
      publish(tagWorkItems(tags, after.organizationId));
      return { kind: 'changed' };
    }
    const isStale = outcome.reasons[0]?.conditionFailed === true;
    const verdict = isStale ? undefined : verdictOf(after, writes, outcome.reasons);
    return verdict === undefined || verdict.kind === 'own' || verdict.kind === 'phone_own'
      ? { kind: 'stale' }
      : verdict;
  };

/**
 * Contacts in the table of one stage. `raised` receives committed events, `publish` notifications for journeys, both for early publication;
 * best effort.
 */
export const contactStore = (table: Table, raised: Raised, publish: Publish = () => {}): ContactStore => ({
  takeNumbers: (organizationId, count) => takeContactNumbers(table, organizationId, count),
  create: create(table, raised, publish),
  read: async (id) => withCompanyNow(table, await readRow(table, KEYS.contact(id), readContact)),
  change: change(table, raised, publish),

  async changeConsent(before, after, event) {
    const writes = consentWrites(before, after, await changesDue(table, after.organizationId));
    const events = await takenEvents(table, after.organizationId, event ? [event] : []);
    const outcome = await table.transact([...writes, ...events.map(eventWrite)]);
    if (outcome.ok) raised(events);
    return outcome.ok;
  },

  unsubscribedAt: async ({ organizationId, emailHash }) =>
    emailHash === undefined ? undefined : readUnsubscribedAt(table, organizationId, emailHash),

  clearOptOuts: (contact, at) => clearOptOuts(table, contact, at),
});
