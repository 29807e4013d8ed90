import type { PreferencePorts } from '../../domain/inbound/preferences.ts';
import type { InboundPorts } from '../../domain/inbound/receive.ts';
import type { Channel } from '../../domain/messages/provider.ts';
import type { ReplyPorts } from '../../domain/sms/replies.ts';
import { loadProviders } from '../../providers/index.ts';
import { optOutWrite, phoneOptInWrite } from '../../storage/consent-rows.ts';
import { contactStore } from '../../storage/contacts.ts';
import { keepInbound, readCodeLinks, readSender } from '../../storage/inbound.ts';
import { numberOfPhoneId } from '../../storage/numbers.ts';
import { eventHint } from '../../storage/outbox.ts';
import { receiptStore } from '../../storage/receipts.ts';
import { keepReply } from '../../storage/replies.ts';
import { publishDue, table } from './platform.ts';
import { instagramAccounts } from './platform-accounts.ts';
import { sendPorts } from './send.ts';

const { correlate } = receiptStore(table);

/** Our message that a channel's platform calls so: the platform's ids are the same whichever of its providers told them. */
const correlated = async (channel: Channel, reference: string): Promise<string | undefined> => {
  for (const { name } of await loadProviders(channel)) {
    const id = await correlate(name, reference);
    if (id !== undefined) return id;
  }
  return undefined;
};

const hint = (events: readonly string[]) => {
  if (events.length > 0) publishDue(events.map(eventHint));
};

/** What a message that comes in needs, over this stage's table and queues. */
export const inboundPorts: InboundPorts = {
  clock: sendPorts.clock,
  hashTo: sendPorts.hashTo,
  sender: (organizationId, key) => readSender(table, organizationId, key),
  links: (organizationId, codes) => readCodeLinks(table, organizationId, codes),
  answered: async (organizationId, { channel, inReplyTo }) => {
    const id = inReplyTo === undefined ? undefined : await correlated(channel, inReplyTo);
    const message = id === undefined ? undefined : await sendPorts.journal.read(id);
    return message?.organizationId === organizationId && message.channel === channel ? message : undefined;
  },
  accountOf: async (organizationId, { channel, to }) => {
    if (channel === 'instagram') {
      const account = (await instagramAccounts())?.find((each) => each.account === to);
      return account?.organizationId === organizationId ? { instagramAccountId: account.id } : {};
    }
    const number = channel === 'whatsapp' && to !== undefined ? await numberOfPhoneId(table, to) : undefined;
    return number?.organizationId === organizationId ? { numberId: number.id } : {};
  },
  keep: async (change) => {
    const outcome = await keepInbound(table, change);
    if (outcome === 'kept') hint(change.events.map(({ id }) => id));
    return outcome;
  },
};

/** What a person's word to the platform about marketing needs. */
export const preferencePorts: PreferencePorts = {
  ...inboundPorts,
  contacts: contactStore(table, (eventId) => hint([eventId])),
  optOutPhone: async (...[organizationId, hash, stop]) =>
    (await table.write(optOutWrite(organizationId, 'phone', hash, stop))).ok,
  optInPhone: async (...given) => (await table.write(phoneOptInWrite(...given))).ok,
};

/** What an SMS reply needs: a reply is an inbound message that is charged. */
export const replyPorts: ReplyPorts = {
  ...inboundPorts,
  prices: sendPorts.prices,
  journal: sendPorts.journal,
  hashRecipient: sendPorts.hashRecipient,
  correlate,
  keep: async (reply, event, inbound) => {
    const outcome = await keepReply(table, reply, event, inbound);
    if (outcome.kind === 'kept') hint(outcome.events);
    return outcome.kind;
  },
};
