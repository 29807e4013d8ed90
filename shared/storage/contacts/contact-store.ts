import type { ChangeOutcome, ContactStore, CreateOutcome } from '../../domain/contacts/ports.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { organizationExists } from '../access/organizations.ts';
import { KEYS } from '../access-patterns.ts';
import { takeContactNumbers } from '../audience/contact-numbers.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { readRow } from '../read-row.ts';
import { changeWrites, createWrites, verdictOf } from './contact-writes.ts';
import { consentWrites, readContact } from './contacts.ts';
import { clearOptOuts } from './recipient-opt-outs.ts';

type Raised = (event: DomainEvent) => void;

/** Stores a new contact with its event, in one transaction. */
const create =
  (table: Table, raised: Raised): ContactStore['create'] =>
  async (contact, event): Promise<CreateOutcome> => {
    if (!(await organizationExists(table, contact.organizationId))) return { kind: 'unknown_organization' };
    const writes = createWrites(contact);
    const outcome = await table.transact([...writes.map(({ write }) => write), eventWrite(event)]);
    const verdict = outcome.ok ? undefined : verdictOf(contact, writes, outcome.reasons);
    // Our own phone row means that an earlier attempt was committed and its answer lost.
    if (outcome.ok || verdict?.kind === 'phone_own') {
      raised(event);
      return { kind: 'created' };
    }
    if (!verdict || verdict.kind === 'own') throw new Unavailable('The contact could not be stored.');
    return verdict;
  };

/** Stores a changed contact, in one transaction. One whose answer was lost is stale, and found changed when it is read again. */
const change =
  (table: Table, raised: Raised): ContactStore['change'] =>
  async (before, after, event): Promise<ChangeOutcome> => {
    const writes = changeWrites(before, after);
    const outcome = await table.transact([...writes.map(({ write }) => write), ...(event ? [eventWrite(event)] : [])]);
    if (outcome.ok) {
      if (event) raised(event);
      return { kind: 'changed' };
    }
    const isStale = outcome.reasons[0]?.conditionFailed === true;
    const verdict = isStale ? undefined : verdictOf(after, writes, outcome.reasons);
    return verdict === undefined || verdict.kind === 'own' || verdict.kind === 'phone_own'
      ? { kind: 'stale' }
      : verdict;
  };

/** Contacts in the table of one stage. `raised` receives the ids of committed events, to publish them early; it may lose them. */
export const contactStore = (table: Table, raised: Raised): ContactStore => ({
  takeNumbers: (organizationId, count) => takeContactNumbers(table, organizationId, count),
  create: create(table, raised),
  read: (id) => readRow(table, KEYS.contact(id), readContact),
  change: change(table, raised),

  async changeConsent(before, after, event) {
    const writes = consentWrites(before, after);
    const outcome = await table.transact([...writes, ...(event ? [eventWrite(event)] : [])]);
    if (outcome.ok && event) raised(event);
    return outcome.ok;
  },

  clearOptOuts: (contact, at) => clearOptOuts(table, contact, at),
});
