import { setQuietHours as contract } from '../../shared/contracts/organization.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { setOrganization } from '../../shared/storage/organization-settings.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const set = await setOrganization(table, actor.organizationId, 'quietHours', body);
  return set ? respond(200, body) : refuse('NOT_FOUND', 'The organization does not exist.');
});
