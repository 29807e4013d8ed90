import { organizationView } from '../../domain/access/organizations.ts';
import { DEFAULT_SENDS_PER_MINUTE } from '../../domain/access/rate-limits.ts';
import type { Actor } from '../../domain/core/actor.ts';
import { isRefusal, refuse } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { definedFields } from '../../domain/core/patch.ts';
import { readCount } from '../../storage/access/counters.ts';
import { readKeptSettings } from '../../storage/access/organization-settings.ts';
import { pageOfOrganizations, readOrganization } from '../../storage/access/organizations.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { readWallet } from '../../storage/wallet/read-wallet.ts';
import { table } from '../process/aws.ts';
import { recordAct, recordView } from './acts.ts';

const COUNTED = ['accounts', 'keys', 'contacts'] as const;

/** A page of the organizations of the stage. */
export const listOrganizations = async (actor: Actor, request: CursorRequest) => {
  await recordView(actor, 'organizations');
  const page = await pageOfOrganizations(table, request);
  if (isRefusal(page)) return page;
  return {
    ...page,
    items: page.items.map((organization) => {
      const { id, name, env, createdAt } = organizationView(organization, actor.env);
      return { id, name, env, createdAt };
    }),
  };
};

/** An organization with its wallet, limits and counts. The view is entered in the organization's log, where its people can see it. */
export const readOrganizationState = async (actor: Actor, organizationId: Id<'organization'>) => {
  const organization = await readOrganization(table, organizationId);
  if (!organization) return refuse('NOT_FOUND', 'There is no such organization.');
  await recordAct(actor, { action: 'organization.viewed', object: organizationId }, organizationId);
  const [wallet, settings, counts] = await Promise.all([
    readWallet(table, organizationId),
    readKeptSettings(table, organizationId),
    Promise.all(COUNTED.map((counted) => readCount(table, organizationId, counted))),
  ]);
  const { id, name, env, createdAt } = organizationView(organization, actor.env);
  const { smsPerSecond = null, sendsPerMinute = DEFAULT_SENDS_PER_MINUTE, emailFrom } = settings;
  const [accounts = 0, keys = 0, contacts = 0] = counts;
  return {
    id,
    name,
    env,
    createdAt,
    wallet: {
      balanceCoins: wallet?.balance ?? 0,
      heldCoins: wallet?.held ?? 0,
      lowBalanceCoins: wallet?.wallet.low ?? 0,
    },
    limits: { smsPerSecond, sendsPerMinute },
    ...definedFields({ emailFrom }),
    counts: { accounts, keys, contacts },
  };
};
