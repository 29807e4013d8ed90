import { getOrganization } from '../../shared/contracts/organization.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { ownOrganization } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(getOrganization, async ({ actor }) => {
  const organization = await ownOrganization(actor);
  return isRefusal(organization) ? organization : respond(200, organization);
});
