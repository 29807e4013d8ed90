import { listProviders as contract } from '../../shared/contracts/operator-stage.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listProviders } from '../../shared/wiring/operator/providers.ts';

export const handler = operation(contract, ({ actor }) => listProviders(actor));
