import { buildKey, KEY_SCOPES } from '../../shared/domain/access/keys.ts';
import { newOrganization } from '../../shared/domain/access/organizations.ts';
import { operatorEntry } from '../../shared/domain/audit/entry.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { type Clock, systemClock } from '../../shared/domain/core/time.ts';
import { TEST_OPENING_CREDIT } from '../../shared/domain/wallet/wallet.ts';
import { countWrite } from '../../shared/storage/access/counters.ts';
import { newKeyWrites } from '../../shared/storage/access/keys.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { auditWrites } from '../../shared/storage/audit/audit-log.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { creditWallet, openWallet } from '../../shared/storage/wallet/wallet.ts';

/** The tables of both environments: an organization exists in each. */
export type Tables = Readonly<Record<Environment, Table>>;

/** A new organization, with the secrets of its first keys, which are not stored. */
export interface CreatedOrganization {
  readonly organizationId: Id<'organization'>;
  readonly keys: Readonly<Record<Environment, string>>;
}

/** The actor that the operator's command line acts as: it holds every scope that a key may hold. */
export const operatorOf = (organizationId: Id<'organization'>, env: Environment) => ({
  organizationId,
  env,
  scopes: new Set(KEY_SCOPES),
});

/**
 * Creates an organization in both environments, each with its record, a wallet and a key of all scopes. The test wallet opens with
 * 10,000,000 coins, as a ledger entry, the live wallet with 0. One transaction per environment; if the second fails, the first has an
 * organization with an unused key, and the caller repeats the call (docs/spec/operations.md#a-new-organization).
 */
export const createOrganization = async (
  tables: Tables,
  { name }: { readonly name: string },
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<CreatedOrganization> => {
  const now = clock();
  const organization = newOrganization(name, now);
  const keys: Partial<Record<Environment, string>> = {};
  for (const env of ENVIRONMENTS) keys[env] = await writeOrganization(tables[env], organization, env, now);
  await creditWallet(tables.test, {
    organizationId: organization.id,
    env: 'test',
    coins: TEST_OPENING_CREDIT,
    description: 'Opening credit',
    now,
    idempotencyKey: 'opening',
  });
  return { organizationId: organization.id, keys: keys as Record<Environment, string> };
};

/** Writes the organization into one environment, in one transaction. Returns the secret of its first key. */
const writeOrganization = async (
  table: Table,
  organization: ReturnType<typeof newOrganization>,
  env: Environment,
  now: number,
): Promise<string> => {
  const planned = buildKey(operatorOf(organization.id, env), { name: `First ${env} key`, scopes: KEY_SCOPES }, now);
  if (isRefusal(planned)) throw new Error(planned.details.detail);
  const outcome = await table.transact([
    ...newKeyWrites(planned.key),
    organizationWrite(organization),
    countWrite(organization.id, 'keys', planned.key.id),
    openWallet(organization.id),
    ...auditWrites(
      operatorEntry(organization.id, { action: 'organization.created', object: organization.id, at: now }),
    ),
  ]);
  const isOurs = outcome.ok || outcome.reasons[0]?.row?.id === planned.key.id;
  if (!isOurs) throw new Error('The organization could not be written.');
  return planned.secret.text;
};
