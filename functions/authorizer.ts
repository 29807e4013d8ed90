import { authorizer } from '../shared/runtime/authorizer.ts';
import { credentialReader } from '../shared/storage/access/credentials.ts';
import { clock, settings, table } from '../shared/wiring/process/aws.ts';

/** The stage's authorizer: one consistent read for a key, two for a session. */
export const handler = authorizer({ env: settings.STAGE, credentials: credentialReader(table), clock });
