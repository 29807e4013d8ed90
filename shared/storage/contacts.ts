import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import {
  COMPANY_ROLES,
  CONTACT_SOURCES,
  type Contact,
  EXTERNAL_SYSTEMS,
  OPT_IN_STATUSES,
  type OptIn,
} from '../domain/contacts/contact.ts';
import type { ContactStore, CreateOutcome } from '../domain/contacts/ports.ts';
import { Unavailable } from '../domain/errors.ts';
import type { ContactAttributes } from '../domain/json-values.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { countOptOut, liftOptOuts, NOT_OUT } from './consent-rows.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { eventWrite } from './outbox.ts';
import type { CancelReason, Key, Row, Table } from './table.ts';

/** A company's row, as far as a contact needs it: whose it is. */
const companyKey = (id: string): Key => ({ pk: `EMP#${id}`, sk: 'EMP' });

const moment = z.iso.datetime().transform((text) => Date.parse(text));
const optionalText = z.string().optional();

const optInRow = z.object({
  source: optionalText,
  at: moment.optional(),
  ip: optionalText,
  userAgent: optionalText,
  revokedAt: moment.optional(),
  revokedReason: optionalText,
});
const externalIdsRow = z.object(Object.fromEntries(EXTERNAL_SYSTEMS.map((system) => [system, optionalText])));
const debtorGroupRow = z.object({
  id: z.string(),
  company: z.string(),
  phones: z.array(z.string()),
  amountCents: z.int().optional(),
  status: z.enum(['vencida', 'em_atraso', 'em_dia']).optional(),
  reference: optionalText,
});

/** A contact's row. Times are ISO text; consent's status stands beside its proof, where the conditions of a send read it. */
const contactRow = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  phone: z.string(),
  phoneHash: z.string(),
  name: optionalText,
  email: optionalText,
  emailHash: optionalText,
  avatarUrl: optionalText,
  whatsappProfileName: optionalText,
  cpfCipher: optionalText,
  cnpjCipher: optionalText,
  birthDateCipher: optionalText,
  attributes: z.custom<ContactAttributes>((value) => typeof value === 'object' && value !== null),
  debtorGroups: z.array(debtorGroupRow).optional(),
  tags: z.array(z.string()),
  optIn: optInRow,
  optInStatus: z.enum(OPT_IN_STATUSES),
  source: z.enum(CONTACT_SOURCES),
  externalId: optionalText,
  externalIds: externalIdsRow.optional(),
  companyId: optionalText,
  papelNaEmpresa: z.enum(COMPANY_ROLES).optional(),
  lastInteractionAt: moment.optional(),
  createdAt: moment,
  updatedAt: moment,
  version: z.int(),
});

/** Reads a contact's row; every field is checked. */
export const parseContact = (row: Row): Contact => {
  const { org, optIn, optInStatus, ...fields } = contactRow.parse(row);
  return { ...fields, organizationId: org, optIn: { ...optIn, status: optInStatus } } as unknown as Contact;
};

const optionalTime = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

/** Consent as it is stored: on the contact with its proof, on the phone the status alone. */
const consentOf = ({ status, at, revokedAt, ...proof }: OptIn) => ({
  optInStatus: status,
  optIn: { ...proof, at: optionalTime(at), revokedAt: optionalTime(revokedAt) },
});

const rowOf = (contact: Contact) => {
  const { organizationId: org, optIn, attributes, ...fields } = contact;
  const createdAt = isoTime(contact.createdAt);
  return {
    ...fields,
    ...KEYS.contact(contact.id),
    ...FINDS.contactsOf(org, createdAt, contact.id),
    ...(contact.emailHash === undefined ? {} : FINDS.contactsOfEmail(org, contact.emailHash, createdAt, contact.id)),
    ...consentOf(optIn),
    // A Map, since the marshaller takes an object with a key `constructor` for an instance of some class.
    attributes: new Map(Object.entries(attributes)),
    org,
    createdAt,
    updatedAt: isoTime(contact.updatedAt),
    lastInteractionAt: optionalTime(contact.lastInteractionAt),
  };
};

const ABSENT = { text: 'attribute_not_exists(#pk)' } as const;
/** A phone that opted out by itself is taken over only by a contact that stands as opted out: creating lifts no withdrawal. */
const freePhone = ({ optIn }: Contact): Condition => {
  const text = 'attribute_not_exists(#contactId)';
  return optIn.status === 'denied' ? { text } : { ...NOT_OUT, text: `${text} AND ${NOT_OUT.text}` };
};
type Part = 'company' | 'contact' | 'email' | 'event' | 'externalId' | 'organization' | 'phone';
type Named = { readonly part: Part; readonly write: WriteOp };

const createWrites = (contact: Contact, event: WriteOp): Named[] => {
  const { id, organizationId: org, phoneHash, emailHash, externalId, companyId } = contact;
  const own = { contactId: id, org };
  return [
    { part: 'contact', write: { put: rowOf(contact), when: ABSENT } },
    {
      part: 'phone',
      write: {
        put: { ...KEYS.phone(org, phoneHash), ...own, optInStatus: contact.optIn.status },
        when: freePhone(contact),
      },
    },
    ...(emailHash === undefined || contact.optIn.status !== 'denied'
      ? []
      : [{ part: 'email', write: countOptOut(org, emailHash, 1, false) } as const]),
    ...(externalId === undefined
      ? []
      : [
          {
            part: 'externalId',
            write: { put: { ...KEYS.externalId(org, externalId), ...own }, when: ABSENT },
          } as const,
        ]),
    ...(companyId === undefined
      ? []
      : [
          {
            part: 'company',
            write: { check: companyKey(companyId), when: { text: '#org = :org', values: { org } } },
          } as const,
        ]),
    {
      part: 'organization',
      write: { update: KEYS.organization(org), add: { contacts: 1 }, when: { text: 'attribute_exists(#pk)' } },
    },
    { part: 'event', write: event },
  ];
};

/** A phone of no contact that opted out by itself. */
const loosePhone = z.object({ revokedAt: moment, revokedReason: optionalText });

/** What a cancelled creation means. Our own phone row is the trace of a commit whose answer was lost. */
const verdictOf = (
  contact: Contact,
  named: readonly Named[],
  reasons: readonly CancelReason[],
): CreateOutcome | undefined => {
  const failed = (part: Part) => {
    const reason = reasons[named.findIndex((entry) => entry.part === part)];
    return reason?.conditionFailed ? reason : undefined;
  };
  const holder = (reason: CancelReason | undefined) => z.string().parse(reason?.row?.contactId);
  const phone = failed('phone');
  if (phone?.row && phone.row.contactId === undefined)
    return { kind: 'phone_opted_out', ...loosePhone.parse(phone.row) };
  if (phone)
    return holder(phone) === contact.id
      ? { kind: 'created' }
      : { kind: 'taken', field: 'phone', contactId: holder(phone) };
  const externalId = failed('externalId');
  if (externalId) return { kind: 'taken', field: 'externalId', contactId: holder(externalId) };
  if (failed('company')) return { kind: 'unknown_company' };
  return failed('organization') ? { kind: 'unknown_organization' } : undefined;
};

/** What a change of consent means for the contact's e-mail address: it is counted in or out of the opted out, once. */
const emailWrites = (before: Contact, { organizationId, emailHash, optIn }: Contact): WriteOp[] => {
  if (emailHash === undefined) return [];
  const denied = (status: OptIn['status']) => (status === 'denied' ? 1 : 0);
  const by = denied(optIn.status) - denied(before.optIn.status);
  return [countOptOut(organizationId, emailHash, by, optIn.status === 'granted')];
};

/**
 * A change of consent as a part of a transaction: on the contact, if it still stands as `before` was read, on its phone and on its e-mail
 * address. `set` changes more of the contact with it.
 */
export const consentWrites = (
  before: Contact,
  after: Contact,
  set: Readonly<Record<string, unknown>> = {},
): WriteOp[] => {
  const { id, organizationId: org, phoneHash, optIn } = after;
  return [
    {
      update: KEYS.contact(id),
      set: { ...consentOf(optIn), ...set, updatedAt: isoTime(after.updatedAt), version: after.version },
      when: { text: '#org = :org AND #version = :version', values: { org, version: before.version } },
    },
    {
      update: KEYS.phone(org, phoneHash),
      set: { optInStatus: optIn.status },
      when: { text: '#contactId = :id', values: { id } },
    },
    ...emailWrites(before, after),
  ];
};

/** Contacts in the table of one stage. `raised` hears of committed events, to hint at them; it may lose them. */
export const contactStore = (table: Table, raised: (eventId: string) => void): ContactStore => ({
  async create(contact, event) {
    const named = createWrites(contact, eventWrite(event));
    const outcome = await table.transact(named.map(({ write }) => write));
    const verdict: CreateOutcome | undefined = outcome.ok
      ? { kind: 'created' }
      : verdictOf(contact, named, outcome.reasons);
    if (!verdict) throw new Unavailable('The contact could not be stored.');
    if (verdict.kind === 'created') raised(event.id);
    return verdict;
  },

  async read(id) {
    const row = await table.get(KEYS.contact(id));
    return row && parseContact(row);
  },

  async changeConsent(before, after, event) {
    const writes = consentWrites(before, after);
    const outcome = await table.transact([...writes, ...(event ? [eventWrite(event)] : [])]);
    if (outcome.ok && event) raised(event.id);
    return outcome.ok;
  },

  liftOptOuts: (contact, at) => liftOptOuts(table, contact, at),
});

/** How many contacts the organization has. One read. */
export const countContacts = async (table: Table, organizationId: string): Promise<number> => {
  const row = await table.get(KEYS.organization(organizationId), { only: ['contacts'] });
  return z.int().default(0).parse(row?.contacts);
};
