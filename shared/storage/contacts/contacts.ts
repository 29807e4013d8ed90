import * as z from 'zod';
import {
  COMPANY_ROLES,
  CONTACT_SOURCES,
  type Contact,
  DEBT_STATUSES,
  OPT_IN_STATUSES,
  type OptIn,
  type OptInStatus,
  phoneHashesOf,
} from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { freeAttributes, id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { changedWrite } from './changed-contacts.ts';
import { consentHistoryWrites } from './consent-history.ts';
import { countOptOut, recipientRows } from './recipient-opt-outs.ts';
import type { ChangesDue } from './standing.ts';

const text = z.string().optional();
const optInProof = z.object({
  source: text,
  at: time.optional(),
  ip: text,
  userAgent: text,
  revokedAt: time.optional(),
  revokedReason: text,
});

/** A consent's status is an attribute beside its proof, so that the conditions of a send can read it. */
interface StoredContact extends Omit<Contact, 'optIn'> {
  readonly optIn: Omit<OptIn, 'status'>;
  readonly optInStatus: OptInStatus;
}
export const contactRows = defineRow<StoredContact>()({
  attributes: {
    id: id('contact'),
    number: z.int(),
    ...tenant,
    phone: z.string(),
    phoneHash: z.string(),
    name: text,
    email: text,
    emailHash: text,
    avatarUrl: text,
    whatsappProfileName: text,
    cpfCipher: text,
    cnpjCipher: text,
    birthDateCipher: text,
    attributes: freeAttributes,
    debtorGroups: z
      .array(
        z.object({
          id: id('debtorGroup'),
          company: z.string(),
          phones: z.array(z.string()),
          amountCents: z.int().optional(),
          status: z.enum(DEBT_STATUSES).optional(),
          reference: text,
        }),
      )
      .optional(),
    tags: z.array(z.string()),
    optIn: optInProof,
    optInStatus: z.enum(OPT_IN_STATUSES),
    source: z.enum(CONTACT_SOURCES),
    externalId: text,
    externalIds: z.object({ hubspot: text, pipedrive: text, rdStation: text, salesforce: text }).optional(),
    companyId: id('company').optional(),
    papelNaEmpresa: z.enum(COMPANY_ROLES).optional(),
    lastInteractionAt: time.optional(),
    mergedContacts: z
      .array(z.object({ id: id('contact'), number: z.int(), phone: text, phoneHash: text, emailHash: text }))
      .optional(),
    crmLinks: z.int().optional(),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  key: (contact) => KEYS.contact(contact.id),
  index: ({ id, organizationId: org, emailHash, companyId, lastInteractionAt, createdAt }) => ({
    ...INDEX_KEYS.contactsOf(org, isoTime(createdAt), id),
    ...(companyId === undefined ? {} : companyEntry(companyId, id, lastInteractionAt)),
    ...(emailHash === undefined ? {} : INDEX_KEYS.contactsOfEmail(org, emailHash, isoTime(createdAt), id)),
  }),
});

/** The position of a contact among its company's: by its last interaction (ms). */
const companyEntry = (companyId: Id<'company'>, contactId: Id<'contact'>, lastInteractionAt: number | undefined) =>
  INDEX_KEYS.contactsOfCompany(companyId, lastInteractionAt === undefined ? '' : isoTime(lastInteractionAt), contactId);

/** The attribute that orders a contact among its company's by an interaction (ms); without a company it is in no index. */
export const interactionEntry = (contactId: Id<'contact'>, lastInteractionAt: number) => {
  const { gsi3sk } = companyEntry('' as Id<'company'>, contactId, lastInteractionAt);
  return { gsi3sk };
};

/** The row of a contact. */
export const contactRow = (contact: Contact): Row => contactRows.write({ ...contact, ...storedOptIn(contact.optIn) });

/** Reads a contact's row. */
export const readContact = (row: Row): Contact => {
  const { optIn, optInStatus, ...contact } = contactRows.read(row);
  return { ...contact, optIn: { ...optIn, status: optInStatus } };
};

/** The stored form of a contact's consent. */
export const storedOptIn = ({ status, ...optIn }: OptIn) => ({ optIn, optInStatus: status });

/** How a change of consent changes the opted-out count of the contact's e-mail address: up or down, once. */
const emailWrites = (before: Contact, { organizationId, emailHash, optIn }: Contact): WriteOp[] => {
  if (emailHash === undefined) return [];
  const denied = (status: OptIn['status']) => (status === 'denied' ? 1 : 0);
  const by = denied(optIn.status) - denied(before.optIn.status);
  return [countOptOut(organizationId, emailHash, by, optIn.status === 'granted')];
};

/** The consent of a contact on one of its phones, where sends that name no contact read it. */
export const phoneConsentWrite = ({ id, organizationId, optIn }: Contact, phoneHash: string): WriteOp => ({
  update: KEYS.phone(organizationId, phoneHash),
  set: recipientRows.set({ optInStatus: optIn.status }),
  when: { text: '#contactId = :id', values: { id } },
});

/**
 * The writes of a change of consent: on the contact, if unchanged since `before` was read, on its phones and on its e-mail address. `also`
 * changes more attributes of the contact.
 */
export const consentWrites = (
  before: Contact,
  after: Contact,
  changes: ChangesDue,
  also: Partial<Pick<Contact, 'lastInteractionAt' | 'whatsappProfileName'>> = {},
): WriteOp[] => {
  const { id, organizationId: org, optIn, updatedAt, version } = after;
  return [
    {
      update: KEYS.contact(id),
      set: {
        ...contactRows.set({ ...storedOptIn(optIn), ...also, updatedAt, version }),
        ...(also.lastInteractionAt === undefined ? {} : interactionEntry(id, also.lastInteractionAt)),
      },
      when: { text: '#org = :org AND #version = :version', values: { org, version: before.version } },
    },
    ...phoneHashesOf(after).map((phoneHash) => phoneConsentWrite(after, phoneHash)),
    ...emailWrites(before, after),
    ...consentHistoryWrites(before, after),
    changedWrite(after, changes),
  ];
};
