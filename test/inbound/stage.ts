import { beforeEach } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { optInContact } from '../../shared/domain/contacts/consent.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { type InboundMessage, inboundIdOf } from '../../shared/domain/message/inbound-message.ts';
import type { InboundEvent } from '../../shared/domain/message/provider-port.ts';
import { submit } from '../../shared/domain/sending/accept.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { readStored } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { startWorld } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';
import { inboundOver, PHONE } from './support.ts';

const MINUTE = 60_000;

/** A stage in one process that receives messages, for a new organization in each test of a file. */
export const inboundStage = async () => {
  const world = await startWorld('test');
  const vault = createVault(Buffer.alloc(32, 1));
  const contacts = contactPortsOf(world, vault);
  // One blind index for contacts, sends and inbound messages, as in a stage.
  const recipientHashOf: typeof world.ports.recipientHashOf = async (organizationId, kind, value) =>
    vault.blindIndex(organizationId, kind, value);
  const inbound = inboundOver(world.table, () => world.now, recipientHashOf);
  const sends = { ...world.ports, recipientHashOf };
  let actor = world.actor();
  beforeEach(async () => {
    actor = await world.organization(10_000_000);
    const { organizationId: id } = actor;
    await world.table.write(organizationWrite({ id, name: 'Loja Azul', createdAt: world.now }));
    inbound.raised.length = 0;
  });
  const idOf = ({ channel, providerMessageId }: InboundEvent) =>
    inboundIdOf(actor.organizationId, channel, providerMessageId);
  return {
    world,
    close: () => world.close(),
    contacts,
    inbound,
    sends,
    idOf,
    /** The caller of the current test's organization. */
    get actor() {
      return actor;
    },
    /** So many minutes from now, in ms. */
    at: (minutes: number) => world.now + minutes * MINUTE,
    receive: (event: InboundEvent) => receiveInbound(inbound, actor, event),
    read: async (event: InboundEvent) =>
      (await readStored(world.table, actor.organizationId, idOf(event))) as InboundMessage,
    events: async () => {
      const found = await Promise.all(inbound.raised.map((id) => outbox(world.table).read(id)));
      return found.flatMap((each) => (each ? [each.event] : []));
    },
    create: async (fields: Partial<NewContact> = {}): Promise<Contact> =>
      accepted(await createContact(contacts, actor, { phone: PHONE, ...fields })),
    optIn: async (id: Id<'contact'>) => accepted(await optInContact(contacts, actor, id, { source: 'site' })),
    contactNow: async (id: Id<'contact'>) => (await contacts.store.read(id)) as Contact,
    list: (filter = {}) => listAllMessages(world.reading, actor.organizationId, filter, { skip: 0, limit: 50 }),
    /** An SMS to the phone: its view or its refusal. */
    send: (fields: Partial<Parameters<typeof sendSms>[3]> = {}) =>
      sendSms(sends, actor, newId('request'), { to: PHONE, body: 'Oi', route: 'premium', ...fields }),
    /** An Instagram message: accepted or refused. */
    direct: (to: string, contactId?: Id<'contact'>) =>
      submit({ ...submitPortsOf(world), ...sends }, actor, {
        request: { channel: 'instagram', to, type: 'text', text: 'Oi', contactId },
        key: requestKey(newId('request'), 'direct', {}),
      }),
  };
};
