import { getDestinations as contract } from '../../shared/contracts/organization.ts';
import { destinationsView } from '../../shared/domain/sending/destination-settings.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { readDestinations } from '../../shared/storage/access/organization-settings.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor }) => readDestinations(table, actor.organizationId),
  destinationsView,
);
