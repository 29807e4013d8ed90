import type { Contact } from '../../domain/contacts/contact.ts';
import type { ContactToStore, ImportStore } from '../../domain/contacts/import.ts';
import type { PhoneOptedOut } from '../../domain/contacts/ports.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { pause } from '../../domain/core/pause.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Publishable } from '../../queues/queues.ts';
import { countWrite } from '../access/counters.ts';
import { organizationExists } from '../access/organizations.ts';
import { KEYS } from '../access-patterns.ts';
import { tagWorkItems, tagWritesFor } from '../automation/tagged-contacts.ts';
import { id } from '../client/attributes.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { inTransactions, type TransactionPart } from '../client/transactions.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { withCompaniesNow } from './company-links.ts';
import { changeWrites, companyWrites, newWrites, ownOptOut } from './contact-writes.ts';
import { readContact } from './contacts.ts';
import { changesDue } from './standing.ts';

const READS_IN_FLIGHT = 8;
const WRITES_IN_FLIGHT = 6;
/** An organization's list of contacts is one index partition, which takes 1,000 entries a second; some are left for other writers. */
const CONTACTS_PER_SECOND = 800;
/** Contacts stored without a wait. */
const BURST = 500;
const KEYS_PER_READ = 100;
/**
 * With this many changed contacts a merge of the audience's index is triggered immediately: otherwise the next filter would read each of
 * them.
 */
const MANY = 64;

const readAll = async (table: Table, keys: readonly Key[]): Promise<(Row | undefined)[]> => {
  const pages = Array.from({ length: Math.ceil(keys.length / KEYS_PER_READ) }, (_, at) =>
    keys.slice(at * KEYS_PER_READ, (at + 1) * KEYS_PER_READ),
  );
  return (await mapConcurrently(pages, READS_IN_FLIGHT, (page) => table.getMany(page, { consistent: true }))).flat();
};

const holderOf = id('contact').optional();
/** The contact that has a phone, or the phone's own opt-out. */
const phoneState = (row: Row | undefined): Id<'contact'> | PhoneOptedOut | undefined => {
  const holder = holderOf.parse(row?.contactId);
  if (holder !== undefined || row?.optInStatus !== 'denied') return holder;
  return { kind: 'phone_opted_out', ...ownOptOut.parse(row) };
};
/** The pairs with a defined second part, by their first. */
const mapped = <V>(names: readonly string[], values: readonly (V | undefined)[]): Map<string, V> =>
  new Map(names.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]] as const])));

const load =
  (table: Table): ImportStore['load'] =>
  async (org, { phoneHashes, externalIds, companyIds }) => {
    const rows = await readAll(table, [
      ...phoneHashes.map((hash) => KEYS.phone(org, hash)),
      ...externalIds.map((externalId) => KEYS.externalId(org, externalId)),
      ...companyIds.map(KEYS.company),
    ]);
    const [afterPhones, afterIds] = [phoneHashes.length, phoneHashes.length + externalIds.length];
    const phones = mapped(phoneHashes, rows.slice(0, afterPhones).map(phoneState));
    const owners = rows.slice(afterPhones, afterIds).map((row) => holderOf.parse(row?.contactId));
    const companies = companyIds.filter((_, at) => rows[afterIds + at]?.org === org);
    const byExternalId = mapped(externalIds, owners);
    const ids = new Set([...[...phones.values()].filter((held) => typeof held === 'string'), ...byExternalId.values()]);
    const found = await readAll(table, [...ids].map(KEYS.contact));
    const stored = found.flatMap((row) => (row?.org === org ? [readContact(row)] : []));
    const contacts = await withCompaniesNow(table, stored);
    return {
      contacts: new Map(contacts.map((contact): [Id<'contact'>, Contact] => [contact.id, contact])),
      phones,
      externalIds: byExternalId,
      companies: new Set(companies),
    };
  };

/** A contact's part of a transaction. */
interface Part extends TransactionPart {
  readonly at: number;
  readonly contact: ContactToStore;
}
const bytesOf = ({ after }: ContactToStore): number =>
  1_000 + JSON.stringify([after.attributes, after.avatarUrl, after.debtorGroups, after.tags]).length;

/** Waits until the rate allows this many contacts. */
const untilTurn = async (startedAt: number, before: number): Promise<void> => {
  const turn = startedAt + (Math.max(0, before - BURST) * 1_000) / CONTACTS_PER_SECOND;
  const wait = turn - performance.now();
  if (wait > 0) await pause(wait);
};

/** All of these contacts or none. New ones are counted together, on one of the counter's rows, and those of a company on its shards. */
const transactBatch = async (table: Table, parts: readonly Part[]): Promise<boolean> => {
  const news = parts.filter(({ contact }) => contact.before === undefined).map(({ contact }) => contact.after);
  const [first] = news;
  const count = first ? [countWrite(first.organizationId, 'contacts', first.id, news.length)] : [];
  const companies = companyWrites(...parts.map(({ contact }) => contact)).map(({ write }) => write);
  const writes = [...parts.flatMap((part) => part.writes), ...count, ...companies];
  // Conflicts of large transactions are not awaited: stored one by one, their contacts can proceed.
  return (await table.transact(writes, { reportConflicts: parts.length > 1 })).ok;
};

/** All of these contacts or none; none, too, if the table is busy for too long: the import retries them. */
const storeBatch = async (table: Table, parts: readonly Part[]): Promise<boolean> => {
  try {
    return await transactBatch(table, parts);
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
};

/**
 * Imports in the table of one stage. 5,000 new contacts with external ids are 100 reads, eight in parallel, and 280 transactions, six in
 * parallel, in at least 6 s. `raised` receives the committed events that have subscribers, `onWorkItems` notifications for journeys, both for
 * early publication; best effort. `changed` receives one of many contacts, once all are stored: its change is due, and triggers a merge of
 * all of them into the index.
 */
export const importStore = (
  table: Table,
  raised: (events: readonly DomainEvent[]) => void,
  changed: (contact: Contact) => void,
  onWorkItems: (items: readonly Publishable[]) => void = () => {},
): ImportStore => ({
  organizationExists: (organizationId) => organizationExists(table, organizationId),
  load: load(table),

  async storeAll(organizationId, contacts) {
    const events = contacts.flatMap(({ event }) => event ?? []);
    const samples = [...new Map(events.map((event) => [event.type, event])).values()];
    const taken = samples.length > 0 ? await takenEvents(table, organizationId, samples) : [];
    const types = new Set(taken.map(({ type }) => type));
    const changes = await changesDue(table, organizationId);
    const tagWrites = await tagWritesFor(table, organizationId, contacts);
    const isMany = contacts.length >= MANY;
    const parts = contacts.map((contact, at): Part => {
      const due = at === 0 && isMany ? 'all' : changes;
      const { before, after, event } = contact;
      const own = before ? changeWrites(before, after, due) : newWrites(after, due);
      const raises = event && types.has(event.type) ? [eventWrite(event)] : [];
      const writes = [...own.map(({ write }) => write), ...tagWrites({ before, after }), ...raises];
      // It may leave a company and join another.
      const besides = before?.companyId === after.companyId ? 0 : 2;
      return { at, contact, writes, besides, bytes: bytesOf(contact) };
    });
    const stored: boolean[] = contacts.map(() => false);
    const startedAt = performance.now();
    const keep = async (batch: readonly Part[]): Promise<void> => {
      await untilTurn(startedAt, batch[0]?.at ?? 0);
      if (await storeBatch(table, batch)) {
        for (const { at } of batch) stored[at] = true;
        raised(batch.flatMap(({ contact: { event } }) => (event && types.has(event.type) ? [event] : [])));
        const writes = batch.flatMap((part) => part.writes);
        onWorkItems(tagWorkItems(writes, organizationId));
      } else if (batch.length > 1) for (const part of batch) await keep([part]);
    };
    await mapConcurrently(inTransactions(parts), WRITES_IN_FLIGHT, keep);
    const [first] = contacts;
    if (isMany && first && stored[0]) changed(first.after);
    return stored;
  },
});
