import { changeOrganization as contract } from '../../shared/contracts/organization.ts';
import { organizationView } from '../../shared/domain/access/organizations.ts';
import { auditEntry, type Caller } from '../../shared/domain/audit/entry.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readOrganization, renameOrganization } from '../../shared/storage/access/organizations.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

const entryOf = (caller: Caller) =>
  auditEntry(caller, {
    action: 'organization.changed',
    object: caller.organizationId,
    at: clock(),
    details: { fields: ['name'] },
  });

export const handler = operation(
  contract,
  ({ actor, body: { name } }) =>
    (name === undefined
      ? readOrganization(table, actor.organizationId)
      : renameOrganization(table, actor.organizationId, name, entryOf(actor))
    ).then(orNotFound('There is no such organization.')),
  (organization, { actor }) => organizationView(organization, actor.env),
);
