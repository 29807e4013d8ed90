import { META_PROVIDERS } from '../../domain/channels/meta/providers.ts';
import { senderOf as findSender } from '../../domain/channels/meta/sender.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import type { ProviderAccount } from '../../domain/message/provider-port.ts';
import { readLastInbound } from '../../storage/messages/inbound.ts';
import { readNamedSender, readUsualSender } from '../../storage/whatsapp/number-senders.ts';
import { table } from '../process/aws.ts';
import { routing, sendPorts } from './ports.ts';

/** The Instagram accounts that the operator configured; undefined when no provider is set up. */
const instagramAccounts = async (): Promise<readonly ProviderAccount[] | undefined> =>
  (await routing.provider('instagram', META_PROVIDERS.instagram))?.accounts;

/** The number or account to send from. */
export const senderOf = findSender({
  recipientHash: ({ organizationId }, channel, to) =>
    sendPorts.recipientHashOf(organizationId, channelOf(channel).recipient, to),
  instagramAccounts,
  usualNumber: (recipient, needsWindow) => readUsualSender(table, recipient, needsWindow),
  namedNumber: (recipient, id, needsWindow) => readNamedSender(table, recipient, id, needsWindow),
  lastInbound: ({ organizationId, hash }) => readLastInbound(table, organizationId, { channel: 'instagram', hash }),
});
