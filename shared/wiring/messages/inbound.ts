import type { Id } from '../../domain/core/ids.ts';
import { accountOf } from '../../domain/inbound/accounts.ts';
import type { PreferencePorts } from '../../domain/inbound/preferences.ts';
import type { InboundPorts } from '../../domain/inbound/receive.ts';
import type { ReplyPorts } from '../../domain/inbound/sms-reply.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { loadProviders } from '../../providers/index.ts';
import { readChannelUser } from '../../storage/contacts/channel-users.ts';
import { contactStore } from '../../storage/contacts/contact-store.ts';
import { optOutWrite, ownOptInWrite } from '../../storage/contacts/recipient-opt-outs.ts';
import { keepInbound, readCodeLinks, readSender } from '../../storage/messages/inbound.ts';
import { receiptStore } from '../../storage/messages/receipts.ts';
import { keepReply } from '../../storage/messages/replies.ts';
import { publishEvents, publishWork, table } from '../process/aws.ts';
import { sendPorts } from '../sending/ports.ts';
import { accountPorts } from './callback-readers.ts';

const { correlate } = receiptStore(table);

/** Our message by the channel's message id, which is the same for all providers of the channel. */
const correlated = async (channel: Channel, reference: string): Promise<Id<'message'> | undefined> => {
  for (const { name } of await loadProviders(channel)) {
    const id = await correlate(name, reference);
    if (id !== undefined) return id;
  }
  return undefined;
};

export const inboundPorts: InboundPorts = {
  clock: sendPorts.clock,
  recipientHashOf: sendPorts.recipientHashOf,
  phoneOfUser: async (...args) => (await readChannelUser(table, ...args))?.phoneHash,
  sender: (organizationId, key) => readSender(table, organizationId, key),
  links: (organizationId, codes) => readCodeLinks(table, organizationId, codes),
  repliedTo: async (organizationId, { channel, inReplyTo }) => {
    const id = inReplyTo === undefined ? undefined : await correlated(channel, inReplyTo);
    const message = id === undefined ? undefined : await sendPorts.messageStore.read(id);
    return message?.organizationId === organizationId && message.channel === channel ? message : undefined;
  },
  accountOf: accountOf(accountPorts),
  store: (change) => keepInbound(table, change, publishWork),
};

export const preferencePorts: PreferencePorts = {
  ...inboundPorts,
  contacts: contactStore(table, publishEvents),
  optOutSender: async (...[organizationId, { kind, hash }, stop]) =>
    (await table.write(optOutWrite(organizationId, kind, hash, stop))).ok,
  optInSender: async (...args) => (await table.write(ownOptInWrite(...args))).ok,
};

/** An SMS reply is an inbound message that is charged. */
export const replyPorts: ReplyPorts = {
  ...inboundPorts,
  prices: sendPorts.prices,
  store: async (reply, event, inbound) => {
    const outcome = await keepReply(table, reply, event, inbound);
    if (outcome.kind === 'kept') publishWork(outcome.work);
    return outcome.kind;
  },
};
