import { getQuietHours as contract } from '../../shared/contracts/organization.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readQuietHours } from '../../shared/storage/organization-settings.ts';

const NONE = { inicio: null, fim: null, timeZone: null, channels: [] };

export const handler = operation(contract, async ({ actor }) =>
  respond(200, (await readQuietHours(table, actor.organizationId)) ?? NONE),
);
