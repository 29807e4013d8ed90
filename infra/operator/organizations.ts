import { KEY_SCOPES, planKey } from '../../shared/domain/access/keys.ts';
import { newOrganization } from '../../shared/domain/access/organizations.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/actor.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import type { Id } from '../../shared/domain/ids.ts';
import { type Clock, systemClock } from '../../shared/domain/time.ts';
import { TEST_OPENING_CREDIT } from '../../shared/domain/wallet/wallet.ts';
import { organizationWrite } from '../../shared/storage/access.ts';
import { newKeyWrites } from '../../shared/storage/keys.ts';
import type { Table } from '../../shared/storage/table.ts';
import { creditWallet, openWallet } from '../../shared/storage/wallet.ts';

/** The tables of both environments: what an organization exists in. */
export type Tables = Readonly<Record<Environment, Table>>;

/** A new organization with the one showing of its two keys. */
export interface CreatedOrganization {
  readonly organizationId: Id<'organization'>;
  readonly keys: Readonly<Record<Environment, string>>;
}

/** The grantor behind the operator: every scope that a key may hold. */
export const operatorOf = (organizationId: Id<'organization'>, env: Environment) => ({
  organizationId,
  env,
  scopes: new Set(KEY_SCOPES),
});

/**
 * Creates an organization in both environments: its record, a wallet and a key with all scopes in each. The test wallet opens with
 * 10,000,000 coins as an entry of its ledger, the live wallet with none. Each environment commits as a whole; should the second
 * fail, the first holds an organization whose keys nobody knows, and the call is simply made again.
 */
export const createOrganization = async (
  tables: Tables,
  { name }: { readonly name: string },
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<CreatedOrganization> => {
  const now = clock();
  const organization = newOrganization(name, now);
  const keys: Partial<Record<Environment, string>> = {};
  for (const env of ENVIRONMENTS) keys[env] = await enrol(tables[env], organization, env, now);
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

/** Writes the organization into one environment. The secret of its first key. */
const enrol = async (
  table: Table,
  organization: ReturnType<typeof newOrganization>,
  env: Environment,
  now: number,
): Promise<string> => {
  const planned = planKey(operatorOf(organization.id, env), { name: `First ${env} key`, scopes: KEY_SCOPES }, now);
  if (isRefusal(planned)) throw new Error(planned.details.detail);
  const outcome = await table.transact([
    ...newKeyWrites(planned.key),
    organizationWrite(organization, 1),
    openWallet(organization.id),
  ]);
  const mine = outcome.ok || outcome.reasons[0]?.row?.id === planned.key.id;
  if (!mine) throw new Error('The organization could not be written.');
  return planned.secret.text;
};
