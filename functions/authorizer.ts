import { authorizer } from '../shared/runtime/authorizer.ts';
import { clock, settings, table } from '../shared/runtime/compose/platform.ts';
import { credentialReader } from '../shared/storage/access.ts';

/** The stage's authorizer: one consistent read for a key, two for a session. */
export const handler = authorizer({ env: settings.STAGE, credentials: credentialReader(table), clock });
