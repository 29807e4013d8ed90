import { getOrganization as contract } from '../../shared/contracts/organization.ts';
import { organizationView } from '../../shared/domain/access/organizations.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { readOrganization } from '../../shared/storage/access/organizations.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor }) => readOrganization(table, actor.organizationId).then(orNotFound('There is no such organization.')),
  (organization, { actor }) => organizationView(organization, actor.env),
);
