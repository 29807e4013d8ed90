import { keyUses } from '../shared/domain/access/key-uses.ts';
import { authorizer } from '../shared/runtime/authorizer.ts';
import { credentialReader } from '../shared/storage/access/credentials.ts';
import { recordKeyUse } from '../shared/storage/access/key-uses.ts';
import { clock, settings, table } from '../shared/wiring/process/aws.ts';

/** The stage's authorizer: one consistent read for a key, two for a session and for a key below another; now and then a write of its use. */
export const handler = authorizer({
  env: settings.STAGE,
  credentials: credentialReader(table),
  clock,
  uses: keyUses(recordKeyUse(table)),
  edge: settings.EDGE,
});
