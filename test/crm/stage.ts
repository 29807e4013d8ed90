import { checkCard, sweepStages } from '../../shared/domain/cards/stalled.ts';
import { relinkCards, unlinkCards } from '../../shared/domain/cards/unlink.ts';
import { eraseContact } from '../../shared/domain/contacts/erase.ts';
import { moveMerged } from '../../shared/domain/contacts/merge.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { clearLinks } from '../../shared/domain/core/clear-links.ts';
import { type Id, isId, parseId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { activityStore } from '../../shared/storage/activities/activities.ts';
import {
  clearActivityCompany,
  clearActivityContact,
  deleteCardActivities,
  deleteCardRows,
} from '../../shared/storage/activities/sweeps.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { replaceMainContact, unlinkContacts } from '../../shared/storage/companies/clear-links.ts';
import { mergeDirectory } from '../../shared/storage/companies/directory-merge.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { erasureStore } from '../../shared/storage/contacts/erasures.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { moveEntries } from '../../shared/storage/contacts/move-traces.ts';
import { expireTombstone, readTombstone, rescheduleTombstone } from '../../shared/storage/crm/tombstones.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { isCard, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { cardLinks, cardsNaming } from '../../shared/storage/pipelines/card-links.ts';
import { cardStore } from '../../shared/storage/pipelines/card-store.ts';
import { pipelineStore } from '../../shared/storage/pipelines/pipelines.ts';
import { companyProcess } from '../support/companies.ts';
import { idNamed } from '../support/ids.ts';
import { indexesUpToDate } from '../support/table-engine.ts';

const vault = createVault(Buffer.alloc(32, 7));
const nobody = () => {};

/** The CRM as a process has it over a table, with its due work; put together as shared/wiring does. */
export const crmOver = (table: Table, clock: () => number) => {
  const companies = companyProcess(table, clock);
  const pipelines = { clock, store: pipelineStore(table), enqueueSweep: nobody };
  const cards = { clock, store: cardStore(table, nobody), pipelines: pipelines.store, links: cardLinks(table) };
  const contacts = {
    clock,
    recipients: async () => vault,
    documents: async () => vault,
    store: contactStore(table, nobody),
  };
  const unlink = { store: cards.store, naming: cardsNaming(table) };
  const mainContacts = { clock, raised: nobody };
  const merging = {
    clock,
    contacts,
    store: mergeStore(table, nobody),
    lists: { replace: async () => {} },
    enqueue: nobody,
    sweeps: [
      moveEntries(table),
      (from: Id<'contact'>, { id, organizationId }: { id: Id<'contact'>; organizationId: Id<'organization'> }) =>
        replaceMainContact(table, mainContacts, organizationId, from, id),
      (id: Id<'contact'>, heir: { id: Id<'contact'> }) => relinkCards(unlink, id, heir.id),
    ],
  };
  const erasing: Parameters<typeof eraseContact>[0] = {
    clock,
    store: erasureStore(table),
    forget: async () => {},
    enqueue: nobody,
    sweeps: [
      ({ organizationId, contactId }) => replaceMainContact(table, mainContacts, organizationId, contactId, undefined),
      ({ contactId }) => relinkCards(unlink, contactId, undefined),
      clearActivityContact(table),
    ],
  };
  const noBytes = () => ({ remove: async () => {} });
  const clearing = (id: string): Parameters<typeof clearLinks>[0] => ({
    clock,
    read: (organizationId, of) => readTombstone(table, organizationId, of),
    reschedule: (gone, at, isCleared) => rescheduleTombstone(table, gone, at, isCleared),
    expire: (gone, now) => expireTombstone(table, gone, now),
    enqueue: nobody,
    sweeps: isId('card', id)
      ? [deleteCardActivities(table), deleteCardRows(table, noBytes)]
      : [
          unlinkContacts(table, clock),
          ({ id: company }) => unlinkCards(unlink, parseId('company', company)),
          clearActivityCompany(table),
        ],
  });
  const stalled = { ...cards, pipelines: pipelines.store, enqueueSweep: nobody };
  const works = {
    clean_up: (key: { pk: string; sk: string }) => {
      const { organizationId, id } = PARSE_KEY.tombstone(key);
      return clearLinks(clearing(id), organizationId, id);
    },
    erase_contact: (key: { pk: string; sk: string }) => {
      const id = PARSE_KEY.contact(key);
      return key.sk === KEYS.merge(id).sk ? moveMerged(merging, id) : eraseContact(erasing, id);
    },
    check_cards: (key: { pk: string; sk: string }) =>
      isCard(key) ? checkCard(stalled, PARSE_KEY.card(key)) : sweepStages(stalled, PARSE_KEY.pipeline(key)),
    index_companies: async (key: { pk: string; sk: string }) => {
      await mergeDirectory(table, PARSE_KEY.changedCompany(key).organizationId);
    },
  };
  return {
    table,
    clock,
    companies,
    pipelines,
    cards,
    contacts,
    merging,
    deletingCards: { ...cards, enqueueCleanUp: nobody },
    deletingContacts: { ...erasing, contacts },
    activities: { clock, store: activityStore(table), isActiveAccount: async () => true },
    works,
  };
};
export type Crm = ReturnType<typeof crmOver>;

const KINDS = ['clean_up', 'erase_contact', 'check_cards', 'index_companies'] as const;

/** The due rows as the sweeper finds them; `table` reads them, and `by` processes them. */
export const dueNow = async ({ table, clock }: Pick<Crm, 'clock' | 'table'>) => {
  await indexesUpToDate();
  return (await Promise.all(KINDS.map((kind) => overdue(table, kind, clock(), 1_000)))).flat();
};

/** Works on all that is due, until nothing is; answers how many items that took. */
export const workUntilQuiet = async (crm: Crm): Promise<number> => {
  let worked = 0;
  for (let rounds = 0; ; rounds++) {
    const items = await dueNow(crm);
    if (items.length === 0) return worked;
    if (rounds > 60) throw new Error(`work does not end: ${JSON.stringify(items)}`);
    for (const { kind, pk, sk } of items) await crm.works[kind as (typeof KINDS)[number]]({ pk, sk });
    worked += items.length;
  }
};

export const tombstonesOf = ({ table }: Pick<Crm, 'table'>, organizationId: Id<'organization'>) =>
  table.queryAll({ partition: KEYS.tombstone(organizationId, '').pk, consistent: true });

/** Deletes expired tombstones, as DynamoDB does by their `ttl`. */
export const expire = async (crm: Crm, organizationId: Id<'organization'>): Promise<void> => {
  for (const { pk, sk, ttl } of await tombstonesOf(crm, organizationId))
    if (typeof ttl === 'number' && ttl * 1_000 <= crm.clock())
      await crm.table.write({ delete: { pk: String(pk), sk: String(sk) } });
};

/** A new organization's key. */
export const newCaller = async (table: Table, organizationId: Id<'organization'>): Promise<Actor> => {
  await table.write(organizationWrite({ id: organizationId, name: 'Loja Azul', createdAt: 0 }));
  return { organizationId, env: 'test', credentialId: idNamed('apiKey', 'test'), kind: 'key', scopes: new Set() };
};
