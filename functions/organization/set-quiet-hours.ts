import { setQuietHours as contract } from '../../shared/contracts/organization.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(contract, async ({ actor, body }) =>
  (await setOrganization(table, actor.organizationId, 'quietHours', body))
    ? body
    : refuse('NOT_FOUND', 'The organization does not exist.'),
);
