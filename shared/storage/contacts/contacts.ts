import * as z from 'zod';
import {
  COMPANY_ROLES,
  CONTACT_SOURCES,
  type Contact,
  OPT_IN_STATUSES,
  type OptIn,
  type OptInStatus,
} from '../../domain/contacts/contact.ts';
import type { ContactStore, CreateOutcome } from '../../domain/contacts/ports.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { ContactAttributes } from '../../domain/core/json-values.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countWrite } from '../access/counters.ts';
import { organizationExists } from '../access/organizations.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { changedWrite } from './changed-contacts.ts';
import { numberedWrite, takeContactNumbers } from './contact-numbers.ts';
import { clearOptOuts, countOptOut, NOT_OPTED_OUT, recipientRows } from './recipient-opt-outs.ts';

const text = z.string().optional();
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** Written as a Map: the marshaller takes an object with a key `constructor` for a class instance. */
const freeAttributes = z.codec(z.custom<object>(isObject), z.custom<ContactAttributes>(isObject), {
  decode: (stored) => stored as ContactAttributes,
  encode: (attributes) => new Map(Object.entries(attributes)),
});
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
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
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
          id: z.string(),
          company: z.string(),
          phones: z.array(z.string()),
          amountCents: z.int().optional(),
          status: z.enum(['vencida', 'em_atraso', 'em_dia']).optional(),
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
    companyId: text,
    papelNaEmpresa: z.enum(COMPANY_ROLES).optional(),
    lastInteractionAt: time.optional(),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  rename: { organizationId: 'org' },
  key: (contact) => KEYS.contact(contact.id),
  index: ({ id, organizationId: org, emailHash, createdAt }) => ({
    ...INDEX_KEYS.contactsOf(org, isoTime(createdAt), id),
    ...(emailHash === undefined ? {} : INDEX_KEYS.contactsOfEmail(org, emailHash, isoTime(createdAt), id)),
  }),
});

/** Reads a contact's row. */
export const readContact = (row: Row): Contact => {
  const { optIn, optInStatus, ...contact } = contactRows.read(row);
  return { ...contact, optIn: { ...optIn, status: optInStatus } };
};

/** The stored form of a contact's consent. */
const storedOptIn = ({ status, ...optIn }: OptIn) => ({ optIn, optInStatus: status });

/** The row of a contact. */
export const contactRow = (contact: Contact): Row => contactRows.write({ ...contact, ...storedOptIn(contact.optIn) });

/** A phone that opted out itself can only be claimed by a contact that is opted out too: creating a contact never lifts an opt-out. */
const freePhone = ({ optIn }: Contact): Condition => {
  const text = 'attribute_not_exists(#contactId)';
  return optIn.status === 'denied' ? { text } : { ...NOT_OPTED_OUT, text: `${text} AND ${NOT_OPTED_OUT.text}` };
};
type Part = 'changed' | 'company' | 'contact' | 'count' | 'email' | 'event' | 'externalId' | 'number' | 'phone';
type Named = { readonly part: Part; readonly write: WriteOp };

const createWrites = (contact: Contact, events: readonly DomainEvent[]): Named[] => {
  const { id, number, organizationId: org, phoneHash, emailHash, externalId, companyId } = contact;
  const phone = recipientRows.set({
    contactId: id,
    contactNumber: number,
    organizationId: org,
    optInStatus: contact.optIn.status,
  });
  return [
    { part: 'contact', write: { put: contactRow(contact), when: ABSENT } },
    { part: 'phone', write: { put: { ...KEYS.phone(org, phoneHash), ...phone }, when: freePhone(contact) } },
    ...(emailHash === undefined || contact.optIn.status !== 'denied'
      ? []
      : [{ part: 'email', write: countOptOut(org, emailHash, 1, false) } as const]),
    ...(externalId === undefined
      ? []
      : [
          {
            part: 'externalId',
            write: { put: { ...KEYS.externalId(org, externalId), contactId: id, number, org }, when: ABSENT },
          } as const,
        ]),
    ...(companyId === undefined
      ? []
      : [
          {
            part: 'company',
            write: { check: KEYS.company(companyId), when: { text: '#org = :org', values: { org } } },
          } as const,
        ]),
    { part: 'number', write: numberedWrite(contact) },
    { part: 'changed', write: changedWrite(contact) },
    { part: 'count', write: countWrite(org, 'contacts', id) },
    ...events.map((event): Named => ({ part: 'event', write: eventWrite(event) })),
  ];
};

/** The row of a phone without a contact that opted out itself. */
const ownOptOut = z.object({ revokedAt: time, revokedReason: text });

/** The result of a cancelled creation. Our own phone row means that an earlier attempt was committed and its answer lost. */
const verdictOf = (
  contact: Contact,
  named: readonly Named[],
  reasons: readonly CancelReason[],
): CreateOutcome | undefined => {
  const failed = (part: Part) => {
    const reason = reasons[named.findIndex((entry) => entry.part === part)];
    return reason?.conditionFailed ? reason : undefined;
  };
  const holder = (reason: CancelReason | undefined) => id('contact').parse(reason?.row?.contactId);
  const phone = failed('phone');
  if (phone?.row && phone.row.contactId === undefined)
    return { kind: 'phone_opted_out', ...ownOptOut.parse(phone.row) };
  if (phone)
    return holder(phone) === contact.id
      ? { kind: 'created' }
      : { kind: 'taken', field: 'phone', contactId: holder(phone) };
  const externalId = failed('externalId');
  if (externalId) return { kind: 'taken', field: 'externalId', contactId: holder(externalId) };
  return failed('company') ? { kind: 'unknown_company' } : undefined;
};

/** How a change of consent changes the opted-out count of the contact's e-mail address: up or down, once. */
const emailWrites = (before: Contact, { organizationId, emailHash, optIn }: Contact): WriteOp[] => {
  if (emailHash === undefined) return [];
  const denied = (status: OptIn['status']) => (status === 'denied' ? 1 : 0);
  const by = denied(optIn.status) - denied(before.optIn.status);
  return [countOptOut(organizationId, emailHash, by, optIn.status === 'granted')];
};

/**
 * The writes of a change of consent: on the contact, if it is unchanged since `before` was read, on its phone and on its e-mail address.
 * `also` changes more attributes of the contact.
 */
export const consentWrites = (
  before: Contact,
  after: Contact,
  also: Partial<Pick<Contact, 'lastInteractionAt' | 'whatsappProfileName'>> = {},
): WriteOp[] => {
  const { id, organizationId: org, phoneHash, optIn, updatedAt, version } = after;
  return [
    {
      update: KEYS.contact(id),
      set: contactRows.set({ ...storedOptIn(optIn), ...also, updatedAt, version }),
      when: { text: '#org = :org AND #version = :version', values: { org, version: before.version } },
    },
    {
      update: KEYS.phone(org, phoneHash),
      set: recipientRows.set({ optInStatus: optIn.status }),
      when: { text: '#contactId = :id', values: { id } },
    },
    ...emailWrites(before, after),
    changedWrite(after),
  ];
};

/** Contacts in the table of one stage. `raised` receives committed events, to publish them early; it may lose them. */
export const contactStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): ContactStore => ({
  takeNumbers: (organizationId, count) => takeContactNumbers(table, organizationId, count),

  async create(contact, event) {
    if (!(await organizationExists(table, contact.organizationId))) return { kind: 'unknown_organization' };
    const events = await takenEvents(table, contact.organizationId, [event]);
    const named = createWrites(contact, events);
    const outcome = await table.transact(named.map(({ write }) => write));
    const verdict: CreateOutcome | undefined = outcome.ok
      ? { kind: 'created' }
      : verdictOf(contact, named, outcome.reasons);
    if (!verdict) throw new Unavailable('The contact could not be stored.');
    if (verdict.kind === 'created') raised(events);
    return verdict;
  },

  read: (id) => readRow(table, KEYS.contact(id), readContact),

  async changeConsent(before, after, event) {
    const writes = consentWrites(before, after);
    const events = await takenEvents(table, after.organizationId, event ? [event] : []);
    const outcome = await table.transact([...writes, ...events.map(eventWrite)]);
    if (outcome.ok) raised(events);
    return outcome.ok;
  },

  clearOptOuts: (contact, at) => clearOptOuts(table, contact, at),
});
