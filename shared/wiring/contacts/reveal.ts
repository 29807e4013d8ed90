import { DOCUMENT_REVEALS } from '../../domain/access/rate-limits.ts';
import type { RevealPorts } from '../../domain/contacts/reveal.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { auditWrites } from '../../storage/audit/audit-log.ts';
import { EXISTS } from '../../storage/client/conditions.ts';
import { drawOf } from '../access/rates.ts';
import { table } from '../process/aws.ts';
import { contactPorts } from './contacts.ts';

export const revealPorts: RevealPorts = {
  ...contactPorts,
  admit: ({ accountId, credentialId }) => drawOf(accountId ?? credentialId, DOCUMENT_REVEALS),
  enter: async (id, entry) =>
    (await table.transact([{ check: KEYS.contact(id), when: EXISTS }, ...auditWrites(entry)])).ok,
};
