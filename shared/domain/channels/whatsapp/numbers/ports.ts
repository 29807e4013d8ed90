import type { Environment } from '../../../core/actor.ts';
import type { Clock } from '../../../core/time.ts';
import type { MetaApi } from './meta-port.ts';
import type { NumberStore } from './number.ts';

/** Ports of the number rules. */
export interface NumberPorts {
  readonly clock: Clock;
  readonly numbers: NumberStore;
  /** Opens Meta's API of an environment with an access token; `missing` names the missing setting if it is not configured. */
  readonly metaApi: (env: Environment, accessToken: string) => Promise<MetaApi | { readonly missing: string }>;
}
