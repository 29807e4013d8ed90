import type { TurnPorts } from '../../domain/tracking/report-turn.ts';
import { turnStore } from '../../storage/contacts/ai-turns.ts';
import { holderOf } from '../../storage/messages/inbound.ts';
import { readStored } from '../../storage/messages/message-lists.ts';
import { clock, publishEvents, table, vaults } from '../process/aws.ts';
import { contactPorts } from './contacts.ts';

export const turnPorts: TurnPorts = {
  clock,
  ...turnStore(table, publishEvents),
  async readContact(organizationId, id) {
    const contact = await contactPorts.store.read(id);
    return contact?.organizationId === organizationId ? contact : undefined;
  },
  async contactAt(organizationId, { channel, kind, address }) {
    const hash = (await vaults.recipients()).blindIndex(organizationId, kind, address);
    return (await holderOf(table, organizationId, { channel, kind, hash })).contactId;
  },
  readMessage: (organizationId, id) => readStored(table, organizationId, id),
};
