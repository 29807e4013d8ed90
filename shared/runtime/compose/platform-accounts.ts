import type { CallbackPorts } from '../../domain/messages/callbacks.ts';
import { rulesOf } from '../../domain/messages/channels.ts';
import type { Tenant } from '../../domain/messages/plan.ts';
import type { ProviderAccount } from '../../domain/messages/provider.ts';
import type { PlatformPorts } from '../../domain/platforms/plan.ts';
import { PLATFORM_PROVIDERS } from '../../domain/platforms/providers.ts';
import { readLastInbound } from '../../storage/inbound.ts';
import { readNamedSender, readUsualSender } from '../../storage/number-senders.ts';
import { numberOfPhoneId, organizationsOfAccount } from '../../storage/numbers.ts';
import { settings, table } from './platform.ts';
import { routing, sendPorts } from './send.ts';

const asTenant = (organizationId: string): Tenant => ({
  organizationId: organizationId as Tenant['organizationId'],
  env: settings.STAGE,
});

/** The accounts of Instagram that the operator set up; undefined where the stage reaches nobody. */
export const instagramAccounts = async (): Promise<readonly ProviderAccount[] | undefined> =>
  (await routing.provider('instagram', PLATFORM_PROVIDERS.instagram))?.accounts;

/** The organizations that a number, a business account or an Instagram account is of, by the platform's own id of it. */
export const ownersOf: CallbackPorts['ownersOf'] = async (channel, account) => {
  if (channel === 'instagram')
    return ((await instagramAccounts()) ?? [])
      .filter((each) => each.account === account)
      .map(({ organizationId }) => asTenant(organizationId));
  if (channel !== 'whatsapp') return [];
  const number = await numberOfPhoneId(table, account);
  const organizations = number ? [number.organizationId] : await organizationsOfAccount(table, account);
  return organizations.map(asTenant);
};

const instagramSender = async ({ organizationId }: Tenant, named: string | undefined) => {
  const accounts = await instagramAccounts();
  if (!accounts) return { id: undefined };
  const own = accounts.filter((each) => each.organizationId === organizationId);
  return named === undefined ? own[0] : own.find(({ id }) => id === named);
};

/** What a message of an organization leaves from, and where it counts when its recipient wrote there. */
export const senderOf: PlatformPorts['senderOf'] = async (tenant, { channel, to, named, windowed }) => {
  const { organizationId } = tenant;
  const hash = await sendPorts.hashTo(organizationId, rulesOf(channel).recipient, to);
  const recipient = { organizationId, hash };
  if (channel === 'whatsapp')
    return named === undefined
      ? readUsualSender(table, recipient, windowed)
      : readNamedSender(table, recipient, named, windowed);
  const [account, wroteAt] = await Promise.all([
    instagramSender(tenant, named),
    windowed ? readLastInbound(table, organizationId, { channel, hash }) : undefined,
  ]);
  return account && { id: account.id, wroteAt };
};
