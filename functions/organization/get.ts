import { getOrganization } from '../../shared/contracts/organization.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { ownOrganization } from '../../shared/runtime/compose/access.ts';
import { operation } from '../../shared/runtime/operation.ts';

export const handler = operation(getOrganization, async ({ actor }) => {
  const organization = await ownOrganization(actor);
  return isRefusal(organization) ? organization : { status: 200 as const, body: organization };
});
