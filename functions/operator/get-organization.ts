import { getOrganization as contract } from '../../shared/contracts/operator-stage.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { readOrganizationState } from '../../shared/wiring/operator/organizations.ts';

export const handler = operation(contract, ({ actor, params }) => readOrganizationState(actor, params.id));
