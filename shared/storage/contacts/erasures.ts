import * as z from 'zod';
import { AUDIT_ACTOR_KINDS } from '../../domain/audit/entry.ts';
import { type Contact, phoneHashesOf } from '../../domain/contacts/contact.ts';
import type { Erased, Erasure, ErasureStore } from '../../domain/contacts/erase.ts';
import type { Id } from '../../domain/core/ids.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { all, EXISTS, isStill } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { contactTombstone, expireTombstone } from '../crm/tombstones.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { changedWrite } from './changed-contacts.ts';
import { companyWrites, releaseAddress, releaseExternalId, releasePhone, unchanged } from './contact-writes.ts';
import { type ChangesDue, changesDue } from './standing.ts';

const sum = z.int().default(0);
const erasureRows = defineRow<Erasure>()({
  attributes: {
    contactId: id('contact'),
    ...tenant,
    number: z.int(),
    phoneHash: z.string().optional(),
    emailHash: z.string().optional(),
    at: time,
    actor: z.object({
      kind: z.enum(AUDIT_ACTOR_KINDS),
      id: z.union([id('account'), id('apiKey'), z.literal('operator')]),
    }),
    messages: sum,
    received: sum,
    turns: sum,
    devices: sum,
  },
  key: ({ contactId }) => KEYS.erasure(contactId),
});

const dueAt = (contactId: Id<'contact'>, at: number) => INDEX_KEYS.due('erase_contact', contactId, at);

const deleteWrites = (contact: Contact, changes: ChangesDue): readonly [WriteOp, ...WriteOp[]] => {
  const { id: contactId, organizationId, number } = contact;
  return [
    { delete: KEYS.contact(contactId), when: unchanged(contact) },
    ...phoneHashesOf(contact).map((hash) => releasePhone(contact, hash)),
    ...releaseExternalId(contact),
    ...releaseAddress(contact),
    { delete: KEYS.numberedContact(organizationId, number) },
    changedWrite(contact, changes),
    countWrite(organizationId, 'contacts', contactId, -1),
    ...companyWrites({ before: contact }).map(({ write }) => write),
  ];
};

/** Tombstones of the contact and those merged into it, while CRM objects may still link to them. */
const tombstones = ({ crmLinks = 0 }: Contact, erasures: readonly Erasure[]): readonly WriteOp[] =>
  crmLinks === 0
    ? []
    : erasures.map(({ contactId, organizationId, at }) => contactTombstone({ id: contactId, organizationId, at }));

/** Condition: nothing was erased since the erasure was read. */
const isStillAt = ({ messages, received, turns, devices }: Erasure) =>
  all(
    EXISTS,
    isStill('messages', messages),
    isStill('received', received),
    isStill('turns', turns),
    isStill('devices', devices),
  );

/** Erasures in the table of one stage. */
export const erasureStore = (table: Table): ErasureStore => ({
  async delete(contact, erasures, entry) {
    const begin = erasures.map(
      (erasure): WriteOp => ({
        put: { ...erasureRows.write(erasure), ...dueAt(erasure.contactId, erasure.at) },
      }),
    );
    const changes = await changesDue(table, contact.organizationId);
    const deletes = [...deleteWrites(contact, changes), ...tombstones(contact, erasures)];
    return (await table.transact([...deletes, ...begin, ...auditWrites(entry)])).ok;
  },
  read: (contactId) => readRow(table, KEYS.erasure(contactId), erasureRows.read),
  async reschedule({ contactId }, at) {
    await table.write({ update: KEYS.erasure(contactId), set: dueAt(contactId, at), when: EXISTS });
  },
  async finish(erasure, entry) {
    await expireTombstone(table, { id: erasure.contactId, organizationId: erasure.organizationId }, entry.at);
    const end: WriteOp = { delete: KEYS.erasure(erasure.contactId), when: isStillAt(erasure) };
    // The merge record contains data of the person, too.
    const forgetMerge: WriteOp = { delete: KEYS.merge(erasure.contactId) };
    return (await table.transact([end, forgetMerge, ...auditWrites(entry)])).ok;
  },
});

/**
 * Erases rows, each by a write on the condition that it was not erased before, and counts them in the same transaction: every row counts
 * once, however often workers repeat. False if one of them was erased meanwhile.
 */
export const eraseCounted = async (
  table: Table,
  { contactId }: Pick<Erasure, 'contactId'>,
  erased: Erased,
  writes: readonly WriteOp[],
): Promise<boolean> => {
  if (writes.length === 0) return true;
  const count: WriteOp = { update: KEYS.erasure(contactId), add: { [erased]: writes.length }, when: EXISTS };
  return (await table.transact([count, ...writes])).ok;
};
