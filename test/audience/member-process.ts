import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { mergeChanges } from '../../shared/storage/audience/merge.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { asProcess } from '../support/as-process.ts';
import { patient } from '../support/patient-client.ts';
import { memberPorts, writeContact } from './member-changes.ts';

/** The work of a process: it changes all of its contacts concurrently, and then evaluates their block, while others change theirs. */
export interface MemberWork {
  readonly endpoint: string;
  readonly tableName: string;
  readonly now: number;
  readonly contacts: readonly Contact[];
  /** The tags of its contacts, one change after the other. */
  readonly changes: readonly (readonly string[])[];
}
const PATIENCE_MS = 60_000;

asProcess<MemberWork, 'changed'>(async ({ endpoint, tableName, now, contacts, changes }, say) => {
  const table = new Table(patient(tableClient(endpoint)), tableName, (at) => at + PATIENCE_MS - performance.now());
  const ports = memberPorts(table, () => now);
  for (const [at, tags] of changes.entries()) {
    await Promise.all(
      contacts.map((contact) =>
        writeContact(table, { ...contact, tags, updatedAt: now, version: contact.version + at + 1 }, false),
      ),
    );
    say('changed');
    // As the message of each change does. Work that fails by conflicts stays due, like a redelivered message: the test continues with it.
    for (const { id: contactId, organizationId } of contacts)
      await mergeChanges(ports, organizationId, { atLeast: 16, contactId }).catch(() => {});
  }
});
