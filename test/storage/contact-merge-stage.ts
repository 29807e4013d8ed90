import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { type MergePorts, mergeContacts, moveMerged } from '../../shared/domain/contacts/merge.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault, type Vault } from '../../shared/domain/core/secrets.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Key, Row } from '../../shared/storage/client/row.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { turnRows } from '../../shared/storage/contacts/ai-turns.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { eraseConsents, eraseDevices, eraseTurns } from '../../shared/storage/contacts/erase-belongings.ts';
import { erasureStore } from '../../shared/storage/contacts/erasures.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { moveConsents, moveEntries } from '../../shared/storage/contacts/move-traces.ts';
import { customerEventStore } from '../../shared/storage/customer-events/customer-events.ts';
import { eraseCustomerEvents } from '../../shared/storage/customer-events/erase-customer-events.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { listStore } from '../../shared/storage/lists/lists.ts';
import { memberStore } from '../../shared/storage/lists/members.ts';
import { readList, readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { removeContact } from '../../shared/storage/lists/unlisted-contacts.ts';
import { eraseMessages } from '../../shared/storage/messages/erase-messages.ts';
import { readStored } from '../../shared/storage/messages/message-lists.ts';
import { pushDeviceRows } from '../../shared/storage/push/devices.ts';
import { inboundStage } from '../inbound/stage.ts';
import { anEvent } from '../inbound/support.ts';
import { accepted } from '../support/accepted.ts';

/** A contact with every kind of related row: the ids of the objects that refer to it, and the rows with personal data. */
export interface Known {
  readonly contact: Contact;
  readonly traces: readonly string[];
  readonly rows: readonly Key[];
}

/** The partitions of an index whose rows name a contact. */
const partitionsOf = (id: Id<'contact'>): readonly string[] => [
  INDEX_KEYS.turnsOfContact(id, '', '').gsi2pk,
  INDEX_KEYS.pushTokensOfContact(id, '', '').gsi2pk,
  INDEX_KEYS.customerEventsOfContact(id, '', '').gsi2pk,
  INDEX_KEYS.messagesOfContact(id, 'sms', '', '').gsi2pk,
  INDEX_KEYS.inboundOfContact(id, 'whatsapp', '', '').gsi2pk,
  INDEX_KEYS.inboundOfContact(id, 'sms', '', '').gsi2pk,
];

type Stage = Awaited<ReturnType<typeof inboundStage>>;

/** Stores what has operations that need more than a table. */
const storing = (stage: Stage) => {
  const { table } = stage.world;
  const common = () => {
    const { organizationId, env } = stage.actor;
    return { organizationId, env, createdAt: stage.world.now };
  };
  return {
    async storeTurn(contactId: Id<'contact'>): Promise<Id<'aiTurn'>> {
      const turn = { id: newId('aiTurn'), contactId, channel: 'sms', model: 'm', role: 'user' } as const;
      await table.write({ put: turnRows.write({ ...turn, ...common(), text: 'Meu CPF', requestHash: 'x' }) });
      return turn.id;
    },
    async storeDevice(contactId: Id<'contact'>): Promise<Id<'pushToken'>> {
      const device = { id: newId('pushToken'), appId: newId('pushApp'), platform: 'ios', token: 't' } as const;
      const state = { contactId, optedIn: true, person: 'sealed', updatedAt: stage.world.now, version: 1 };
      await table.write({ put: pushDeviceRows.write({ ...device, ...common(), ...state }) });
      return device.id;
    },
    async storeEvent(contactId: Id<'contact'>): Promise<Id<'customerEvent'>> {
      const id = newId('customerEvent');
      const event = { id, eventId: id, name: 'compra', contactId, attribution: null, claim: id };
      const { store } = customerEventStore(table, () => {});
      await store({ ...event, ...common(), occurredAt: stage.world.now }, false);
      return id;
    },
  };
};

/** The ports of merging and of erasing over a table. */
const portsOf = (stage: Stage, raised: (events: readonly DomainEvent[]) => void) => {
  const clock = () => stage.world.now;
  const contactsOver = (table: Table) => ({ ...stage.contacts, store: contactStore(table, () => {}) });
  const cancelQueued: Parameters<typeof eraseMessages>[1] = async (organizationId, id) => {
    const readMessage = (of: typeof organizationId, messageId: typeof id) =>
      readStored(stage.world.table, of, messageId);
    await cancel({ ...stage.world.ports, clock, readMessage }, { organizationId }, id);
  };
  return {
    portsOver: (table: Table): MergePorts => ({
      clock,
      contacts: contactsOver(table),
      store: mergeStore(table, raised),
      lists: {
        replace: ({ organizationId, number }, { number: by }) =>
          removeContact(table, clock, organizationId, { number, by }),
      },
      sweeps: [moveEntries(table), moveConsents(table)],
      enqueue: () => {},
    }),
    erasingOver: (table: Table) => ({
      clock,
      contacts: contactsOver(table),
      store: erasureStore(table),
      enqueue: () => {},
      forget: ({ organizationId, number }: Pick<Contact, 'number' | 'organizationId'>) =>
        removeContact(table, clock, organizationId, { number }),
      sweeps: [
        eraseMessages(table, cancelQueued),
        eraseTurns(table),
        eraseDevices(table),
        eraseConsents(table),
        eraseCustomerEvents(table),
      ],
    }),
  };
};

/** Static lists of the current test's organization, by the numbers of their contacts. */
const listsOf = (stage: Stage, vault: Vault) => {
  const { table } = stage.world;
  const clock = () => stage.world.now;
  const members = memberStore(
    table,
    clock,
    async () => vault,
    () => () => true,
  );
  return {
    members,
    async makeList(numbers: readonly number[]): Promise<Id<'list'>> {
      const { organizationId } = stage.actor;
      const times = { createdAt: clock(), updatedAt: clock() };
      const id = newId('list');
      await listStore(table, clock).create({ id, organizationId, name: id, size: 0, ...times });
      const open = await members.open(organizationId, id);
      await open?.commit('add', NumberSet.of(numbers));
      return id;
    },
    async membersOf(id: Id<'list'>) {
      const { organizationId } = stage.actor;
      const found = await readMembers(table, organizationId, id);
      return { members: [...(found ?? [])], size: (await readList(table, organizationId, id))?.size };
    },
  };
};

/** A stage in one process that receives messages, whose contacts are merged. */
export const mergeStage = async () => {
  const stage = await inboundStage();
  const { world } = stage;
  const events: DomainEvent[] = [];
  const { portsOver, erasingOver } = portsOf(stage, (raised) => void events.push(...raised));
  // As the stage's own.
  const vault = createVault(Buffer.alloc(32, 1));
  const stored = storing(stage);
  const ports = portsOver(world.table);
  const idIn = ({ pk, sk }: Row): string => String(sk).match(/ptk_\w+/)?.[0] ?? String(pk).split('#').at(-1) ?? '';
  return Object.assign(stage, stored, listsOf(stage, vault), {
    ports,
    portsOver,
    erasing: erasingOver(world.table),
    erasingOver,
    store: ports.store,
    vault,
    /** The types of the events that merges of the current test's organization raised. */
    raised: () =>
      events.filter(({ organizationId }) => organizationId === stage.actor.organizationId).map(({ type }) => type),
    countOf: () => readCount(world.table, stage.actor.organizationId, 'contacts'),
    find: (id: Id<'contact'>) => stage.contacts.store.read(id),
    merge: (target: Pick<Contact, 'id'>, duplicate: Pick<Contact, 'id'>) =>
      mergeContacts(ports, stage.actor, target.id, duplicate.id),
    /** The work of a worker. */
    move: (id: Id<'contact'>) => moveMerged(ports, id),

    /** A contact that was written to by its id and by its phone, wrote itself, and has a turn, a device and an event. */
    async known(phone: string): Promise<Known> {
      const contact = await stage.create({ phone, name: 'Ana', optIn: { status: 'granted', source: 'site' } });
      const named = accepted(await stage.send({ to: phone, contactId: contact.id, body: 'Oi Ana' }));
      const unnamed = accepted(await stage.send({ to: phone, body: 'Oi de novo, Ana' }));
      const event = anEvent({ from: phone, text: 'Sou a Ana' });
      await stage.receive(event);
      const [turn, device] = [await stored.storeTurn(contact.id), await stored.storeDevice(contact.id)];
      const bought = await stored.storeEvent(contact.id);
      return {
        contact: await stage.contactNow(contact.id),
        traces: [named.id, stage.idOf(event), turn, device, bought],
        rows: [
          ...[named.id, unnamed.id, stage.idOf(event)].map((id) => KEYS.message(id as Id<'message'>)),
          KEYS.aiTurn(turn),
          KEYS.pushToken(stage.actor.organizationId, device),
          KEYS.customerEvent(bought),
        ],
      };
    },
    /** The ids of what is found by a contact. */
    async namedBy(id: Id<'contact'>): Promise<readonly string[]> {
      const found = await Promise.all(
        partitionsOf(id).map((partition) => world.table.queryAll({ index: 'gsi2', partition, only: ['pk', 'sk'] })),
      );
      const rows = await world.table.getMany(found.flat(), { consistent: true });
      return rows.flatMap((row) => (row?.contactId === id ? [idIn(row)] : [])).toSorted();
    },
    /** The personal data left in the rows of a contact. */
    async mentions({ contact, rows }: Known): Promise<readonly string[]> {
      const text = JSON.stringify(await world.table.getMany([...rows, KEYS.contact(contact.id)], { consistent: true }));
      return ['Ana', contact.phone, contact.phoneHash, contact.id, 'Meu CPF'].filter((trace) => text.includes(trace));
    },
  });
};
