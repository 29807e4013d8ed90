import type { MetaPlanPorts } from '../../domain/channels/meta/compose.ts';
import { META_PROVIDERS } from '../../domain/channels/meta/providers.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import type { Tenant } from '../../domain/core/actor.ts';
import { asId, type Id } from '../../domain/core/ids.ts';
import type { CallbackPorts } from '../../domain/inbound/callback-ports.ts';
import type { ProviderAccount } from '../../domain/message/provider-port.ts';
import { readLastInbound } from '../../storage/messages/inbound.ts';
import { organizationsWithSender } from '../../storage/senders/senders.ts';
import { readNamedSender, readUsualSender } from '../../storage/whatsapp/number-senders.ts';
import { numberOfPhoneId, organizationsOfAccount } from '../../storage/whatsapp/numbers.ts';
import { settings, table } from '../process/aws.ts';
import { routing, sendPorts } from './ports.ts';

const asTenant = (organizationId: Id<'organization'>): Tenant => ({
  organizationId,
  env: settings.STAGE,
});

/** The Instagram accounts that the operator configured; undefined when no provider is set up. */
export const instagramAccounts = async (): Promise<readonly ProviderAccount[] | undefined> =>
  (await routing.provider('instagram', META_PROVIDERS.instagram))?.accounts;

/** The organizations that own a number, a business account or an Instagram account, by Meta's id, or that have a sender of SMS or an agent. */
export const ownersOf: CallbackPorts['ownersOf'] = async (channel, account) => {
  if (channel === 'instagram')
    return ((await instagramAccounts()) ?? [])
      .filter((each) => each.account === account)
      .map(({ organizationId }) => asTenant(organizationId));
  if (channel === 'sms' || channel === 'rcs')
    return (await organizationsWithSender(table, channel, account)).map(asTenant);
  if (channel !== 'whatsapp') return [];
  const number = await numberOfPhoneId(table, account);
  const organizations = number ? [number.organizationId] : await organizationsOfAccount(table, account);
  return organizations.map(asTenant);
};

const instagramSender = async ({ organizationId }: Tenant, requestedId: string | undefined) => {
  const accounts = await instagramAccounts();
  if (!accounts) return { id: undefined };
  const own = accounts.filter((each) => each.organizationId === organizationId);
  return requestedId === undefined ? own[0] : own.find(({ id }) => id === requestedId);
};

/** The number or account to send from, and with `needsWindow` when the recipient last wrote to it (ms). */
export const senderOf: MetaPlanPorts['senderOf'] = async (tenant, { channel, to, requestedId, needsWindow }) => {
  const { organizationId } = tenant;
  const hash = await sendPorts.recipientHashOf(organizationId, channelOf(channel).recipient, to);
  const recipient = { organizationId, hash };
  if (channel === 'whatsapp') {
    if (requestedId === undefined) return readUsualSender(table, recipient, needsWindow);
    const id = asId('number', requestedId);
    return id && readNamedSender(table, recipient, id, needsWindow);
  }
  const [account, lastInboundAt] = await Promise.all([
    instagramSender(tenant, requestedId),
    needsWindow ? readLastInbound(table, organizationId, { channel, hash }) : undefined,
  ]);
  return account && { id: account.id, lastInboundAt };
};
