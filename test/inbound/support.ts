import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { InboundPorts } from '../../shared/domain/inbound/receive.ts';
import type { InboundEvent } from '../../shared/domain/message/provider-port.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { readChannelUser } from '../../shared/storage/contacts/channel-users.ts';
import { keepInbound, readCodeLinks, readSender } from '../../shared/storage/messages/inbound.ts';
import type { Messaging } from '../support/api.ts';
import { eventIdsOf } from '../support/ids.ts';

export const PHONE = '+5511987650001';

/** A text message as a provider's callback reports it. */
export const anEvent = (fields: Partial<InboundEvent> = {}): InboundEvent => ({
  kind: 'inbound',
  providerMessageId: `wamid.${newId('event')}`,
  channel: 'whatsapp',
  from: PHONE,
  to: '106540352242922',
  type: 'text',
  text: 'Oi, tudo bem?',
  payload: {},
  at: Date.parse('2026-03-10T11:59:00.000Z'),
  ...fields,
});

/** The inbound ports over a real table. No event is a reply to a message of ours. */
export const inboundOver = (
  table: Table,
  clock: () => number,
  recipientHashOf: InboundPorts['recipientHashOf'],
): InboundPorts & { readonly raised: Id<'event'>[] } => {
  const raised: Id<'event'>[] = [];
  return {
    raised,
    clock,
    recipientHashOf,
    phoneOfUser: async (...args) => (await readChannelUser(table, ...args))?.phoneHash,
    sender: (organizationId, key) => readSender(table, organizationId, key),
    links: (organizationId, codes) => readCodeLinks(table, organizationId, codes),
    repliedTo: async () => undefined,
    accountOf: async () => ({}),
    store: (change) => keepInbound(table, change, (items) => void raised.push(...eventIdsOf(items))),
  };
};

/** The inbound ports of the test stage of a running service. */
export const inboundOfStack = async (messaging: Messaging) => {
  const vault = await messaging.vault('test', 'recipients');
  return inboundOver(messaging.tables.test, Date.now, async (id, kind, value) => vault.blindIndex(id, kind, value));
};
