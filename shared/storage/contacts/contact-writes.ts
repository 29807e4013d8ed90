import * as z from 'zod';
import { type Contact, phoneHashesOf } from '../../domain/contacts/contact.ts';
import type { ContactFault, PhoneOptedOut } from '../../domain/contacts/ports.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { CancelReason } from '../client/table.ts';
import { companyCountWrites } from '../crm/company-counts.ts';
import { changedWrite } from './changed-contacts.ts';
import { companyLink } from './company-links.ts';
import { consentHistoryWrites } from './consent-history.ts';
import { numberedWrite } from './contact-numbers.ts';
import { contactRow, phoneConsentWrite } from './contacts.ts';
import { countOptOut, KEPT_REASON, NOT_OPTED_OUT, recipientRows } from './recipient-opt-outs.ts';
import type { ChangesDue } from './standing.ts';

type Part = 'company' | 'contact' | 'externalId' | 'left_company' | 'phone' | 'rest';
/** A write of a contact's transaction, and the meaning of its condition. */
export interface ContactWrite {
  readonly part: Part;
  readonly write: WriteOp;
}
const rest = (write: WriteOp): ContactWrite => ({ part: 'rest', write });
export const denied = ({ optIn }: Contact): number => (optIn.status === 'denied' ? 1 : 0);

/** A phone that opted out itself can only be claimed by a contact that is opted out too: storing a contact never lifts an opt-out. */
const freePhone = (contact: Contact): Condition => {
  const text = 'attribute_not_exists(#contactId)';
  return denied(contact) ? { text } : { ...NOT_OPTED_OUT, text: `${text} AND ${NOT_OPTED_OUT.text}` };
};

const claimPhone = (contact: Contact): ContactWrite => {
  const { id: contactId, number: contactNumber, organizationId, phoneHash, optIn } = contact;
  const row = recipientRows.set({ contactId, contactNumber, organizationId, optInStatus: optIn.status });
  return {
    part: 'phone',
    write: { put: { ...KEYS.phone(organizationId, phoneHash), ...row }, when: freePhone(contact) },
  };
};

/** The write that releases a contact's phone: the row is deleted, or keeps the opt-out of a contact that opted out. */
export const releasePhone = (contact: Contact, phoneHash: string): WriteOp => {
  const { id: contactId, organizationId, optIn, updatedAt } = contact;
  const key = KEYS.phone(organizationId, phoneHash);
  const when = { text: '#contactId = :id', values: { id: contactId } };
  if (optIn.status !== 'denied') return { delete: key, when };
  const { revokedAt = updatedAt } = optIn;
  const kept = recipientRows.set({ optInStatus: 'denied', revokedAt, revokedReason: KEPT_REASON });
  return { update: key, set: kept, remove: ['contactId', 'contactNumber'], when };
};

/** The write that releases a contact's address: an opt-out stays and applies to the next owner. */
export const releaseAddress = ({ organizationId, emailHash, optIn, updatedAt }: Contact): WriteOp[] => {
  if (emailHash === undefined || optIn.status !== 'denied') return [];
  const { revokedAt = updatedAt } = optIn;
  const set = recipientRows.set({ organizationId, optInStatus: 'denied', revokedAt, revokedReason: KEPT_REASON });
  return [{ update: KEYS.emailAddress(organizationId, emailHash), set, add: { optedOut: -1 } }];
};

const claimExternalId = ({ id: contactId, number, organizationId: org, externalId }: Contact): ContactWrite[] =>
  externalId === undefined
    ? []
    : [
        {
          part: 'externalId',
          write: { put: { ...KEYS.externalId(org, externalId), contactId, number, org }, when: ABSENT },
        },
      ];

/** Frees a contact's external id, if it has one. */
export const releaseExternalId = ({ id, organizationId, externalId }: Contact): WriteOp[] =>
  externalId === undefined
    ? []
    : [
        {
          delete: KEYS.externalId(organizationId, externalId),
          when: { text: '#contactId = :id', values: { id } },
        },
      ];

/**
 * Updates the contact counters of companies for a change: of the joined one, whose existence is checked by the same write, and of the one
 * left.
 */
export const companyWrites = (
  ...changes: readonly { readonly before?: Contact | undefined; readonly after?: Contact | undefined }[]
): ContactWrite[] => {
  const links = changes.map(({ before, after }) => ({
    before: before && companyLink(before),
    after: after && companyLink(after),
  }));
  return companyCountWrites(links).map(({ joins, write }) => ({ part: joins ? 'company' : 'left_company', write }));
};

/** Adds a contact to the opted-out count of its e-mail address (`by` 1), or removes it (-1). */
export const countAddress = ({ organizationId, emailHash }: Contact, by: number, granted = false): WriteOp[] =>
  emailHash === undefined || (by === 0 && !granted) ? [] : [countOptOut(organizationId, emailHash, by, granted)];

/** The writes that store a new contact, without counters; at most 7, none on another contact's row except that of a shared address. */
export const newWrites = (contact: Contact, changes: ChangesDue): ContactWrite[] => [
  { part: 'contact', write: { put: contactRow(contact), when: ABSENT } },
  claimPhone(contact),
  ...claimExternalId(contact),
  ...countAddress(contact, denied(contact)).map(rest),
  ...consentHistoryWrites(undefined, contact).map(rest),
  rest(numberedWrite(contact)),
  rest(changedWrite(contact, changes)),
];

/** The writes that store a new contact and count it, also in its company. */
export const createWrites = (contact: Contact, changes: ChangesDue): ContactWrite[] => [
  ...newWrites(contact, changes),
  ...companyWrites({ after: contact }),
  rest(countWrite(contact.organizationId, 'contacts', contact.id)),
];

const addressWrites = (before: Contact, after: Contact): WriteOp[] => {
  const granted = after.optIn.status === 'granted' && before.optIn.status !== 'granted';
  return before.emailHash === after.emailHash
    ? countAddress(after, denied(after) - denied(before), granted)
    : [...countAddress(before, -denied(before)), ...countAddress(after, denied(after), granted)];
};

/** Releases the phones that a contact gives up, claims a new one, and updates the consent on the others. */
const phoneWrites = (before: Contact, after: Contact): ContactWrite[] => {
  const [were, are] = [phoneHashesOf(before), phoneHashesOf(after)];
  const left = were.filter((hash) => !are.includes(hash));
  const stay = before.optIn.status === after.optIn.status ? [] : are.filter((hash) => were.includes(hash));
  return [
    ...left.map((hash) => rest(releasePhone(before, hash))),
    ...(were.includes(after.phoneHash) ? [] : [claimPhone(after)]),
    ...stay.map((hash) => rest(phoneConsentWrite(after, hash))),
  ];
};

/** Condition: the organization's contact is unchanged since it was read. */
export const unchanged = ({ organizationId: org, version }: Contact): Condition => ({
  text: '#org = :org AND #version = :version',
  values: { org, version },
});

/**
 * The writes that replace a contact after a change, and move its lookup keys, without its company's counter. At most 9, and one for each
 * further phone.
 */
export const changeWrites = (before: Contact, after: Contact, changes: ChangesDue): ContactWrite[] => [
  { part: 'contact', write: { put: contactRow(after), when: unchanged(before) } },
  ...phoneWrites(before, after),
  ...(before.externalId === after.externalId
    ? []
    : [...releaseExternalId(before).map(rest), ...claimExternalId(after)]),
  ...addressWrites(before, after).map(rest),
  ...consentHistoryWrites(before, after).map(rest),
  rest(changedWrite(after, changes)),
];

/** The row of a phone without a contact that opted out itself. */
export const ownOptOut = z.object({ revokedAt: time, revokedReason: z.string().optional() });

/** Why a contact's transaction was cancelled. `own`: its own row was not as expected; `phone_own`: its phone is already its own. */
export type ContactVerdict = ContactFault | PhoneOptedOut | { readonly kind: 'own' } | { readonly kind: 'phone_own' };

/** The meaning of a cancelled transaction's reasons for these writes of a contact; undefined if none of their conditions failed. */
export const verdictOf = (
  contact: Contact,
  writes: readonly ContactWrite[],
  reasons: readonly CancelReason[],
): ContactVerdict | undefined => {
  const failed = (part: Part) => {
    const reason = reasons[writes.findIndex((entry) => entry.part === part)];
    return reason?.conditionFailed ? reason : undefined;
  };
  const taken = (field: 'externalId' | 'phone', reason: CancelReason): ContactVerdict => {
    const contactId = id('contact').parse(reason.row?.contactId);
    return contactId === contact.id && field === 'phone' ? { kind: 'phone_own' } : { kind: 'taken', field, contactId };
  };
  const [phone, externalId] = [failed('phone'), failed('externalId')];
  if (phone?.row && phone.row.contactId === undefined)
    return { kind: 'phone_opted_out', ...ownOptOut.parse(phone.row) };
  if (phone) return taken('phone', phone);
  if (failed('contact')) return { kind: 'own' };
  if (externalId) return taken('externalId', externalId);
  if (failed('company')) return { kind: 'unknown_company' };
  // The company that it leaves was deleted: after reading again, the contact has none.
  return failed('left_company') ? { kind: 'own' } : undefined;
};
