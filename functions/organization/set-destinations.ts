import { setDestinations as contract } from '../../shared/contracts/organization.ts';
import { organizationEntry } from '../../shared/domain/access/organizations.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { destinationsView } from '../../shared/domain/sending/destination-settings.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const view = destinationsView(body);
  // Names every channel: an omitted one also changes, since it becomes unrestricted.
  const entry = organizationEntry(actor, 'destinations.changed', clock(), view);
  return (await setOrganization(table, actor.organizationId, 'destinations', body, entry))
    ? view
    : refuse('NOT_FOUND', 'The organization does not exist.');
});
