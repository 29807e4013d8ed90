import { type Account, MAX_ACCOUNTS, newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import { operatorEntry } from '../../shared/domain/audit/entry.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accountStore, accountsOfAddress, readAccount } from '../../shared/storage/access/accounts.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { OperatorError, requireOrganization } from './command.ts';
import type { Target } from './target.ts';

/** The refusals of a write of the operator, which is bound by no other account. */
const REFUSALS = {
  caller_changed: 'The account changed meanwhile.',
  conflict: 'The account changed meanwhile; try again.',
  email_taken: 'Another account of the organization has this e-mail address.',
  last_owner: 'The organization would be left without an active owner.',
  limit_reached: 'The organization has reached its maximum of accounts.',
} as const;

/** A write of an account in one environment. */
interface StageWrite {
  readonly env: Environment;
  readonly write: () => Promise<keyof typeof REFUSALS | 'saved'>;
}

/**
 * Makes the writes of one account, an environment after the other. Throws an OperatorError for a refusal, which names the account and the
 * environments that are written already: the same command completes them.
 */
export const writeStages = async (id: Id<'account'>, writes: readonly StageWrite[]): Promise<void> => {
  const written: Environment[] = [];
  for (const { env, write } of writes) {
    const outcome = await write();
    if (outcome !== 'saved') {
      const done =
        written.length === 0 ? '' : ` ${id} is written in ${written.join(', ')}; repeat the command for ${env}.`;
      throw new OperatorError(`${REFUSALS[outcome]}${done}`);
    }
    written.push(env);
  }
};

/** A person to add. */
export type Person = Pick<Account, 'organizationId' | 'name' | 'email' | 'role' | 'status'>;

/** The person's address in an environment, as its blind index, and the account that has it there. */
interface StageState {
  readonly env: Environment;
  readonly emailHash: string;
  readonly account: Account | undefined;
}

const readStage = async ({ tables, vault }: Target, env: Environment, person: Person): Promise<StageState> => {
  const { organizationId, email } = person;
  await requireOrganization(tables[env], organizationId);
  const emailHash = personHash(await vault(env, 'people'), email);
  const [account] = await accountsOfAddress(tables[env], emailHash, organizationId);
  if (!account && (await readCount(tables[env], organizationId, 'accounts')) >= MAX_ACCOUNTS)
    throw new OperatorError(`${REFUSALS.limit_reached.slice(0, -1)} in ${env}.`);
  return { env, emailHash, account };
};

/**
 * The account of the address where only one environment has one, as after an interrupted creation; undefined if none has. Throws an
 * OperatorError if both have one, or it is another person's: its role differs, or the other environment has its id with another address.
 */
const halfCreated = async (
  { tables }: Target,
  stages: readonly StageState[],
  { role }: Person,
): Promise<Account | undefined> => {
  const found = stages.filter(({ account }) => account !== undefined);
  const [account] = found.map((each) => each.account);
  if (!account) return undefined;
  const elsewhere = stages.filter((each) => !each.account);
  const others = await Promise.all(elsewhere.map(({ env }) => readAccount(tables[env], account.id)));
  if (elsewhere.length === 0 || account.role !== role || others.some((each) => each !== undefined)) {
    const which = found.map((each) => `${each.account?.id} (${each.account?.role}) in ${each.env}`).join(', ');
    throw new OperatorError(`${REFUSALS.email_taken.slice(0, -1)}: ${which}.`);
  }
  return account;
};

/**
 * Adds a person in each environment that lacks it, once all environments are known to accept it; returns the id. An account that one of
 * them has with the same address and role is completed under its id, so that an interrupted call may be repeated.
 */
export const createInStages = async (target: Target, person: Person, now: number): Promise<Id<'account'>> => {
  const stages: StageState[] = [];
  for (const env of ENVIRONMENTS) stages.push(await readStage(target, env, person));
  const half = await halfCreated(target, stages, person);
  const account = { ...newAccount({ ...person, emailHash: '' }, now), ...(half ? { id: half.id } : {}) };
  const { id, organizationId } = account;
  const missing = stages.filter((each) => !each.account);
  await writeStages(
    id,
    missing.map(({ env, emailHash }) => ({
      env,
      write: () =>
        accountStore(target.tables[env], { byOperator: true }).create(
          { ...account, emailHash },
          undefined,
          undefined,
          operatorEntry(organizationId, { action: 'account.created', object: id, at: now }),
        ),
    })),
  );
  return id;
};
