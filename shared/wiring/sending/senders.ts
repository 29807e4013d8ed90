import { META_PROVIDERS } from '../../domain/channels/meta/providers.ts';
import { senderOf as findSender } from '../../domain/channels/meta/sender.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import type { AccountPorts } from '../../domain/inbound/accounts.ts';
import type { ProviderAccount } from '../../domain/message/provider-port.ts';
import { readLastInbound } from '../../storage/messages/inbound.ts';
import { organizationsWithSender } from '../../storage/senders/senders.ts';
import { readNamedSender, readUsualSender } from '../../storage/whatsapp/number-senders.ts';
import { numberOfPhoneId, organizationsOfAccount } from '../../storage/whatsapp/numbers.ts';
import { settings, table } from '../process/aws.ts';
import { routing, sendPorts } from './ports.ts';

/** The Instagram accounts that the operator configured; undefined when no provider is set up. */
const instagramAccounts = async (): Promise<readonly ProviderAccount[] | undefined> =>
  (await routing.provider('instagram', META_PROVIDERS.instagram))?.accounts;

/** The numbers, accounts and senders of the stage's organizations. */
export const accountPorts: AccountPorts = {
  env: settings.STAGE,
  instagramAccounts,
  numberOfPhoneId: (phoneNumberId) => numberOfPhoneId(table, phoneNumberId),
  organizationsOfAccount: (wabaId) => organizationsOfAccount(table, wabaId),
  organizationsWithSender: (channel, value) => organizationsWithSender(table, channel, value),
};

/** The number or account to send from. */
export const senderOf = findSender({
  recipientHash: ({ organizationId }, channel, to) =>
    sendPorts.recipientHashOf(organizationId, channelOf(channel).recipient, to),
  instagramAccounts,
  usualNumber: (recipient, needsWindow) => readUsualSender(table, recipient, needsWindow),
  namedNumber: (recipient, id, needsWindow) => readNamedSender(table, recipient, id, needsWindow),
  lastInbound: ({ organizationId, hash }) => readLastInbound(table, organizationId, { channel: 'instagram', hash }),
});
