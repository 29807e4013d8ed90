import { changeOrganization as contract } from '../../shared/contracts/organization.ts';
import { organizationEntry, organizationView } from '../../shared/domain/access/organizations.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readOrganization, renameOrganization } from '../../shared/storage/access/organizations.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, body: { name } }) =>
    (name === undefined
      ? readOrganization(table, actor.organizationId)
      : renameOrganization(
          table,
          actor.organizationId,
          name,
          organizationEntry(actor, 'organization.changed', clock(), { name }),
        )
    ).then(orNotFound('There is no such organization.')),
  (organization, { actor }) => organizationView(organization, actor.env),
);
