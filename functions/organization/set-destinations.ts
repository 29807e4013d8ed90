import { setDestinations as contract } from '../../shared/contracts/organization.ts';
import { auditEntry, type Caller, fieldNames } from '../../shared/domain/audit/entry.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { type Destinations, destinationsView } from '../../shared/domain/sending/destination-settings.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { clock, table } from '../../shared/wiring/process/aws.ts';

/** Names every channel: one that is left out is changed too, since it is opened everywhere. */
const entryOf = (caller: Caller, body: Destinations) =>
  auditEntry(caller, {
    action: 'destinations.changed',
    object: caller.organizationId,
    at: clock(),
    details: { fields: fieldNames(destinationsView(body)) },
  });

export const handler = operation(contract, async ({ actor, body }) =>
  (await setOrganization(table, actor.organizationId, 'destinations', body, entryOf(actor, body)))
    ? destinationsView(body)
    : refuse('NOT_FOUND', 'The organization does not exist.'),
);
