import { setQuietHours as contract } from '../../shared/contracts/organization.ts';
import { organizationEntry } from '../../shared/domain/access/organizations.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(contract, async ({ actor, body }) =>
  (await setOrganization(
    table,
    actor.organizationId,
    'quietHours',
    body,
    organizationEntry(actor, 'quiet_hours.changed', clock(), body),
  ))
    ? body
    : refuse('NOT_FOUND', 'The organization does not exist.'),
);
