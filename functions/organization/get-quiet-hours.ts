import { getQuietHours as contract } from '../../shared/contracts/organization.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { readQuietHours } from '../../shared/storage/access/organization-settings.ts';
import { table } from '../../shared/wiring/process/aws.ts';

const NONE = { inicio: null, fim: null, timeZone: null, channels: [] };

export const handler = operation(
  contract,
  ({ actor }) => readQuietHours(table, actor.organizationId),
  (quietHours) => quietHours ?? NONE,
);
