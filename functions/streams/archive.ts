import { lambda } from '../../shared/runtime/lambda.ts';
import { archiveExpired } from '../../shared/wiring/archive/archive.ts';

/** Takes the rows that expired in the table into the archive. */
export const handler = lambda(archiveExpired);
