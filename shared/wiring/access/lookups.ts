import { PERSON_LOOKUPS } from '../../domain/access/rate-limits.ts';
import { auditEntry } from '../../domain/audit/entry.ts';
import type { Actor } from '../../domain/core/actor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import { auditWrites } from '../../storage/audit/audit-log.ts';
import { clock, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';
import { finishBeforeAnswer } from '../process/scope.ts';
import { drawOf, refuseEmpty } from './rates.ts';

/** A lookup of a person by an address: the logged fields, never the address itself. */
interface Lookup {
  /** The operation's id. */
  readonly operation: string;
  /** The fields that held an address. */
  readonly filters: readonly string[];
  /** The number of people that the response reveals; one by default. */
  readonly people?: number;
}

/** Writes a lookup to the audit log while the lookup runs. Best effort: a failure does not affect the response. */
const enter = async (actor: Actor, { operation, filters }: Lookup): Promise<void> => {
  const details = { fields: [...filters] };
  const entry = auditEntry(actor, { action: 'person.looked_up', object: operation, at: clock(), details });
  try {
    await table.transact(auditWrites(entry));
  } catch (error) {
    logger.warn('a person lookup was not entered', {
      operation,
      fault: error instanceof Error ? error.name : 'unknown',
    });
  }
};

/** 429 for a credential without lookups left, before a call that may turn out to be one. */
export const refuseExhausted = async ({ credentialId, scopes }: Actor): Promise<Refusal<'RATE_LIMITED'> | undefined> =>
  scopes.has('pii:full') ? undefined : refuseEmpty(credentialId, PERSON_LOOKUPS);

/**
 * Admits a lookup, or refuses it with 429, and logs it in either case; without pii:full an admitted one is also recorded in the audit log
 * (docs/spec/personal-data.md#lookups-by-address).
 */
export const admitLookup = async (
  actor: Actor,
  { operation, filters, people = 1 }: Lookup,
): Promise<Refusal<'RATE_LIMITED'> | undefined> => {
  const { organizationId, credentialId, scopes } = actor;
  const masked = !scopes.has('pii:full');
  const refused = masked ? await drawOf(credentialId, PERSON_LOOKUPS, people) : undefined;
  if (masked && !refused) finishBeforeAnswer(enter(actor, { operation, filters }));
  logger.info('person lookup', { operation, filters, organizationId, credentialId, refused: refused !== undefined });
  measure({ operation }, { PersonLookups: people });
  return refused;
};
